package dev.plumbline.dastconf;

import dev.plumbline.dast.Change;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.DastResponse;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/** What the machines send, persist and answer in a step. */
final class StepEffects extends NoEffects {
  final List<Mail> messages = new ArrayList<>();
  final List<Change> changes = new ArrayList<>();
  final TreeMap<Integer, DastResponse.Executed> executed = new TreeMap<>();
  private int from;

  /** The same, of a process. */
  StepEffects of(int process) {
    from = process;
    return this;
  }

  @Override
  public void send(String to, Message message) {
    messages.add(new Mail(from, to, (DastMessage) message));
  }

  @Override
  public void persist(Record record) {
    changes.add((Change) record);
  }

  @Override
  public void reply(long requestId, Record response) {
    if (response instanceof DastResponse.Executed answer) {
      executed.put((int) requestId, answer);
    }
  }

  <M extends DastMessage> boolean sent(Class<M> type, Predicate<M> which) {
    return messages.stream().anyMatch(mail -> mail.is(type, which));
  }

  void clear() {
    messages.clear();
    changes.clear();
    executed.clear();
  }
}
