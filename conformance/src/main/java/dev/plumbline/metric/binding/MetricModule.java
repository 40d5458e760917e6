package dev.plumbline.metric.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.metric.system.MetricSystem;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is alike in all modules of Metric's processes. */
abstract class MetricModule extends Binding {
  /** The processes of a log, by the numbers that they have in a configuration. */
  static final Set<Integer> PROCESSES = Set.of(1, 2, 3);

  final List<String> tables;

  MetricModule(String module, Settings settings) {
    super(module, "specs/metric", settings);
    tables = new MetricSystem().tables(settings);
    constant("Procs", PROCESSES);
    constant("Timeouts", "TRUE");
    constant("MaxExpiries", 1);
    constant("MaxCrashes", 1);
    Term zero = Term.of(0);
    forgotten("faults", Term.record(Map.of("expiries", zero, "crashes", zero)));
    given("faults", "counts what the environment did");
  }

  @Override
  protected final boolean outside() {
    return new MetricSystem().outside(settings);
  }
}
