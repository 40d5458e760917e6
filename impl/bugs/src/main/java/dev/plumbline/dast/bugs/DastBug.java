package dev.plumbline.dast.bugs;

import dev.plumbline.bugs.NamedBug;
import dev.plumbline.dast.DastMessage;
import dev.plumbline.dast.Replica;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.List;
import java.util.Map;

/** A node that says something else than it should. */
abstract class DastBug extends NamedBug {
  DastBug(String name, String description) {
    super("dast", name, description);
  }

  /** What is sent in place of a message. */
  abstract Message altered(Message message);

  @Override
  public final Machine machine(
      NodeSpec node, Topology topology, Settings settings, Machine correct) {
    return correct instanceof Replica replica ? new Liar(replica) : correct;
  }

  private final class Liar implements Replica {
    private final Replica correct;

    Liar(Replica correct) {
      this.correct = correct;
    }

    @Override
    public Map<Long, List<Long>> store() {
      return correct.store();
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      correct.handle(input, clock, new Altering(effects));
    }
  }

  private final class Altering extends ForwardingEffects {
    Altering(Effects real) {
      super(real);
    }

    @Override
    public void send(String to, Message message) {
      super.send(
          to,
          message instanceof DastMessage.From from
              ? new DastMessage.From(from.incarnation(), (DastMessage) altered(from.body()))
              : altered(message));
    }
  }
}
