package dev.plumbline.cli;

import dev.plumbline.check.ToolCommand;
import dev.plumbline.check.Workspace;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.lang.model.SourceVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./plumb new}: a small working protocol to start one's own from. */
@Command(
    name = "new",
    mixinStandardHelpOptions = true,
    description = {
      "Writes a small protocol that works: a specification with its checks, one of which must fail,"
          + " machines, what ties the two together, and a seeded bug. It holds at once in"
          + " ./plumb verify NAME. docs/new-protocol.md goes on from there.",
      "Without --dir it becomes a part of this repository; with --dir a project of its own, for"
          + " which commands are ./plumb --project DIR …. No file is overwritten."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the protocol is written",
      "2:bad usage or input",
      "3:the environment lacks something, or plumb itself broke"
    })
public final class NewCommand implements Callable<Integer> {
  private static final int LONGEST = 64;
  private static final String SERVICES = "resources/META-INF/services/";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", description = "Its name in commands: letters and digits.")
  private String name;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the project begins; it is made if it is not there.")
  private Path dir;

  @Option(
      names = "--package",
      paramLabel = "PACKAGE",
      description = "Its Java package: NAME with --dir, dev.plumbline.NAME without.")
  private String javaPackage;

  /** Where the parts of a protocol lie. */
  private record Layout(
      Path root, String machines, String system, String binding, String bugs, String bugData) {
    static Layout here(Path root) {
      return new Layout(
          root,
          "impl/src/main/",
          "impl/src/main/",
          "conformance/src/main/",
          "impl/bugs/src/main/",
          "impl/bugs/src/main/resources/bugs/");
    }

    static Layout own(Path root) {
      return new Layout(
          root, "src/main/", "src/main/", "src/main/", "src/bugs/", "src/bugs/resources/bugs/");
    }
  }

  @Override
  public Integer call() throws IOException {
    if (!name.matches("[a-z][a-z0-9]*")) {
      throw new InputError(
          "",
          0,
          "\"" + name + "\" names no protocol",
          "use small letters and digits, a letter first");
    }
    demandShort(name);
    if (Protocols.all().stream().map(ProtocolSystem::name).anyMatch(name::equals)) {
      throw new InputError("", 0, "there is a protocol " + name, "choose another name");
    }
    String base = javaPackage != null ? javaPackage : dir == null ? "dev.plumbline." + name : name;
    demandPackage(base);
    Layout layout =
        dir == null
            ? Layout.here(Workspace.here().root())
            : Layout.own(Places.fromCaller(dir).toAbsolutePath().normalize());
    if (dir == null) {
      demandUnused(layout.root());
    }
    Map<String, String> files = files(layout, base);
    for (String file : files.keySet()) {
      if (Files.exists(layout.root().resolve(file))) {
        throw new InputError(
            layout.root().resolve(file).toString(),
            0,
            "there is such a file",
            "choose another name, or an empty folder");
      }
    }
    Map<String, String> services = services(layout, base);
    Map<Path, String> registered = new LinkedHashMap<>();
    for (String service : services.keySet()) {
      Path file = layout.root().resolve(service);
      registered.put(file, Files.exists(file) ? Files.readString(file) : "");
    }
    try {
      files.forEach((file, text) -> Workspace.writeWhole(layout.root().resolve(file), text));
      services.forEach(
          (service, type) -> {
            Path file = layout.root().resolve(service);
            Workspace.writeWhole(file, lines(registered.get(file)) + type + "\n");
          });
    } catch (UncheckedIOException e) {
      undo(layout.root(), files.keySet(), registered);
      throw e;
    }
    PrintWriter out = spec.commandLine().getOut();
    List<String> written = new ArrayList<>(files.keySet());
    written.addAll(services.keySet());
    written.forEach(file -> out.println("  " + file));
    String project = dir == null ? "" : dir.toString();
    out.println("written: " + written.size() + " files in " + layout.root());
    out.println("next: " + ToolCommand.line(project, "verify " + name));
    out.println("      " + ToolCommand.line(project, "bugs " + name));
    out.flush();
    return 0;
  }

  /** Here no shared code may have the name: a test of this repository asks. */
  private void demandUnused(Path root) throws IOException {
    List<String> wings = new ArrayList<>();
    Protocols.all().forEach(p -> wings.add(p.name()));
    List<SharedCode.Naming> used = SharedCode.namings(root, SharedCode.PARTS, wings, List.of(name));
    if (!used.isEmpty()) {
      SharedCode.Naming first = used.get(0);
      throw new InputError(
          root.resolve(first.file()).toString(),
          first.line(),
          "\"" + name + "\" is a word of shared code (lines with it: " + used.size() + ")",
          "choose another name, or --dir DIR for a project of its own");
    }
  }

