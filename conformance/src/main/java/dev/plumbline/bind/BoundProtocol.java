package dev.plumbline.bind;

import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.graph.StateGraph;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.validate.TraceModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A protocol's side of conformance that is its modules' bindings alone. */
public abstract class BoundProtocol implements Conformance {
  private final ProtocolSystem system;
  private final List<Function<Settings, ? extends Binding>> bindings;

  /**
   * @param bindings the main module's first, unless {@link #mainModule} says another
   */
  @SafeVarargs
  protected BoundProtocol(
      ProtocolSystem system, Function<Settings, ? extends Binding>... bindings) {
    this.system = system;
    this.bindings = List.of(bindings);
  }

  private List<? extends Binding> bound(Settings settings) {
    return bindings.stream().map(b -> b.apply(settings)).toList();
  }

  private List<? extends Binding> repaired() {
    return bound(Settings.repaired(system.clockBounds()));
  }

  @Override
  public final String protocol() {
    return system.name();
  }

  @Override
  public final List<TraceModel> traceModels(Settings settings) {
    return List.copyOf(bound(settings).stream().filter(Binding::traced).toList());
  }

  @Override
  public final List<String> untracedModules() {
    return repaired().stream().filter(b -> !b.traced()).map(Binding::module).toList();
  }

  @Override
  public String mainModule() {
    return repaired().get(0).module();
  }

  @Override
  public final Map<String, StateGraph.Probes> corpusModules() {
    Map<String, StateGraph.Probes> modules = new LinkedHashMap<>();
    repaired().forEach(b -> b.corpora().forEach(c -> modules.put(c, b.probes())));
    return modules;
  }

  @Override
  public final Optional<SpecAdapter> adapter(
      String module, Map<String, String> constants, Optional<SeededBug> bug) {
    return repaired().stream()
        .filter(b -> b.module().equals(module))
        .findFirst()
        .map(b -> b.machines(new Constants(constants), bug));
  }
}
