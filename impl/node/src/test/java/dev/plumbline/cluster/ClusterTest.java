package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.node.ConfigException;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterTest {
  @TempDir Path folder;

  @Test
  void downEndsOnlyTheProcessesThatWereStarted() throws Exception {
    Process ours = new ProcessBuilder("sleep", "60").start();
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      ClusterState.Proc recorded = ClusterState.Proc.of(ours.pid());
      assertThat(recorded.alive()).isTrue();
      Map<String, ClusterState.Proc> processes = new TreeMap<>();
      processes.put("a", recorded);
      processes.put("b: the number was given to another", new ClusterState.Proc(other.pid(), 1));
      Files.createFile(folder.resolve("cluster.json"));
      Registry registry = new Registry(folder.resolve("registry"));
      assertThat(state(recorded, true, processes).down(folder, registry)).isEqualTo(1);
      assertThat(ours.waitFor()).isNotZero();
      assertThat(other.isAlive()).isTrue();
      assertThat(recorded.alive()).isFalse();
      assertThat(ClusterState.of(folder)).isEmpty();
    } finally {
      ours.destroyForcibly();
      other.destroyForcibly();
    }
  }

  /** As the guard of a database, which would end the one that is started there next. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatItsProcessesStartedIsGoneWithThem(boolean atOnce) throws Exception {
    Process server = new ProcessBuilder("sh", "-c", "sleep 1.5 & wait").start();
    while (server.descendants().findAny().isEmpty()) {
      Thread.sleep(10);
    }
    ClusterState.Proc guard =
        ClusterState.Proc.of(server.descendants().findAny().orElseThrow().pid());
    ClusterState state = state(null, false, Map.of("sql-a", ClusterState.Proc.of(server.pid())));
    if (atOnce) {
      state.clear(folder);
    } else {
      state.down(folder, new Registry(folder.resolve("registry")));
    }
    assertThat(guard.alive()).isFalse();
  }

  @Test
  @EnabledIfSystemProperty(named = "user.name", matches = "root")
  void aMountIsTakenAwayOnceNobodyIsLeftInIt() throws Exception {
    String mount = folder.toString();
    Commands.must(List.of("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount));
    new ProcessBuilder("sleep", "1").directory(folder.toFile()).start();
    assertThat(Commands.succeeds(List.of("umount", mount))).isFalse();
    ClusterState.unmount(mount);
    assertThat(Commands.succeeds(List.of("mountpoint", "-q", mount))).isFalse();
  }

  /** Text has the same hash more often than one thinks. */
  @Test
  void clustersWhoseFoldersHaveOneHashAreTwo() throws IOException {
    Registry registry = new Registry(folder.resolve("registry"));
    for (String name : List.of("run-Aa", "run-BB")) {
      registry.save(folder.resolve(name), state(new ClusterState.Proc(1, 1), true, Map.of()));
    }
    assertThat(registry.all()).hasSize(2);
    registry.forget(folder.resolve("run-Aa"));
    assertThat(registry.all())
        .extracting("folder")
        .containsOnly(folder.resolve("run-BB").toString());
  }

  private ClusterPlan namespaced(String name, Networks.Where where) {
    return plan(name, where, true);
  }

  private ClusterPlan plan(String name, Networks.Where where, boolean traced) {
    ClusterPlan plan = plan(folder.resolve(name));
    return new ClusterPlan(
        plan.protocol(),
        plan.parameters(),
        null,
        plan.folder(),
        plan.cache(),
        plan.registry(),
        where,
        null,
        plan.rtt(),
        false,
        false,
        traced,
        true,
        null,
        null,
        null);
  }

  /** Their names were made of their folders' once, which are alike. */
  @Test
  @EnabledIf("dev.plumbline.cluster.Networks#available")
  void aClusterBesideAnotherTakesNothingOfIt() throws Exception {
    Cluster first = Cluster.prepare(namespaced("k2-1", Networks.namespaces(null)));
    try {
      Cluster.prepare(namespaced("k2-2", Networks.namespaces(null))).release();
      Networks same =
          new Networks(first.networks().tag(), "192.0.2.0/28", List.of("SH"), List.of());
      assertThatThrownBy(() -> Cluster.prepare(namespaced("k2-3", (regions, others) -> same)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("pb" + same.tag());
      for (String region : first.networks().regions()) {
        assertThat(Commands.succeeds(first.networks().inside(region, List.of("true"))))
            .as(region)
            .isTrue();
      }
    } finally {
      first.release();
    }
  }

  /** Each asks the kernel which network is free before the other has taken one. */
  @Test
  @EnabledIf("dev.plumbline.cluster.Networks#available")
  void clustersThatStartAtOnceHaveNetworksOfTheirOwn() throws Exception {
    CyclicBarrier asked = new CyclicBarrier(2);
    List<Future<Cluster>> starting = new ArrayList<>();
    ExecutorService two = Executors.newFixedThreadPool(2);
    for (String name : List.of("a", "b")) {
      starting.add(
          two.submit(
              () -> {
                asked.await();
                return Cluster.prepare(namespaced(name, Networks.namespaces(null)));
              }));
    }
    List<String> networks = new ArrayList<>();
    try {
      for (Future<Cluster> each : starting) {
        networks.add(each.get().networks().network());
      }
      assertThat(networks).hasSize(2).doesNotHaveDuplicates();
    } finally {
      for (Future<Cluster> each : starting) {
        each.get().release();
      }
      two.shutdown();
    }
  }

  /** Sweeps the registry that it is given. */
  static final class Sweeper {
    public static void main(String[] args) throws IOException {
      new Registry(Path.of(args[0])).sweep(false);
    }
  }

  @Test
  @EnabledIf("dev.plumbline.cluster.Networks#available")
  void whatCannotBeTakenAwayIsNotForgotten() throws Exception {
    Registry registry = new Registry(folder.resolve("registry"));
    List<String> none = List.of("setpriv", "--bounding-set", "-all", "--inh-caps", "-all");
    Process other = new ProcessBuilder("setpriv", "--reuid", "65534", "sleep", "60").start();
    Networks networks = Networks.namespaces(null).plan(List.of("A"), List.of());
    ClusterState.Proc dead = new ClusterState.Proc(1, 1);
    for (String what : List.of("process", "network")) {
      boolean process = what.equals("process");
      registry.save(
          folder.resolve(what),
          new ClusterState(
              "k2",
              dead,
              false,
              "shaper",
              process ? null : networks,
              List.of(),
              process ? Map.of("a", ClusterState.Proc.of(other.pid())) : Map.of(),
              Map.of()));
    }
    try {
      networks.up();
      List<String> command = new ArrayList<>(none);
      command.addAll(
          List.of(
              System.getProperty("java.home") + "/bin/java",
              "-cp",
              System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
              Sweeper.class.getName(),
              folder.resolve("registry").toString()));
      Commands.Result swept = Commands.run(command);
      assertThat(swept.exit()).as(swept.out()).isNotZero();
      assertThat(swept.out()).contains("plumb" + networks.tag(), "[" + other.pid() + "]");
      assertThat(registry.all()).hasSize(2);
      assertThat(registry.sweep(false)).hasSize(2);
    } finally {
      networks.down();
      other.destroyForcibly();
    }
  }

  private static ClusterState state(
      ClusterState.Proc owner, boolean finished, Map<String, ClusterState.Proc> processes) {
    return new ClusterState("k2", owner, finished, "shaper", null, List.of(), processes, Map.of());
  }

  private ClusterPlan plan(Path at) {
    ProtocolSystem system = Protocols.named("k2");
    Topology topology =
        system.topology(new Settings(system.clockBounds(), new TreeSet<>(), new TreeMap<>()));
    return ClusterPlan.onLoopback(
        "k2",
        Map.of(),
        at,
        Path.of("target/node").toAbsolutePath(),
        new Registry(folder.resolve("registry")),
        RttProfiles.named("lan", "k2", topology.network()));
  }

  @Test
  void aDeploymentsLatenciesAndLimitsReachTheNodes() throws IOException {
    Map<String, Long> parameters = Map.of("setting", 1L);
    ClusterPlan k2 = plan(folder.resolve("paper"));
    Cluster cluster =
        Cluster.prepare(
            ClusterPlan.onLoopback(
                "engage",
                parameters,
                k2.folder(),
                k2.cache(),
                k2.registry(),
                NodeConfig.of("engage", parameters).topology().network()));
    try {
      NodeConfig edge = NodeConfig.read(cluster.conf("c5"));
      NodeConfig center = NodeConfig.read(cluster.conf("c1"));
      assertThat(edge.upMbps()).isEqualTo(500);
      assertThat(center.upMbps()).isZero();
      assertThat(center.downMbps()).hasSize(12).containsEntry("c16", 1_000L);
      assertThat(center.delayMicros()).containsEntry("c5", 10_000L).containsEntry("b2", 20_000L);
      assertThat(cluster.processes()).hasSize(16);
      assertThat(edge.parameters()).containsKeys("setting", "cluster");
    } finally {
      cluster.release();
    }
  }

  @Test
  void aProcessThatEndedSaysWhatItSaidLast() throws Exception {
    Cluster cluster = Cluster.prepare(plan(folder.resolve("ends")));
    try {
      String process = cluster.processes().keySet().iterator().next();
      Process ended = new ProcessBuilder("true").start();
      ended.waitFor();
      Files.createDirectories(cluster.output(process).getParent());
      Files.writeString(cluster.output(process), "starts\nplumb: no port is free\n\n");
      assertThatThrownBy(() -> cluster.await(Map.of(process, ended)))
          .hasMessageStartingWith(process + " ended (plumb: no port is free); see ");
    } finally {
      cluster.release();
    }
  }

  @Test
  void withoutTheCassandraThatIsAskedForNothingIsLeft() throws IOException {
    int port;
    try (FreePorts ports = new FreePorts()) {
      port = ports.next();
    }
    Path at = folder.resolve("stored");
    ClusterPlan stored = plan(at).withStore(StorePlan.parse("cassandra=127.0.0.1:" + port, folder));
    assertThatThrownBy(() -> Cluster.prepare(stored))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no Cassandra answers at 127.0.0.1:" + port);
    assertThat(ClusterState.of(at)).isEmpty();
  }

  @Test
  void twoInOneFolderAreOneTooMany() throws IOException {
    Cluster first = Cluster.prepare(plan(folder.resolve("one")));
    try {
      assertThatThrownBy(() -> Cluster.prepare(plan(folder.resolve("one"))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a cluster is up in " + folder.resolve("one"));
      assertThat(first.conf("o-SH")).exists();
    } finally {
      first.release();
    }
  }

  @Test
  void nodesLogTheirStepsUnlessThatIsNotWanted() throws IOException {
    for (boolean traced : new boolean[] {true, false}) {
      Cluster cluster = Cluster.prepare(plan("traced-" + traced, null, traced));
      Path conf = folder.resolve("traced-" + traced).resolve("conf");
      for (String node : cluster.nodes().keySet()) {
        String trace = NodeConfig.read(conf.resolve(node + ".yaml")).trace();
        assertThat(trace != null).as(node).isEqualTo(traced);
      }
      cluster.release();
    }
  }

  /** SQL servers take a while, and who stops their start wants no nodes either. */
  @Test
  void untilAllOfAClusterIsThereItEndsWithWhoStartsIt() throws Exception {
    ClusterPlan plan = plan(folder.resolve("more"));
    List<ClusterState> meanwhile = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Cluster.up(
                    plan,
                    cluster -> {
                      meanwhile.add(ClusterState.of(plan.folder()).orElseThrow());
                      throw new IllegalStateException("no server");
                    }))
        .hasMessage("no server");
    assertThat(meanwhile).singleElement().extracting(ClusterState::finished).isEqualTo(false);
    assertThat(meanwhile.get(0).processes().values()).noneMatch(ClusterState.Proc::alive);
    assertThat(plan.registry().all()).isEmpty();
  }

  @Test
  void aFolderThatNeverHeldAClusterIsLeftAlone() throws IOException {
    Path own = Files.createDirectories(folder.resolve("own/data"));
    Files.writeString(own.resolve("precious"), "mine");
    assertThatThrownBy(() -> Cluster.prepare(plan(folder.resolve("own"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no cluster made them");
    assertThat(own.resolve("precious")).hasContent("mine");
    assertThat(folder.resolve("registry")).doesNotExist();
  }

  @Test
  void aFolderOfItsOwnIsEmptiedAndStateIsWrittenBeforeAndGoneAfter() throws IOException {
    Path at = Files.createDirectories(folder.resolve("empty"));
    Registry registry = new Registry(folder.resolve("registry"));
    Cluster first = Cluster.prepare(plan(at));
    assertThat(ClusterState.of(at)).isPresent();
    assertThat(registry.all()).singleElement().extracting("folder").isEqualTo(at.toString());
    assertThat(registry.sweep(true)).as("its owner lives").isEmpty();
    first.release();
    assertThat(registry.all()).isEmpty();
    assertThat(ClusterState.of(at)).isEmpty();
    Files.createDirectories(at.resolve("data/old"));
    Cluster.prepare(plan(at)).release();
    assertThat(at.resolve("data/old")).doesNotExist();
  }

  @Test
  void aSweepTakesWhatADeadRunLeftAndNothingElse() throws Exception {
    Process left = new ProcessBuilder("sleep", "60").start();
    Process other = new ProcessBuilder("sleep", "60").start();
    Process starting = new ProcessBuilder("sleep", "60").start();
    try {
      Registry registry = new Registry(folder.resolve("registry"));
      ClusterState.Proc dead = new ClusterState.Proc(left.pid(), 1);
      ClusterState.Proc alive = ClusterState.Proc.of(starting.pid());
      registry.save(
          folder.resolve("dead"),
          state(dead, false, Map.of("a", ClusterState.Proc.of(left.pid()))));
      registry.save(
          folder.resolve("up"), state(dead, true, Map.of("a", ClusterState.Proc.of(other.pid()))));
      registry.save(folder.resolve("starting"), state(alive, false, Map.of("a", dead)));
      registry.save(folder.resolve("over"), state(dead, true, Map.of("a", dead)));
      assertThat(registry.sweep(false))
          .singleElement()
          .asString()
          .contains(folder.resolve("dead").toString(), "1 processes");
      assertThat(left.waitFor()).isNotZero();
      assertThat(registry.sweep(true)).singleElement().asString().contains("over: 0 processes");
      assertThat(registry.all()).extracting("folder").hasSize(2);
      assertThat(other.isAlive()).isTrue();
      assertThat(starting.isAlive()).isTrue();
    } finally {
      left.destroyForcibly();
      other.destroyForcibly();
      starting.destroyForcibly();
    }
  }

  /** Between the list of files and the look into them; a link to nothing is such a file. */
  @Test
  void aClusterThatGoesMeanwhileIsPassedOver() throws IOException {
    Registry registry = new Registry(folder.resolve("registry"));
    registry.save(folder.resolve("up"), state(new ClusterState.Proc(1, 1), true, Map.of()));
    Files.createSymbolicLink(folder.resolve("registry/gone.json"), folder.resolve("nowhere"));
    assertThat(registry.all()).extracting("folder").containsOnly(folder.resolve("up").toString());
    assertThat(registry.sweep(false)).isEmpty();
    Files.createSymbolicLink(ClusterState.file(folder), folder.resolve("nowhere"));
    assertThat(ClusterState.of(folder)).isEmpty();
  }

  @Test
  void aStateThatIsNoneIsNamed() throws IOException {
    Registry registry = new Registry(folder.resolve("registry"));
    Path written = Files.createDirectories(folder.resolve("registry")).resolve("a.json");
    for (String broken : List.of("", "{\"protocol", "null", "[]", "{}", "{\"folder\": \"x\"}")) {
      Files.writeString(ClusterState.file(folder), broken);
      assertThatThrownBy(() -> ClusterState.of(folder))
          .as(broken)
          .isInstanceOfSatisfying(
              ConfigException.class,
              e ->
                  assertThat(e.describe())
                      .startsWith(ClusterState.file(folder) + ": does not say what runs")
                      .contains("remedy: ")
                      .doesNotContain("REDACTED"));
      Files.writeString(written, broken);
      assertThatThrownBy(registry::all)
          .as(broken)
          .isInstanceOfSatisfying(
              ConfigException.class, e -> assertThat(e.file()).isEqualTo(written.toString()));
    }
  }

  @Test
  void aFolderWithoutAClusterHasNoState() throws IOException {
    assertThat(ClusterState.of(folder)).isEmpty();
  }

  @Test
  void nodesThatMayAllBeDownShareTheirRegionsProcess() {
    assertThat(shared("k2", false))
        .containsEntry("SH", List.of("o-SH", "c-SH", "c-SH2", "dn-SH", "rp-SG"))
        .hasSize(5);
    assertThat(shared("dast", false))
        .as("two replicas of a shard are never down together")
        .containsEntry("r1", List.of("m-r1", "r1s1n1", "r1s2n1"))
        .containsEntry("r1-2", List.of("r1s1n2", "r1s2n2"))
        .containsEntry("r3-3", List.of("r3s1n3", "r3s2n3"))
        .hasSize(9);
    assertThat(shared("dast", false, Map.of("replicas", 5L)))
        .as("two of five may be")
        .containsEntry("r1", List.of("m-r1", "r1s1n1", "r1s1n2", "r1s2n1", "r1s2n2"))
        .containsEntry("r1-3", List.of("r1s1n5", "r1s2n5"))
        .hasSize(9);
    assertThat(shared("metric", false))
        .as("whichever of them are down, their logs have what they acknowledged")
        .containsEntry("S1", List.of("locks", "r-S1", "m-S1"))
        .containsEntry("S2", List.of("r-S2", "m-S2"))
        .hasSize(3);
    assertThat(shared("k2", true)).containsEntry("o-SH", List.of("o-SH")).hasSize(21);
  }

  private static Map<String, List<String>> shared(String protocol, boolean alone) {
    return shared(protocol, alone, Map.of());
  }

  private static Map<String, List<String>> shared(
      String protocol, boolean alone, Map<String, Long> parameters) {
    ProtocolSystem system = Protocols.named(protocol);
    Settings settings =
        new Settings(system.clockBounds(), new TreeSet<>(), new TreeMap<>(parameters));
    return Cluster.shared(system, system.topology(settings), settings, alone);
  }
}