  /** Names of folders and files are made of it. */
  private static void demandShort(String word) {
    if (word.length() > LONGEST) {
      throw new InputError(
          "",
          0,
          "a name of " + word.length() + " letters is too long for a file's",
          "choose one of at most " + LONGEST);
    }
  }

  private static void demandPackage(String base) {
    for (String word : base.split("\\.", -1)) {
      demandShort(word);
      if (SourceVersion.isKeyword(word)) {
        throw new InputError(
            "", 0, "\"" + word + "\" is a keyword of Java", "choose another name; see --package");
      }
    }
    if (!SourceVersion.isName(base)) {
      throw new InputError("", 0, "\"" + base + "\" is no Java package", "see --package");
    }
    if (base.equals("java") || base.startsWith("java.")) {
      throw new InputError(
          "", 0, "the package " + base + " is Java's own", "choose another name; see --package");
    }
  }

  private Map<String, String> files(Layout layout, String base) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (String file :
        List.of(
            "RemoteLog.tla",
            "MCRemoteLog.tla",
            "MCRemoteLog.cfg",
            "TraceRemoteLog.tla",
            "corpus-RemoteLog.cfg",
            "checks.yaml",
            "coverage.yaml",
            "claims.yaml",
            "links.txt",
            "README.md")) {
      files.put("specs/" + name + "/" + file, text(file, base));
    }
    files.put("conformance/corpora/" + name + "/RemoteLog.txt", text("RemoteLog.txt", base));
    String folder = "java/" + base.replace('.', '/') + "/";
    String machines = layout.machines() + folder;
    for (String type : List.of("LogMessage", "Transactions", "Primary", "Backup", "package-info")) {
      files.put(machines + type + ".java", text(type + ".java", base));
    }
    String system = layout.system() + folder + "system/";
    files.put(system + "RemoteLogSystem.java", text("RemoteLogSystem.java", base));
    files.put(system + "RemoteLogClient.java", text("RemoteLogClient.java", base));
    files.put(system + "package-info.java", text("system-package-info.java", base));
    String binding = layout.binding() + folder + "binding/";
    files.put(binding + "RemoteLogBinding.java", text("RemoteLogBinding.java", base));
    files.put(binding + "RemoteLogConformance.java", text("RemoteLogConformance.java", base));
    files.put(binding + "package-info.java", text("binding-package-info.java", base));
    String bugs = layout.bugs() + folder + "bugs/";
    files.put(bugs + "EarlyAnswer.java", text("EarlyAnswer.java", base));
    files.put(bugs + "package-info.java", text("bugs-package-info.java", base));
    files.put(layout.bugData() + name + ".csv", text("bugs.csv", base));
    files.put("docs/seeded-bugs-" + name + ".md", text("seeded-bugs.md", base));
    if (dir != null) {
      files.put(".gitignore", text("gitignore", base));
    }
    return files;
  }

  /** A template's text with the protocol's names. */
  private String text(String template, String base) throws IOException {
    try (InputStream in = NewCommand.class.getResourceAsStream("/new/" + template)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replace("${protocol}", name)
          .replace("${package}", base)
          .replace("${CLAIM}", name.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The files that {@link java.util.ServiceLoader} reads, each with the class that it is to find.
   */
  private static Map<String, String> services(Layout layout, String base) {
    Map<String, String> services = new LinkedHashMap<>();
    services.put(
        layout.system() + SERVICES + "dev.plumbline.protocol.ProtocolSystem",
        base + ".system.RemoteLogSystem");
    services.put(
        layout.binding() + SERVICES + "dev.plumbline.graph.Conformance",
        base + ".binding.RemoteLogConformance");
    services.put(
        layout.bugs() + SERVICES + "dev.plumbline.protocol.SeededBug", base + ".bugs.EarlyAnswer");
    return services;
  }

  /** Its last line may have no end. */
  private static String lines(String text) {
    return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
  }

  /** Half a protocol would be refused as one that is there. */
  private static void undo(Path root, Set<String> files, Map<Path, String> registered)
      throws IOException {
    for (String file : files) {
      if (Files.isRegularFile(root.resolve(file))) {
        Files.delete(root.resolve(file));
      }
    }
    for (Map.Entry<Path, String> service : registered.entrySet()) {
      if (Files.exists(service.getKey()) && service.getValue().isEmpty()) {
        Files.delete(service.getKey());
      } else if (Files.exists(service.getKey())) {
        Workspace.writeWhole(service.getKey(), service.getValue());
      }
    }
  }
}
