package ${package}.binding;

import ${package}.Backup;
import ${package}.LogMessage;
import ${package}.Primary;
import ${package}.Transactions;
import ${package}.system.RemoteLogSystem;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.World;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.Outbox;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How {@code RemoteLog} reads in the machines' terms. */
final class RemoteLogBinding extends Binding {
  RemoteLogBinding(Settings settings) {
    super("RemoteLog", "specs/${protocol}", settings);
    constant("Txns", "{}");
    constant("Epochs", "{}");
    always("epochs");
    messages("msgs", "m");
    probes(Set.of("msgs"), Set.of("Run"));
    names(Shape.set(Shape.PLAIN), "answered");
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(bug);
  }

  /** A primary and a backup, with the network in the hands of the specification's actions. */
  private final class Machines extends World {
    private static final ClockReading CLOCK = ClockReading.local(0);

    private final Network network = network("msgs");
    private final Deployment deployment;
    private final TreeSet<String> answered = new TreeSet<>();
    private Place primary;
    private Place backup;

    Machines(Optional<SeededBug> bug) {
      super(RemoteLogBinding.this);
      deployment = Deployment.of(new RemoteLogSystem(), settings, bug);
      on("Restart", this::restart);
      on("Run", p -> run(p.get("t").textValue()));
      on("HandleAsk", p -> deliver(p, backup));
      on("HandleEntry", p -> deliver(p, backup));
      on("HandleState", p -> deliver(p, primary));
      on("HandleHeld", p -> deliver(p, primary));
      variable("epoch", () -> primary().epoch());
      variable("ready", () -> primary().ready());
      variable("log", () -> primary().log());
      variable("known", () -> primary().known());
      variable("answered", () -> answered);
      variable("stored", () -> ((Backup) backup.machine).stored());
      variable("promised", () -> ((Backup) backup.machine).promised());
    }

    @Override
    protected void open(ObjectNode initial) {
      primary = new Place("primary", deployment.owner("primary", 0)) {};
      backup = new Place("backup", deployment.owner("backup", 0)) {};
      primary.machine = deployment.machine(primary.spec);
      backup.start(deployment.machine(backup.spec), CLOCK);
      network.clear();
      answered.clear();
    }

    private Primary primary() {
      return (Primary) primary.machine;
    }

    private void restart(ObjectNode p) {
      primary.starts = p.get("e").intValue() - 1;
      primary.start(deployment.machine(primary.spec), CLOCK);
    }

    private void run(String t) {
      Transactions.Operation o = new Transactions.Operation(Transactions.Kind.APPEND, 1, 1);
      primary.ask(new Transactions.Ask(t, List.of(o)), CLOCK);
    }

    private void deliver(ObjectNode p, Place to) {
      to.deliver(network.get(p.get("m")), CLOCK);
    }

    /**
     * Messages go into the network. Clients may be told of what the primary knows to be stored, and
     * are told of nothing else.
     */
    @Override
    protected void settle() {
      answered.addAll(primary().log().subList(0, primary().known()));
      for (Place place : List.of(primary, backup)) {
        for (Outbox.Sent sent : place.out.take()) {
          network.add(value("m", ((LogMessage) sent.message()).words()), sent);
        }
        for (Record reply : place.out.replies) {
          answered.add(primary().log().get((int) ((Transactions.Answer) reply).place() - 1));
        }
        place.out.replies.clear();
      }
    }
  }
}
