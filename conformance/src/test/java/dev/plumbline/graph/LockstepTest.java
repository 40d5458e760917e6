package dev.plumbline.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.k2.DataNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.Placement;
import dev.plumbline.k2.Recorder;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.TimestampSource;
import dev.plumbline.k2.system.K2Machines;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Machine;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockstepTest {
  private static final Path ROOT = Path.of("..");
  private static final QuickModels MODELS = new QuickModels(ROOT, Conformance.named("k2"));

  private static QuickModels.Quick model(String check) {
    return MODELS.models(false, List.of(check)).get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mvto-plain", "epoch-real-time"})
  void theMachinesTakeEveryStepOfTheGraphThatItsCheckIsAbout(String check) {
    QuickModels.Quick quick = model(check);
    Lockstep.Outcome o = MODELS.walk(quick, Optional.empty()).orElseThrow().run();
    assertThat(o.difference()).isEmpty();
    assertThat(quick.complete(o.states())).as("%d states", o.states()).isTrue();
    assertThat(o.steps()).isGreaterThan(o.states());
  }

  @ParameterizedTest
  @CsvSource({
    "tb-restart, expired-batch, Assign",
    "tb-lifetime, no-commit-wait, End",
    "mvto-plain, unchecked-write, HandleWrite",
    "mvto-plain, early-finalize, HandleRead",
    "epoch-real-time, early-replica, ReplicaRead"
  })
  void aSeededBugIsCaughtAtItsAction(String check, String name, String action) throws Exception {
    URL[] urls = {ROOT.resolve("impl/bugs/target/classes").toUri().toURL()};
    SeededBug bug =
        Protocols.bugs("k2", new URLClassLoader(urls, getClass().getClassLoader())).stream()
            .filter(b -> b.name().equals(name))
            .findFirst()
            .orElseThrow();
    Lockstep.Outcome o = MODELS.walk(model(check), Optional.of(bug)).orElseThrow().run();
    Difference d = o.difference().orElseThrow();
    assertThat(d.label()).startsWith(action + " ");
    assertThat(d.variables()).isNotEmpty();
  }

  /** Data nodes that do not compare a timestamp with their epoch's end. */
  private static final class EarlyCut extends K2Machines implements SeededBug {
    @Override
    public String protocol() {
      return "k2";
    }

    @Override
    public String name() {
      return "early-cut";
    }

    @Override
    public String description() {
      return "a data node cuts an epoch whatever its timestamp is";
    }

    @Override
    public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
      return machine(node, topology, new K2System().config(settings));
    }

    @Override
    protected DataNode dataNode(
        K2Config config, Placement placement, String role, TimestampSource source, Recorder r) {
      return new DataNode(config, placement, role, source, r) {
        @Override
        protected void cutTimestamp(Timestamp ts, Effects effects) {
          long late = ts.micros() + 2 * config.epochMicros();
          super.cutTimestamp(
              new Timestamp(late, ts.oracle(), ts.coordinator(), ts.incarnation()), effects);
        }
      };
    }
  }

  @Test
  void aNodeThatCutsTooEarlyIsCaught() {
    Lockstep.Outcome o =
        MODELS.walk(model("epoch-cut-untimed"), Optional.of(new EarlyCut())).orElseThrow().run();
    assertThat(o.difference().orElseThrow().variables())
        .extracting(Difference.Variable::name)
        .contains("cut");
  }

  @Test
  void aModelThatNoCheckOfTheQuickLaneHasIsAnError() {
    assertThatThrownBy(() -> MODELS.models(false, List.of("mvto-all-faults")))
        .isInstanceOf(InputError.class);
  }

  /** Else the nightly lane would be the first to say so. */
  @ParameterizedTest
  @ValueSource(strings = {"k2", "dast", "metric", "engage"})
  void everyModelOfTheQuickLaneIsOfAModuleThatHasMachinesOrIsWaived(String protocol) {
    QuickModels models = new QuickModels(ROOT, Conformance.named(protocol));
    assertThat(models.models(true, List.of())).isNotEmpty();
    assertThat(models.waived()).isNotEmpty();
  }

  @Test
  void aModuleWithoutMachinesOrWaiverIsAnErrorAndSoIsAWaiverThatIsNotNeeded(@TempDir Path folder)
      throws IOException {
    Files.createDirectories(folder.resolve("specs/k2"));
    Files.createSymbolicLink(folder.resolve("docs"), ROOT.resolve("docs").toRealPath());
    Path file = folder.resolve("specs/k2/coverage.yaml");
    try (Stream<Path> all = Files.list(ROOT.resolve("specs/k2").toRealPath())) {
      for (Path each : all.toList()) {
        Path link = file.resolveSibling(each.getFileName());
        if (!link.equals(file)) {
          Files.createSymbolicLink(link, each);
        }
      }
    }
    String text = Files.readString(ROOT.resolve("specs/k2/coverage.yaml"));
    Map<String, String> said =
        Map.of(
            "module: MvtoContracts,", "no machines walk the models of [MvtoContracts]",
            "module: Mvto,", "modules are waived that have machines, or no model to walk: [Mvto]");
    for (String waived : said.keySet()) {
      Files.writeString(
          file,
          waived.contains("Contracts")
              ? text.replaceAll(".*" + waived + ".*\n", "")
              : text.replaceFirst("( *- [{])module:", "$1" + waived + " reason: r}\n$1module:"));
      assertThatThrownBy(
              () -> new QuickModels(folder, Conformance.named("k2")).models(true, List.of()))
          .isInstanceOf(InputError.class)
          .hasMessage("lockstep: " + said.get(waived));
    }
  }

  /** An object as machines have them. */
  private static final class Sample {
    private final List<Sample> others = new ArrayList<>();
    private final Map<String, int[]> counts = new TreeMap<>();
    private long number;
    private Object any;
  }

  @Test
  void aMementoPutsEverythingBackAnyNumberOfTimes() {
    Sample inner = new Sample();
    Sample outer = new Sample();
    outer.others.add(inner);
    inner.counts.put("a", new int[] {1});
    inner.number = 7;
    inner.any = outer;
    Memento m = Memento.of(outer);
    for (int i = 0; i < 2; i++) {
      inner.number++;
      inner.counts.get("a")[0] = 2;
      inner.counts.put("b", new int[0]);
      inner.any = null;
      outer.others.clear();
      m.restore();
      assertThat(outer.others).containsExactly(inner);
      assertThat(inner.number).isEqualTo(7);
      assertThat(inner.any).isSameAs(outer);
      assertThat(inner.counts).containsOnlyKeys("a");
      assertThat(inner.counts.get("a")).containsExactly(1);
    }
  }

  @Test
  void aMementoOfSomethingUnknownIsAnError() {
    Sample s = new Sample();
    s.any = new StringBuilder("x");
    assertThatThrownBy(() -> Memento.of(s)).hasMessageContaining("StringBuilder");
  }
}
