package dev.plumbline.engage.binding;

import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Sort;
import dev.plumbline.engage.EngageConfig;
import dev.plumbline.protocol.Settings;
import java.util.Set;

/** What is alike in all modules of ENGAGE that have clients. */
abstract class EngageModule extends Binding {
  static final int ROUND = 16;
  static final Sort CLIENT = Sort.reused("client", "clients", null, ROUND + 8);

  /** What a cloudlet decides by itself. */
  static final Set<String> OWN = Set.of("Execute", "ServeHeld", "FlushTimer");

  EngageModule(String module, Settings settings) {
    super(module, "specs/engage", settings);
    names(CLIENT, "c");
    choice("Apply", "\"in order\"", "\"at once\"", EngageConfig.AT_ONCE);
    choice("SendClocks", "\"first\"", "\"always\"", EngageConfig.CLOCKS_ALWAYS);
    ghost("hist", "what clients saw; no machine keeps it");
  }
}
