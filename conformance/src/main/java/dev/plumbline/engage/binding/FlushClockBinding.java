package dev.plumbline.engage.binding;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Place;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.World;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageMessage;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.TreeCloudlet;
import dev.plumbline.engage.Update;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.engage.system.EngageSystem;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.Deployment;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * How {@code FlushClock} reads in the terms of one cloudlet, and of the news that its broker brings
 * it of updates that others made.
 */
final class FlushClockBinding extends Binding {
  FlushClockBinding(Settings settings) {
    super("FlushClock", "specs/engage", settings);
    names(Shape.set(Shape.PLAIN), "waiting", "done");
    always(EngageConfig.OWN_ENTRY);
    repairs(EngageConfig.HOLD_FLUSH);
    untraced(); // What a cloudlet does with its brokers' news is BrokerCausality's, too.
    probes(Set.of(), Set.of("Execute"));
    given("issued", "what others did");
    given("mine", "which of that is of an object here");
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(asPublished(model), bug);
  }

  /** A cloudlet that makes updates elsewhere: the model's hands. */
  private static final class Source extends Place {
    Source(Object name) {
      super(name, null);
    }
  }

  private final class Machines extends World {
    private static final String SELF = "self";
    private static final String BROKER = "broker";

    /** An object that is replicated here, and one that is not. */
    private static final String MINE = "mine";

    private static final String OTHER = "other";

    private final Deployment deployment;
    private final Group<Source> sources = group((name, n) -> new Source(name));
    private final Group<EngageWorld.Server> cloudlets =
        group((name, n) -> new EngageWorld.Server(name));
    private Layout layout;
    private long messages;

    Machines(SortedSet<String> asPublished, Optional<SeededBug> bug) {
      super(FlushClockBinding.this);
      deployment = EngageWorld.deployment(asPublished, bug);
      function("heard", sources, this::heard, cloudlets);
      function("clock", sources, s -> entry(self().cloudlet().clock(), s), cloudlets);
      variable("waiting", () -> ids(self().cloudlet().waiting()), cloudlets);
      variable("done", () -> ids(self().cloudlet().object(MINE).updates()), cloudlets);
      outside("Issue");
      on("ReceiveUpdate", this::receiveUpdate);
      on("ReceiveFlush", this::receiveFlush);
      on("Execute", this::execute);
    }

    @Override
    protected void open(ObjectNode initial) {
      open(sources, initial.get("issued"));
      open(cloudlets, Values.F.objectNode().put(SELF, 0));
      List<String> others = EngageWorld.names(initial.get("issued"));
      List<String> all = new ArrayList<>(others);
      all.add(SELF);
      List<List<String>> links = all.stream().map(cloudlet -> List.of(cloudlet, BROKER)).toList();
      layout = Layout.of(all, List.of(BROKER), links, Map.of(MINE, all, OTHER, others));
      messages = 0;
      EngageConfig config = new EngageSystem().config(deployment.settings());
      Machine cloudlet = deployment.alone(self().spec, new TreeCloudlet(config, layout, SELF));
      self().start(cloudlet, EngageWorld.NOW);
    }

    private EngageWorld.Server self() {
      return cloudlets.get(SELF);
    }

    private long entry(VectorClock clock, Source of) {
      return layout.words(clock).get(of.name);
    }

    /** What waits was heard of as well. */
    private long heard(Source of) {
      return self().cloudlet().waiting().stream()
          .filter(u -> u.source().equals(of.name))
          .mapToLong(Update::number)
          .reduce(entry(self().cloudlet().heard(), of), Math::max);
    }

    private List<List<Object>> ids(List<Update> updates) {
      return updates.stream().map(u -> List.<Object>of(u.source(), u.number())).toList();
    }

    /** A clock that says n of one source and nothing of others. */
    private VectorClock only(String source, long n) {
      return new VectorClock(
          layout.cloudlets().stream().map(cloudlet -> cloudlet.equals(source) ? n : 0L).toList());
    }

    private void receiveUpdate(ObjectNode p) {
      String s = p.get("s").textValue();
      long n = heard(sources.get(p.get("s"))) + 1;
      Update update = new Update(s, n, MINE, "v", only(s, n));
      VectorClock nothing = only(s, 0);
      give(new EngageMessage.Notification(1, ++messages, update, nothing));
    }

    /** What the flush says of a second source is left out, which {@code ownEntry} does. */
    private void receiveFlush(ObjectNode p) {
      VectorClock says = only(p.get("s").textValue(), p.get("n").longValue());
      give(new EngageMessage.Flush(1, ++messages, says));
    }

    private void execute(ObjectNode p) {
      EngageTimer due =
          new EngageTimer.Execute(p.get("u").get(0).textValue(), p.get("u").get(1).longValue());
      self().fire(due, EngageWorld.NOW);
    }

    private void give(EngageMessage message) {
      self().give(new Input.Deliver(BROKER, message), EngageWorld.NOW);
    }
  }
}
