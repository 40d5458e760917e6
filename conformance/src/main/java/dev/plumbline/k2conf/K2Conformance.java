package dev.plumbline.k2conf;

import dev.plumbline.graph.Conformance;
import dev.plumbline.validate.TraceModel;
import java.util.List;
import java.util.Set;

/** K2's side of conformance. */
public final class K2Conformance implements Conformance {
  @Override
  public String protocol() {
    return "k2";
  }

  @Override
  public List<TraceModel> traceModels(Set<String> unrepaired) {
    return List.of(new MvtoTrace(unrepaired));
  }
}
