package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.parts.Ending;
import dev.plumbline.parts.Shard;
import dev.plumbline.tlc.Checker.Job;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the machine does to a check is not the model's fault, and the other way round. */
class EnvironmentTest {
  @TempDir Path root;

  @BeforeEach
  void toy() throws IOException {
    ToyWorkspace.copyTo(root);
  }

  private List<Result> run(Board board, String... names) {
    Driver.Options options = new Driver.Options(List.of(names), "quick", true, 2, Shard.WHOLE);
    return new Driver(new Workspace(root), options, board).run();
  }

  private static Board quiet() {
    return new Board(new PrintStream(new ByteArrayOutputStream()), false);
  }

  /**
   * Kills every process that is started after the check was, until one was seen to die of it: what
   * another test left behind is no checking process.
   */
  private static PrintStream killer() {
    return new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8) {
      private final Set<ProcessHandle> before =
          ProcessHandle.current().children().collect(Collectors.toSet());

      @Override
      public void println(String line) {
        if (line.startsWith("  running")) {
          Thread t =
              new Thread(
                  () -> {
                    boolean killed = false;
                    while (!killed) {
                      killed =
                          ProcessHandle.current()
                              .children()
                              .filter(c -> !before.contains(c) && isJava(c))
                              .anyMatch(ProcessHandle::destroyForcibly);
                    }
                  });
          t.setDaemon(true);
          t.start();
        }
      }
    };
  }

  /** A child that has not become another program yet has its parent's command line. */
  private static boolean isJava(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.command().filter(c -> c.endsWith("/java")).isPresent()
        && info.commandLine().isPresent()
        && !info.commandLine().equals(ProcessHandle.current().info().commandLine());
  }

  @Test
  @Timeout(60)
  void aCheckingProcessThatIsKilledIsNoFailureOfTheModel() {
    Result r = run(new Board(killer(), false), "toy/repaired").get(0);
    assertThat(r.verdict()).isEqualTo("environment");
    assertThat(r.message()).contains("was ended by signal 9");
    assertThat(r.failed()).isFalse();
    assertThat(Result.exit(List.of(r))).isEqualTo(3);
    assertThat(Reports.junit(List.of(r))).contains("<error message=").contains("errors=\"1\"");
    assertThat(run(quiet(), "toy/repaired").get(0).verdict()).isEqualTo("holds");
  }

  /** A command that runs one job, and says how the process beside it ended. */
  static final class Command {
    private Command() {}

    public static void main(String[] args) {
      try (Child child = new Child(Path.of(args[0], "checker.err"), 500)) {
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(
                    () -> {
                      child.close();
                      // Others take their time: this command goes on meanwhile.
                      LockSupport.parkNanos(2_000_000_000L);
                    }));
        String module = args[0] + "/Endless.tla";
        String config = args[0] + "/Endless.cfg";
        String log = args[0] + "/endless.log";
        String meta = args[0] + "/endless.meta";
        child.run(
            new Job("endless", module, config, List.of(), log, meta, 1, false, null, 0),
            Child.Span.SHARED,
            p -> {});
      } catch (ChildFailed e) {
        System.out.println(e.getMessage());
      }
    }
  }

  /** Who stops a command ends the process beside it, which says nothing of what it judged. */
  @Test
  @Timeout(60)
  void whatACommandThatIsStoppedDidNotJudgeIsNoOutcome() throws Exception {
    Files.writeString(
        root.resolve("Endless.tla"),
        "---- MODULE Endless ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
            + "====\n");
    Files.writeString(root.resolve("Endless.cfg"), "INIT Init\nNEXT Next\n");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    Process command =
        new ProcessBuilder(java, "-cp", classes, Command.class.getName(), root.toString())
            .redirectErrorStream(true)
            .start();
    while (!Files.exists(root.resolve("endless.log"))) {
      assertThat(command.isAlive()).isTrue();
      Thread.sleep(50);
    }
    command.toHandle().destroy();
    String said = new String(command.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).isEmpty();
    assertThat(command.waitFor()).isEqualTo(143);
  }

  /** Its own codes go up to 255. */
  @Test
  void anApalacheThatIsKilledIsNoFailureOfTheModel() throws ChildFailed {
    Path log = root.resolve("apalache.log");
    assertThat(Apalache.outcome(0, log)).isEqualTo("ok");
    assertThat(Apalache.outcome(12, log)).isEqualTo("invariant");
    assertThat(Apalache.outcome(75, log)).isEqualTo("error");
    assertThat(Apalache.outcome(255, log)).isEqualTo("error");
    assertThatThrownBy(() -> Apalache.outcome(137, log))
        .isInstanceOfSatisfying(ChildFailed.class, e -> assertThat(e.environment()).isTrue())
        .hasMessageContaining("apalache-mc was ended by signal 9");
  }

  @Test
  void aResultThatCannotBeStoredIsNoFailureOfTheModel() throws IOException {
    Path folder = Files.createDirectories(root.resolve(".plumb/run/toy"));
    Files.writeString(folder.resolve("repaired"), "a file where a folder is needed");
    Result r = run(quiet(), "toy/repaired").get(0);
    assertThat(r.verdict()).isEqualTo("environment");
    assertThat(r.message()).contains(".plumb/run/toy/repaired");
  }

  @Test
  void aFolderOfResultsThatCannotBeWrittenIsSaid() throws IOException {
    Files.writeString(root.resolve(".plumb"), "a file where a folder is needed");
    assertThatThrownBy(() -> run(quiet(), "toy/repaired"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(".plumb");
  }

  @Test
  void anErrorInTheUsersJavaIsTheirs() throws IOException {
    ToyWorkspace.edit(
        root, "TwoPhase.tla", "  /\\ m.type = \"decide\"", "  /\\ Deep(m) /\\ m.type = \"decide\"");
    ToyWorkspace.edit(
        root,
        "TwoPhase.tla",
        "\\* The outcome reaches a participant.",
        "RECURSIVE Deep(_)\nDeep(m) == ~Deep(m)\n");
    Result r = run(quiet(), "toy/repaired").get(0);
    assertThat(r.failed()).isTrue();
    assertThat(r.message()).contains("TLC stopped");
    assertThat(Result.exit(List.of(r))).isEqualTo(1);
    assertThat(Ending.exit(List.of(r.part().outcome()))).isEqualTo(1);
  }

  /** Each command works in a folder of its own; the outcomes are whole whoever comes last. */
  @Test
  @Timeout(180)
  void twoCommandsInOneCheckoutDoNotDisturbEachOther() throws Exception {
    String[] names = {"toy/repaired", "toy/not-live"};
    ExecutorService two = Executors.newFixedThreadPool(2);
    try {
      List<Future<List<Result>>> both = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        both.add(two.submit(() -> run(quiet(), names)));
      }
      for (Future<List<Result>> one : both) {
        assertThat(one.get())
            .allSatisfy(r -> assertThat(r.verdict()).as(r.message()).isIn("holds", "violated"));
      }
    } finally {
      two.shutdownNow();
    }
    assertThat(root.resolve(".plumb/work")).isEmptyDirectory();
    assertThat(root.resolve(".plumb/run/toy/repaired/effective.cfg")).isRegularFile();
  }

  @Test
  void whatProcessesThatAreGoneLeftBehindIsDeleted() throws IOException {
    Path left = Files.createDirectories(root.resolve(".plumb/work/999999999-1/toy"));
    Path mine =
        Files.createDirectories(
            root.resolve(".plumb/work/" + ProcessHandle.current().pid() + "-1"));
    Path place = new Workspace(root).place();
    assertThat(left).doesNotExist();
    assertThat(mine).exists();
    assertThat(place).isEmptyDirectory();
  }
}
