package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.AskPart;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * How a checkpoint gets from a replica to a new one (Algorithm 4, lines 2 to 13), whatever its
 * length: the new replica asks for each part once it has those before, so that a long one waits
 * nowhere as a whole. A node gives and takes, though never both at a time.
 */
final class Handover {
  /** After so many times a receiver that does not ask may be lost, and what it has got too old. */
  private static final int MOST_WAITS = 10;

  /** A checkpoint for an incarnation of another node. */
  private static final class Given {
    final long incarnation;
    final long number;
    final List<Checkpoint> parts;

    /** How often the manager asked for it since the receiver last did. */
    int waits;

    Given(long incarnation, long number, List<Checkpoint> parts) {
      this.incarnation = incarnation;
      this.number = number;
      this.parts = parts;
    }

    Install part(int i) {
      return new Install(incarnation, number, i, parts.size(), parts.get(i));
    }
  }

  /** A checkpoint: who sends it, as which incarnation, its number there, and how many parts. */
  private record Source(String node, long incarnation, long number, int of) {
    boolean sameNode(Source other) {
      return node.equals(other.node) && incarnation == other.incarnation;
    }
  }

  private final long partBytes;

  /** What it gives, by receiver. */
  private final TreeMap<String, Given> given = new TreeMap<>();

  private long made;

  /** Of what {@link #arrived} are the first parts; null if nothing has arrived. */
  private Source source;

  private final List<Checkpoint> arrived = new ArrayList<>();

  /** The newest one that arrived whole, or null. */
  private Checkpoint whole;

  /**
   * @param partBytes {@link DastConfig#partBytes}
   */
  Handover(long partBytes) {
    this.partBytes = partBytes;
  }

  /**
   * What the manager's wish has a replica send to the new one. While that one asks, there is
   * nothing to do; if it does not, the first part may have been lost, or its question. A checkpoint
   * of one part is made anew always.
   */
  Optional<Install> transfer(Transfer wish, Supplier<Checkpoint> make) {
    Given known = given.get(wish.to());
    if (known != null && wish.incarnation() < known.incarnation) {
      return Optional.empty();
    }
    if (known == null
        || known.incarnation != wish.incarnation()
        || known.parts.size() == 1
        || known.waits == MOST_WAITS) {
      known = new Given(wish.incarnation(), ++made, make.get().parts(partBytes));
      given.put(wish.to(), known);
    } else if (known.waits++ == 0) {
      return Optional.empty();
    }
    return Optional.of(known.part(0));
  }

  /** The part that an incarnation of another node asks for, if there is such a part for it. */
  Optional<Install> asked(String by, long incarnation, AskPart ask) {
    Given known = given.get(by);
    boolean there =
        known != null
            && known.incarnation == incarnation
            && known.number == ask.number()
            && ask.part() >= 0
            && ask.part() < known.parts.size();
    if (!there) {
      return Optional.empty();
    }
    known.waits = 0;
    return Optional.of(known.part(ask.part()));
  }

  /** In another view nobody needs what was made in this one. */
  void forgetGiven() {
    given.clear();
  }

  /** Takes a part; what its sender is told ({@link AskPart}), or the manager, if anything. */
  Optional<DastMessage> take(String from, long incarnation, Install part) {
    if (part.part() < 0 || part.part() >= part.of()) {
      return Optional.empty();
    }
    Source sender = new Source(from, incarnation, part.number(), part.of());
    if (part.part() == 0 && !sender.equals(source) && !late(sender, part.checkpoint())) {
      source = sender;
      arrived.clear();
    }
    if (!sender.equals(source)) {
      return Optional.empty();
    }
    if (part.part() == arrived.size()) {
      arrived.add(part.checkpoint());
    } else if (part.part() > 0) {
      return Optional.empty();
    }
    if (arrived.size() < part.of()) {
      return Optional.of(new AskPart(part.number(), arrived.size()));
    }
    Checkpoint now = Checkpoint.joined(arrived);
    // The manager may have heard of the one that is there: an older one must not replace it.
    if (whole == null || !now.before(whole)) {
      whole = now;
    }
    return Optional.of(new Installed(whole.view().number(), whole.upTo()));
  }

  /** Whether a checkpoint was surely made before the one whose parts arrive. */
  private boolean late(Source sender, Checkpoint first) {
    return source != null
        && (first.view().number() < arrived.get(0).view().number()
            || sender.sameNode(source) && sender.number < source.number);
  }

  /** The newest checkpoint that arrived whole, or null. */
  Checkpoint whole() {
    return whole;
  }

  void forgetTaken() {
    whole = null;
    source = null;
    arrived.clear();
  }
}
