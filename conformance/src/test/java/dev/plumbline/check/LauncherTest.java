package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher {@code plumb}: what it starts, wherever it lies. */
class LauncherTest {
  private static final Path LAUNCHER = Path.of("../plumb");

  @TempDir Path temp;

  /** A built project in a folder of this name, whose Java says what it is asked to do. */
  private List<String> launched(String folder, String... command)
      throws IOException, InterruptedException {
    return said(started(built(folder), command));
  }

  private static List<String> said(Process process) throws IOException, InterruptedException {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return List.of(said.split("\0"));
  }

  private Path built(String folder) throws IOException {
    Path root = Files.createDirectories(temp.resolve(folder)).toRealPath();
    Path plumb = Files.copy(LAUNCHER, root.resolve("plumb"), StandardCopyOption.REPLACE_EXISTING);
    plumb.toFile().setExecutable(true);
    for (String file :
        List.of(
            "pom.xml", "impl/pom.xml", "impl/node/pom.xml", "conformance/target/classpath.txt")) {
      Files.createDirectories(root.resolve(file).getParent());
      Files.writeString(root.resolve(file), file.endsWith("txt") ? "some.jar" : "");
    }
    Files.createDirectories(root.resolve("impl/src/main"));
    Files.createDirectories(root.resolve("impl/node/src/main"));
    Path java = root.resolve("jdk/bin/java");
    Files.createDirectories(java.getParent());
    Files.writeString(
        java,
        """
        #!/bin/sh
        case "$*" in *.Compile*) sleep 1; echo compiled; exit;; esac
        for a in "$@" "$PLUMB_ROOT" "project $PLUMB_PROJECT"; do printf '%s\\0' "$a"; done
        """);
    java.toFile().setExecutable(true);
    Files.createDirectories(root.resolve(".plumb/build"));
    Files.writeString(root.resolve(".plumb/build/stamp"), "");
    Files.writeString(root.resolve(".plumb/build/check.args"), "");
    return root;
  }

  /** Maven catches the signal of a terminal, and ends with its number. */
  @ParameterizedTest
  @CsvSource({"130, the build was stopped", "143, the build was stopped", "137, the build failed"})
  void aBuildThatIsStoppedHasNotFailed(int exit, String said) throws Exception {
    Path root = built("stopped");
    Files.delete(root.resolve(".plumb/build/stamp"));
    Path maven = root.resolve("jdk/bin/mvn");
    Files.writeString(maven, "#!/bin/sh\nexit " + exit + "\n");
    maven.toFile().setExecutable(true);
    Process process = started(root, "check");
    String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(all).contains(said);
    assertThat(process.waitFor()).isEqualTo(exit == 137 ? 3 : exit);
  }

  @Test
  void aJavaHomeWithoutJavaIsNamed() throws Exception {
    Path root = built("no java");
    Files.delete(root.resolve("jdk/bin/java"));
    Process process = started(root, "check");
    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("there is no " + root.resolve("jdk/bin/java") + ": correct JAVA_HOME");
    assertThat(process.waitFor()).isEqualTo(3);
  }

