package dev.plumbline.engage.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.bind.Shape;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.engage.EngageTimer;
import dev.plumbline.engage.Layout;
import dev.plumbline.engage.MeshCloudlet;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.Values;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/** How {@code SessionGuarantees} reads in the terms of cloudlets without brokers, and clients. */
final class SessionGuaranteesBinding extends EngageModule {
  SessionGuaranteesBinding(Settings settings) {
    super("SessionGuarantees", settings);
    names(Shape.set(Shape.PLAIN), "g", "waiting", "held");
    choice("FlushCarries", "\"own\"", "\"state\"", EngageConfig.FLUSH_STATE);
    repairs(EngageConfig.SESSION_REPAIRS.toArray(String[]::new));
    untraced(); // Runs have brokers.
    probes(Set.of(), OWN);
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new Machines(asPublished(model), bug);
  }

  private final class Machines extends EngageWorld {
    Machines(SortedSet<String> asPublished, Optional<SeededBug> bug) {
      super(SessionGuaranteesBinding.this, asPublished, bug);
      variable("channel", this::channels);
      function("flushed", cloudlets, c -> layout.words(((MeshCloudlet) c.machine).flushed()));
      on("Receive", p -> hand(cloudlets.get(p.get("j")), cloudlets.get(p.get("i"))));
      on("FlushTimer", p -> cloudlets.get(p.get("i")).fire(new EngageTimer.FlushDue(""), NOW));
    }

    @Override
    protected void open(ObjectNode initial) {
      List<String> names = names(initial.get("clock"));
      List<List<String>> links = new ArrayList<>();
      names.forEach(name -> links.add(List.of(name, "none")));
      layout = Layout.of(names, List.of("none"), links, placement(initial.get("store")));
      begin(initial, edges(initial.get("channel")));
    }

    @Override
    Machine machine(String name) {
      return new MeshCloudlet(config, layout, name);
    }

    @Override
    protected void settle() {
      cloudlets.all().forEach(this::take);
    }

    private JsonNode channels() {
      ObjectNode channels = Values.F.objectNode();
      wires.forEach((pair, wire) -> channels.set(pair, under(wire)));
      return channels;
    }
  }
}
