package dev.plumbline.dastconf;

import dev.plumbline.dast.Layout;
import dev.plumbline.validate.TraceModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the trace models of DAST's modules share. */
abstract class DastTrace implements TraceModel {
  /** The deployment that the log is of. */
  protected final Layout layout;

  private final String module;
  private final Set<String> asPublished;

  DastTrace(String module, Layout layout, Set<String> asPublished) {
    this.module = module;
    this.layout = layout;
    this.asPublished = asPublished;
  }

  @Override
  public final String module() {
    return module;
  }

  @Override
  public final Path folder() {
    return Path.of("specs/dast");
  }

  /** As {@link #repairs(Set, List, Map)}, for this model's run. */
  protected final List<String> repairs(List<String> always, Map<String, String> replaced) {
    return repairs(asPublished, always, replaced);
  }

  /**
   * The repairs of the machines, sorted by name: some always, others unless the published behaviour
   * that each replaces is switched on.
   */
  static List<String> repairs(
      Set<String> asPublished, List<String> always, Map<String, String> replaced) {
    return Stream.concat(
            always.stream(),
            replaced.entrySet().stream()
                .filter(r -> !asPublished.contains(r.getKey()))
                .map(Map.Entry::getValue))
        .sorted()
        .toList();
  }
}