  private static Process started(Path root, String... command) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(root.resolve("plumb").toString()));
    arguments.addAll(List.of(command));
    ProcessBuilder p = new ProcessBuilder(arguments);
    Map<String, String> environment = p.environment();
    environment.put("JAVA_HOME", root.resolve("jdk").toString());
    environment.put("PATH", root.resolve("jdk/bin") + ":" + environment.get("PATH"));
    return p.redirectErrorStream(true).start();
  }

  @Test
  void aFolderMayHaveAnyName() throws Exception {
    for (String folder : List.of("plain", "it's \"quoted\"", "two\nlines", "$(exit 1) `x` * \\")) {
      List<String> arguments = launched(folder, "check", "a b");
      String root = temp.toRealPath().resolve(folder).toString();
      assertThat(arguments).endsWith("dev.plumbline.cli.Main", "check", "a b", root, "project ");
      assertThat(arguments)
          .contains(root + "/conformance/target/classes:" + root + "/impl/target/classes:some.jar");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', 'C.UTF-8'",
    "POSIX, C.UTF-8, C.UTF-8",
    "'', en_US.ISO-8859-1, C.UTF-8",
    "'', de_DE.utf8, ''",
    "C.UTF-8, POSIX, C.UTF-8"
  })
  void whatIsPrintedIsUtf8WhateverTheLocale(String all, String lang, String meant)
      throws Exception {
    Path root = built("plain");
    Files.writeString(root.resolve("jdk/bin/java"), "#!/bin/sh\nprintf %s \"<$LC_ALL>\"\n");
    ProcessBuilder p = new ProcessBuilder(root.resolve("plumb").toString(), "check");
    Map<String, String> environment = p.environment();
    environment.keySet().removeIf(k -> k.startsWith("LC_"));
    environment.putAll(
        Map.of("JAVA_HOME", root.resolve("jdk").toString(), "LC_ALL", all, "LANG", lang));
    assertThat(said(p.redirectErrorStream(true).start())).containsExactly("<" + meant + ">");
  }

  /** What is printed to be typed names the project as its user did. */
  @Test
  void aProjectKeepsItsName() throws Exception {
    Files.createDirectories(temp.resolve("tool/of mine/src"));
    String named = temp.resolve("tool") + "/./of mine";
    assertThat(launched("tool", "--project", named, "verify"))
        .endsWith(
            "verify", temp.toRealPath().resolve("tool/of mine").toString(), "project " + named);
  }

  /** As where only a specification is there yet; the second command finds the first one's mark. */
  @Test
  void aProjectNeedsNoJava() throws Exception {
    Files.createDirectories(temp.resolve("mine"));
    Path root = built("tool");
    String[] command = {"--project", temp.resolve("mine").toString(), "verify"};
    said(started(root, command));
    assertThat(said(started(root, command))).noneMatch(word -> word.contains("No such file"));
  }

  /** The second command waits for the first one's compiler, and finds its work done. */
  @Test
  void twoCommandsCompileAProjectOnce() throws Exception {
    Files.createDirectories(temp.resolve("mine/src"));
    String[] command = {"--project", temp.resolve("mine").toString(), "verify"};
    Path root = built("tool");
    Process first = started(root, command);
    Process second = started(root, command);
    List<String> all = new ArrayList<>(said(first));
    all.addAll(said(second));
    assertThat(all).filteredOn(word -> word.startsWith("compiled")).hasSize(1);
  }

  @Test
  void whoWaitsForTheBuildOfAnotherCommandSaysSo() throws Exception {
    Path root = built("twice");
    Files.delete(root.resolve(".plumb/build/stamp"));
    Path maven = root.resolve("jdk/bin/mvn");
    Files.writeString(maven, "#!/bin/sh\nsleep 2\n");
    maven.toFile().setExecutable(true);
    Process first = started(root, "check");
    Process second = started(root, "check");
    String all = String.join(" ", said(first)) + String.join(" ", said(second));
    assertThat(all).containsOnlyOnce("plumb: building");
    assertThat(all).containsOnlyOnce("plumb: waiting for the build that another command has begun");
  }

  /** As a service manager or {@code timeout} stops it; Ctrl-C reaches Maven as well. */
  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void whoStopsTheLauncherAloneStopsMavenToo(String signal, int exit) throws Exception {
    assumeFalse(
        signal.equals("INT") && interruptsAreIgnored(),
        "what starts in the background of a script is deaf to SIGINT, and a shell cannot change it");
    Path root = built("alone");
    Files.delete(root.resolve(".plumb/build/stamp"));
    Path maven = root.resolve("jdk/bin/mvn");
    Path pid = root.resolve("maven.pid");
    Files.writeString(maven, "#!/bin/sh\necho $$ >" + pid + "\nexec sleep 60\n");
    maven.toFile().setExecutable(true);
    demandStopped(started(root, "check"), pid, signal, exit);
  }

  /** Java ends with a code where a signal ends it, and a shell goes on after that. */
  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void whoStopsTheLauncherStopsWhatMakesArchivesToo(String signal, int exit) throws Exception {
    assumeFalse(
        signal.equals("INT") && interruptsAreIgnored(),
        "what starts in the background of a script is deaf to SIGINT, and a shell cannot change it");
    Path root = built("archives");
    Files.delete(root.resolve(".plumb/build/stamp"));
    Path maven = root.resolve("jdk/bin/mvn");
    Files.writeString(maven, "#!/bin/sh\n");
    maven.toFile().setExecutable(true);
    Path pid = root.resolve("java.pid");
    Files.writeString(
        root.resolve("jdk/bin/java"),
        """
        #!/bin/sh
        case "$*" in
          *.Prepare*) ;;
          *.Launch*) exit ;;
          *) echo it went on; exit ;;
        esac
        trap 'kill $!; exit 130' INT
        trap 'kill $!; exit 143' TERM
        sleep 60 &
        echo $$ >%s
        wait
        """
            .formatted(pid));
    demandStopped(started(root, "check"), pid, signal, exit);
  }

  /** Sends the signal to the launcher, and Ctrl-C to what it has started as well. */
  private static void demandStopped(Process launcher, Path pid, String signal, int exit)
      throws IOException, InterruptedException {
    while (!Files.exists(pid) || Files.readString(pid).isBlank()) {
      Thread.sleep(20);
    }
    ProcessHandle begun =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    try {
      List<String> kill = new ArrayList<>(List.of("kill", "-" + signal, "" + launcher.pid()));
      if (signal.equals("INT")) {
        kill.add("" + begun.pid());
      }
      new ProcessBuilder(kill).start().waitFor();
      assertThat(launcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .endsWith("plumb: the build was stopped\n");
      assertThat(launcher.exitValue()).isEqualTo(exit);
      assertThat(begun.isAlive()).isFalse();
    } finally {
      begun.destroyForcibly();
    }
  }

  private static boolean interruptsAreIgnored() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.isReadable(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+")[1], 16) & 1 << 1) != 0);
  }

  /** Other commands compute by themselves, and hand their class path on. */
  @Test
  void onlyTheCommandThatWaitsForOthersIsCompiledLightly() throws Exception {
    String options = "@" + temp.toRealPath().resolve("light/.plumb/build/check.args");
    assertThat(launched("light", "check")).contains("-XX:TieredStopAtLevel=1", options);
    assertThat(launched("light", "simulate")).doesNotContain("-XX:TieredStopAtLevel=1", options);
  }

  @Test
  void itEvaluatesNothingWritesNoJsonAndNamesNoProtocol() throws IOException {
    String text = Files.readString(LAUNCHER);
    assertThat(text).doesNotContain("eval ", "{\"", "coproc");
    try (Stream<Path> specs = Files.list(Path.of("../specs"))) {
      for (Path folder : specs.filter(f -> Files.exists(f.resolve("checks.yaml"))).toList()) {
        assertThat(text)
            .doesNotContainPattern(
                "(?i)\\b" + Pattern.quote(folder.getFileName().toString()) + "\\b");
      }
    }
  }

  @Test
  void anOptionOfCheckingProcessesKeepsItsCharacters() {
    assertThat(Prepare.quoted("a \"b\" \\c")).isEqualTo("\"a \\\"b\\\" \\\\c\"");
  }

  @Test
  void foldersOfTheClassPathBecomeJars() throws IOException {
    Path classes = Files.createDirectories(temp.resolve("classes/p"));
    Files.writeString(classes.resolve("A.class"), "x");
    String jars = Prepare.jars(classes.getParent() + ":some.jar", temp);
    assertThat(jars).isEqualTo(temp.resolve("0.jar") + ":some.jar");
    try (java.util.zip.ZipFile zip = new java.util.zip.ZipFile(temp.resolve("0.jar").toFile())) {
      assertThat(zip.getEntry("p/A.class")).isNotNull();
    }
  }
}
