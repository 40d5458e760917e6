package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * For comparison alone: a database at one site, with or without synchronous standbys. It answers
 * once a commit is durable here, and at a standby if there are any. It executes nothing.
 */
public final class PlainDatabase implements Machine {
  private final List<String> standbys;
  private final Map<Long, Long> waiting = new TreeMap<>();
  private long last;

  /** A commit on its way to a standby. */
  private record Ship(long number) implements Message {}

  /** A standby has it. */
  private record Shipped(long number) implements Message {}

  private record Committed(long number) {}

  public PlainDatabase(List<String> standbys) {
    this.standbys = List.copyOf(standbys);
  }

  @Override
  public void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.ClientRequest request) {
      boolean reads =
          ((MetricRequest.Transact) request.request())
              .queries().stream()
                  .flatMap(q -> q.statements().stream())
                  .allMatch(s -> s.kind() == Statement.Kind.READ);
      last++;
      if (!reads) {
        effects.persist(new Committed(last));
      }
      if (reads || standbys.isEmpty()) {
        answer(request.requestId(), effects);
      } else {
        waiting.put(last, request.requestId());
        standbys.forEach(standby -> effects.send(standby, new Ship(last)));
      }
    } else if (input instanceof Input.Deliver deliver) {
      Long request = waiting.remove(((Shipped) deliver.message()).number());
      if (request != null) {
        answer(request, effects);
      }
    }
  }

  private static void answer(long request, Effects effects) {
    effects.reply(request, new MetricResponse.Done(List.of(), List.of()));
  }

  /** Keeps what it is sent, and says so. */
  public static final class Standby implements Machine {
    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      if (input instanceof Input.Deliver deliver) {
        long number = ((Ship) deliver.message()).number();
        effects.persist(new Committed(number));
        effects.send(deliver.from(), new Shipped(number));
      }
    }
  }
}
