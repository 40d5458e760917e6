package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Compile;
import dev.plumbline.graph.Conformance;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class NewCommandTest {
  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  @TempDir Path temp;
  private final StringWriter said = new StringWriter();

  private int plumb(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(said));
    line.setErr(new PrintWriter(said));
    return line.execute(arguments);
  }

  /** A command of a project, as the launcher starts it; what it prints goes to {@link #said}. */
  private int plumbIn(Path project, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-Xss8m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                project.resolve("target/classes") + File.pathSeparator + CLASS_PATH,
                Main.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PLUMB_ROOT", project.toString());
    builder.environment().put("PLUMB_CALLER_DIR", project.toString());
    builder.environment().put("PLUMB_PROJECT", project.toString());
    builder.environment().put("PLUMB_TLC_HEAP_MB", "600");
    Process process = builder.start();
    said.write(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  @Test
  void aNewProtocolHoldsAtOnceAndItsBugIsCaught() throws Exception {
    assertThat(plumb("new", "tiny", "--dir", temp.toString(), "--package", "org.example.tiny"))
        .as(said.toString())
        .isZero();
    try (Stream<Path> files = Files.walk(temp)) {
      List<Path> all = files.filter(Files::isRegularFile).map(temp::relativize).toList();
      assertThat(said.toString()).contains("written: " + all.size() + " files");
      assertThat(said.toString().lines()).containsAll(all.stream().map(f -> "  " + f).toList());
    }
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();

    assertThat(plumbIn(temp, "verify", "tiny")).as(said.toString()).isZero();
    assertThat(said.toString())
        .contains("all that ran holds", "tiny RemoteLog: 513 states", "in lockstep: 513 states");
    assertThat(plumbIn(temp, "bugs", "tiny")).as(said.toString()).isZero();
    assertThat(said.toString()).contains("early-answer: ", "replay (RemoteLog)");
    assertThat(plumbIn(temp, "audit", "tiny")).as(said.toString()).isZero();
    assertThat(said.toString()).doesNotContain("of files");
    Path machine = temp.resolve("src/main/java/org/example/tiny/Backup.java");
    String handlers = Files.readString(machine);
    Files.writeString(machine, handlers.replace("RemoteLog.HandleEntry", "RemoteLog.HandleEntri"));
    plumbIn(temp, "audit", "tiny");
    assertThat(said.toString()).contains("gone: TINY-ORDER handler RemoteLog.HandleEntry");
    Files.writeString(machine, handlers);

    // The same guard taken out of the specification: what must hold fails.
    Path module = temp.resolve("specs/tiny/RemoteLog.tla");
    String text = Files.readString(module);
    Files.writeString(
        module, text.replace("/\\ \"epochs\" \\in Repairs => m.epoch = promised", "/\\ TRUE"));
    assertThat(Files.readString(module)).isNotEqualTo(text);
    assertThat(plumbIn(temp, "check", "tiny/log-holds")).as(said.toString()).isEqualTo(1);
    String plumb = "./plumb --project " + temp;
    assertThat(said.toString())
        .contains("next: " + plumb + " verify tiny", "== " + plumb + " check --lane quick tiny")
        .contains("see it: " + plumb + " explain tiny/log-holds")
        .doesNotContainPattern("\\./plumb (?!--project)");
  }

  /** As where the disk is full: half a protocol would be refused the next time. */
  @Test
  void whatCannotBeWrittenWholeIsTakenAway() throws Exception {
    Path inTheWay = Files.writeString(temp.resolve("docs"), "mine");
    assertThat(plumb("new", "tiny", "--dir", temp.toString())).isEqualTo(2);
    assertThat(said.toString()).contains("there is a file where a folder is needed");
    try (Stream<Path> files = Files.walk(temp)) {
      assertThat(files.filter(Files::isRegularFile)).containsExactly(inTheWay);
    }
    Files.delete(inTheWay);
    assertThat(plumb("new", "tiny", "--dir", temp.toString())).as(said.toString()).isZero();
  }

  @Test
  void aServiceIsALineOfItsOwn() throws Exception {
    Path services = temp.resolve("src/main/resources/META-INF/services");
    Path file = services.resolve("dev.plumbline.protocol.ProtocolSystem");
    Files.createDirectories(services);
    Files.writeString(file, "org.example.Other");
    assertThat(plumb("new", "tiny", "--dir", temp.toString())).as(said.toString()).isZero();
    assertThat(Files.readAllLines(file))
        .containsExactly("org.example.Other", "tiny.system.RemoteLogSystem");
  }

  private void edit(String file, String from, String to) throws IOException {
    Path path = temp.resolve(file);
    String text = Files.readString(path);
    assertThat(text).contains(from);
    Files.writeString(path, text.replace(from, to));
  }

  private void refusedIn(Path project, String... arguments) throws Exception {
    said.getBuffer().setLength(0);
    assertThat(plumbIn(project, arguments)).as(said.toString()).isEqualTo(2);
    assertThat(said.toString()).doesNotContain("\tat ");
  }

  @Test
  void whatIsWrongInAProjectIsSaidWithItsPlace() throws Exception {
    assertThat(plumb("new", "tiny", "--dir", temp.toString())).as(said.toString()).isZero();
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();

    edit("src/bugs/resources/bugs/tiny.csv", "early-answer |", "\nearly-answer |");
    refusedIn(temp, "bugs", "tiny");
    assertThat(said.toString()).contains("bugs/tiny.csv:1: 1 field", "| workload |");
    edit("src/bugs/resources/bugs/tiny.csv", "\n", "");

    String binding = "src/main/java/tiny/binding/RemoteLogBinding.java";
    edit(binding, "constant(\"Txns\"", "constant(\"Txnz\"");
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();
    refusedIn(temp, "replay", "tiny");
    assertThat(said.toString()).contains("the constant \"Txnz\"", "did you mean Txns?");
    edit(binding, "constant(\"Txnz\"", "constant(\"Txns\"");
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();

    String trace = "specs/tiny/TraceRemoteLog.tla";
    edit(trace, "EXTENDS", "EXTENDS Nowhere,");
    assertThat(plumbIn(temp, "simulate", "tiny", "--seeds", "1", "--txns", "20")).isEqualTo(4);
    assertThat(said.toString()).contains("traces: RemoteLog cannot tell: seed 1: ", "Nowhere");
    edit(trace, "EXTENDS Nowhere,", "EXTENDS");

    String conformance = "src/main/java/tiny/binding/RemoteLogConformance.java";
    edit(conformance, ", RemoteLogBinding::new", "");
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();
    for (String command : List.of("corpus", "replay", "coverage")) {
      assertThat(plumbIn(temp, command, "tiny")).as(command).isEqualTo(1);
    }
    edit(conformance, "RemoteLogSystem()", "RemoteLogSystem(), RemoteLogBinding::new");
    assertThat(Compile.compile(temp, CLASS_PATH)).isZero();

    String bugs = "META-INF/services/dev.plumbline.protocol.SeededBug";
    edit("target/bugs/" + bugs, "EarlyAnswer", "EarlyAnswr");
    refusedIn(temp, "bugs", "tiny");
    assertThat(said.toString()).contains(bugs + ":1: there is no class", "EarlyAnswr");

    String ties = "META-INF/services/dev.plumbline.graph.Conformance";
    edit("target/classes/" + ties, "RemoteLogConf", "RemoteLogCnf");
    for (String command : List.of("replay", "verify")) {
      refusedIn(temp, command, "tiny");
      assertThat(said.toString()).contains(ties + ":1: there is no class", "RemoteLogCnf");
    }
    Files.delete(temp.resolve("target/classes").resolve(ties));
    refusedIn(temp, "replay", "tiny");
    assertThat(said.toString()).contains("remedy: ", ties).doesNotContain("name one of");

    String systems = "META-INF/services/dev.plumbline.protocol.ProtocolSystem";
    edit("target/classes/" + systems, "RemoteLogSystem", "RemoteLogSytem");
    for (String command : List.of("simulate", "verify")) {
      refusedIn(temp, command, "tiny");
      assertThat(said.toString()).contains(systems + ":1: there is no class", "RemoteLogSytem");
    }
  }

  @Test
  void insideARepositoryItIsRegisteredBesideTheOthersAndHolds() throws Exception {
    Path services =
        temp.resolve("conformance/src/main/resources/META-INF/services")
            .resolve("dev.plumbline.graph.Conformance");
    Files.createDirectories(services.getParent());
    String other = Conformance.all().get(0).getClass().getName();
    Files.writeString(services, other + "\n");

    assertThat(plumbIn(temp, "new", "tiny")).as(said.toString()).isZero();
    assertThat(services).hasContent(other + "\ndev.plumbline.tiny.binding.RemoteLogConformance\n");
    assertThat(temp.resolve("impl/src/main/java/dev/plumbline/tiny/Backup.java")).exists();
    assertThat(temp.resolve("impl/bugs/src/main/resources/bugs/tiny.csv")).exists();
    assertThat(temp.resolve(".gitignore")).doesNotExist();

    // As Maven would, into one folder: machines, system, binding.
    compile("impl/src/main", "conformance/src/main");
    assertThat(plumbIn(temp, "corpus", "tiny")).as(said.toString()).isZero();
    assertThat(plumbIn(temp, "replay", "tiny")).as(said.toString()).isZero();
    assertThat(said.toString()).contains("tiny RemoteLog: 513 states", "steps/s: holds");
    assertThat(plumbIn(temp, "audit", "tiny")).as(said.toString()).isZero();
    assertThat(said.toString()).contains("check log-holds: no result").doesNotContain("of files");

    // All properties of its checks state the claim, of which not all are recorded.
    Path claims = temp.resolve("specs/tiny/claims.yaml");
    Files.writeString(
        claims, Files.readString(claims).replace("stated: [AnsweredInv]", "stated: all"));
    plumbIn(temp, "audit", "tiny");
    assertThat(said.toString()).contains("not recorded: TINY-ANSWERED property AgreeInv");
  }

  private void compile(String... parts) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("-nowarn", "-parameters", "-d", temp.resolve("target/classes").toString()));
    command.addAll(List.of("-cp", CLASS_PATH));
    for (String part : parts) {
      try (Stream<Path> files = Files.walk(temp.resolve(part))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path resources = temp.resolve(part).resolve("resources");
          if (file.toString().endsWith(".java")) {
            command.add(file.toString());
          } else if (file.startsWith(resources)) {
            Path to = temp.resolve("target/classes").resolve(resources.relativize(file));
            Files.createDirectories(to.getParent());
            Files.copy(file, to);
          }
        }
      }
    }
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, command.toArray(String[]::new)))
        .isZero();
  }

  @Test
  void namesThatAreTakenOrImpossibleAreRefused() throws IOException {
    String taken = new ProtocolNames().iterator().next();
    for (String name : List.of(taken, "Two-Words", "class", "../x", "", "a".repeat(300))) {
      assertThat(plumb("new", name, "--dir", temp.toString())).as(name).isEqualTo(2);
    }
    assertThat(plumb("new", "tiny", "--dir", temp.toString(), "--package", "a..b")).isEqualTo(2);
    assertThat(said.toString())
        .contains("\"class\" is a keyword of Java", "\"a..b\" is no Java package");
    assertThat(plumb("new", "tiny", "--dir", temp.toString(), "--package", "a.int.b")).isEqualTo(2);
    assertThat(said.toString()).contains("\"int\" is a keyword of Java");
    assertThat(plumb("new", "java", "--dir", temp.toString())).isEqualTo(2);
    assertThat(said.toString()).contains("the package java is Java's own");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void aWordOfSharedCodeIsRefusedInsideARepository() throws Exception {
    Path shared = temp.resolve("conformance/src/main/java/dev/plumbline/parts/Ledger.java");
    Files.createDirectories(shared.getParent());
    Files.writeString(shared, "package dev.plumbline.parts;\n\nclass Ledger {}\n");
    refusedIn(temp, "new", "ledger");
    assertThat(said.toString())
        .contains("Ledger.java:3: \"ledger\" is a word of shared code", "--dir DIR");
    assertThat(temp.resolve("specs")).doesNotExist();
    assertThat(plumbIn(temp, "new", "tiny")).as(said.toString()).isZero();
  }

  @Test
  void noFileIsOverwritten() throws IOException {
    Path mine = Files.writeString(temp.resolve(".gitignore"), "mine");
    assertThat(plumb("new", "tiny", "--dir", temp.toString())).isEqualTo(2);
    assertThat(said.toString()).contains(".gitignore: there is such a file");
    assertThat(mine).hasContent("mine");
    try (Stream<Path> files = Files.list(temp)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void codeThatDoesNotCompileIsSaidWithItsLine() throws IOException {
    Path file = temp.resolve("src/main/java/Wrong.java");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "class Wrong { int x = \"\"; }");
    assertThat(Compile.compile(temp, CLASS_PATH)).isEqualTo(2);
  }
}
