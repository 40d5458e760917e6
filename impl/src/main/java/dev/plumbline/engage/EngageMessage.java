package dev.plumbline.engage;

import dev.plumbline.machine.Message;
import java.util.Map;
import java.util.TreeMap;

/** What neighbours send each other (section III-F). Every message names the tree it belongs to. */
public sealed interface EngageMessage extends Message {
  /** What a frame, kind, tree and number take. */
  int HEADER_LENGTH = 64;

  /** An entry of a clock. */
  int ENTRY_LENGTH = 8;

  long tree();

  @Override
  default int length() {
    return HEADER_LENGTH;
  }

  /** A message with a place in the order of its link: numbers from 1 on, each once. */
  sealed interface Numbered extends EngageMessage {
    long number();

    /** As the specification has it. */
    Map<String, Object> words(Layout layout);
  }

  /** An update with the metadata that rides on it, which is older. */
  record Notification(long tree, long number, Update update, VectorClock flush)
      implements Numbered {
    @Override
    public Map<String, Object> words(Layout layout) {
      return new TreeMap<>(
          Map.of("kind", "UN", "u", update.words(layout), "mf", layout.words(flush)));
    }

    @Override
    public int length() {
      return HEADER_LENGTH
          + update.object().length()
          + update.value().length()
          + ENTRY_LENGTH * (update.clock().entries().size() + flush.entries().size());
    }
  }

  /** A metadata flush. */
  record Flush(long tree, long number, VectorClock clock) implements Numbered {
    @Override
    public Map<String, Object> words(Layout layout) {
      Update none = Update.none(layout.cloudlets().size());
      return new TreeMap<>(
          Map.of("kind", "MF", "u", none.words(layout), "mf", layout.words(clock)));
    }

    @Override
    public int length() {
      return HEADER_LENGTH + ENTRY_LENGTH * clock.entries().size();
    }
  }

  /** All up to {@code number} was taken. */
  record Ack(long tree, long number) implements EngageMessage {}

  /** The tree began anew (repair newTree); who is in it answers with an {@link Ack}. */
  record NewTree(long tree) implements EngageMessage {}
}
