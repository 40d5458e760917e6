package dev.plumbline.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.Checker.Job;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Modules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One check made ready to run: its effective configuration, wrapper module and content hash. */
final class Plan {
  /** Raised whenever a change of the driver could change an outcome. */
  private static final String FORMAT = "2";

  private static final String WRAPPER = "PlumbCheck";
  private static final String EFFECTIVE = "effective.cfg";
  private static final String LOG = "tlc.log";
  private static final Pattern REACHED =
      Pattern.compile("(?:EXTENDS\\s+((?:\\w+\\s*,\\s*)*\\w+))|(?:INSTANCE\\s+(\\w+))");

  private static final Pattern LINE_COMMENT = Pattern.compile("\\\\\\*[^\\n]*");

  /** The innermost ones: comments may stand in each other. */
  private static final Pattern COMMENT =
      Pattern.compile("\\(\\*(?:(?!\\(\\*|\\*\\)).)*\\*\\)", Pattern.DOTALL);

  final Check check;
  final Path module;
  final Path folder;
  final List<Path> library;
  final Config config;
  final String wrapper;
  final Path runFolder;
  final String hash;

  private final Checks checks;
  private final String toolVersion;
  private final Map<String, Path> modules = new TreeMap<>();

  Plan(Workspace workspace, Checks checks, Check check, String toolVersion) {
    this.check = check;
    this.checks = checks;
    this.folder = checks.file().toAbsolutePath().getParent();
    this.library = List.of(workspace.specs().resolve("common"));
    this.module = Modules.locate(check.module(), folder, library);
    if (module == null) {
      throw checks.error(
          check,
          "module",
          "there is no module " + check.module() + " in " + folder + " or specs/common",
          "correct module:");
    }
    Path file = folder.resolve(check.config());
    if (!Files.isRegularFile(file)) {
      throw checks.error(
          check, "config", "there is no " + file, "write it, or name another with config:");
    }
    this.config = Config.read(file);
    this.runFolder = workspace.runFolder(check.protocol(), check.id());
    this.wrapper = apply();
    this.toolVersion = toolVersion;
    reach(check.module(), modules);
    this.hash = hash(modules);
  }

  /** Changes the configuration as the check says; returns the text of the wrapper module, or "". */
  private String apply() {
    List<String> definitions = new ArrayList<>();
    check
        .constants()
        .forEach(
            (name, value) -> {
              String v = value.strip();
              if (v.startsWith("<-")) {
                config.constants.put(name, new Config.Item(v, 0));
              } else if (Config.literal(v)) {
                config.constants.put(name, new Config.Item("= " + v, 0));
              } else {
                definitions.add("Plumb" + name + " == " + v);
                config.constants.put(name, new Config.Item("<- Plumb" + name, 0));
              }
            });
    if (check.invariants() != null) {
      config.set("INVARIANT", check.invariants());
    }
    if (check.properties() != null) {
      config.set("PROPERTY", check.properties());
    }
    if (check.constraints() != null) {
      config.set("CONSTRAINT", check.constraints());
    }
    if (!check.spec().isEmpty()) {
      config.names.remove("INIT");
      config.names.remove("NEXT");
      config.set("SPECIFICATION", List.of(check.spec()));
    }
    config.names.remove("CHECK_DEADLOCK");
    if (check.expect() == Expect.REACHES) {
      definitions.add("PlumbUnreached == ~" + check.target());
      config.set("INVARIANT", List.of("PlumbUnreached"));
      config.set("PROPERTY", List.of());
    } else if (check.expect() == Expect.VIOLATES) {
      target();
    }
    if (definitions.isEmpty()) {
      return "";
    }
    return "---- MODULE "
        + WRAPPER
        + " ----\nEXTENDS "
        + check.module()
        + (definitions.stream().anyMatch(d -> d.contains(":>")) ? ", TLC" : "")
        + "\n"
        + String.join("\n", definitions)
        + "\n====\n";
  }

  /**
   * TLC does not say which liveness property failed, so a check that violates one has only that
   * one.
   */
  private void target() {
    String keyword = check.target().endsWith("Inv") ? "INVARIANT" : "PROPERTY";
    List<String> all = new ArrayList<>(config.list(keyword));
    if (!all.contains(check.target())) {
      all.add(check.target());
    }
    if (check.target().endsWith("Live")) {
      all.removeIf(p -> p.endsWith("Live") && !p.equals(check.target()));
    }
    config.set(keyword, all);
  }

  /**
   * Why it says little that random behaviours violate nothing. TLC ends one where a constraint
   * forbids the step that it drew.
   */
  List<String> doubts() {
    List<String> doubts = new ArrayList<>();
    if (check.simulate() == null || check.expect() != Expect.HOLDS) {
      return doubts;
    }
    for (String keyword : List.of("CONSTRAINT", "ACTION_CONSTRAINT")) {
      if (!config.list(keyword).isEmpty()) {
        doubts.add(
            keyword
                + " "
                + String.join(", ", config.list(keyword))
                + " ends random behaviours early: put it into the next-state relation of a spec");
      }
    }
    if (checks.checks().stream()
        .noneMatch(c -> c.expect() == Expect.REACHES && c.samplesLike(check))) {
      doubts.add(
          "nothing shows that its random behaviours get anywhere: add a check with the same module,"
              + " config, constants, spec and simulate that expects \"reaches: NAME\"");
    }
    return doubts;
  }

  /**
   * Demands that a check that holds judges something, in a way that can find a violation.
   *
   * @throws InputError if nothing could refute it
   */
  void demandJudged() {
    if (check.expect() == Expect.HOLDS && judged().isEmpty() && !check.deadlock()) {
      throw checks.error(
          check,
          "expect",
          "check " + check.id() + " holds whatever happens: it judges no property",
          "name some under invariants: or properties:, or in " + check.config());
    }
    List<String> reducing =
        Stream.of("SYMMETRY", "VIEW").filter(k -> !config.list(k).isEmpty()).toList();
    if (!reducing.isEmpty() && !temporal().isEmpty()) {
      throw checks.error(
          check,
          "properties",
          "check %s judges %s under %s, where TLC misses violations of temporal properties"
              .formatted(check.id(), String.join(", ", temporal()), String.join(" and ", reducing)),
          "name a config: without it, or judge the property in a check of its own");
    }
  }

  /** The properties that are no step's. */
  private List<String> temporal() {
    return config.list("PROPERTY").stream().filter(p -> !p.endsWith("Step")).toList();
  }

  /** The properties that are judged. */
  List<String> judged() {
    if (check.engine().equals("apalache")) {
      return List.of(check.symbolic().inv());
    }
    if (check.expect() == Expect.REACHES) {
      return List.of(check.target());
    }
    List<String> all = new ArrayList<>(config.list("INVARIANT"));
    all.addAll(config.list("PROPERTY"));
    return all;
  }

  /** Constants, as the configuration has them. */
  ObjectNode bounds() {
    ObjectNode bounds = new ObjectMapper().createObjectNode();
    config.constants.forEach((k, v) -> bounds.put(k, v.text()));
    return bounds;
  }

  /** The modules and the configuration. */
  List<Path> inputs() {
    List<Path> all = new ArrayList<>(modules.values());
    all.add(config.file);
    return all;
  }

  /** Whether its modules are still those that it was made for. */
  boolean current() {
    Map<String, Path> now = new TreeMap<>();
    reach(check.module(), now);
    return hash(now).equals(hash);
  }

  private String hash(Map<String, Path> modules) {
    try {
      MessageDigest d = MessageDigest.getInstance("SHA-256");
      List<String> parts =
          new ArrayList<>(List.of(FORMAT, toolVersion, check.engine(), config.text(), wrapper));
      parts.add("" + check.deadlock() + check.simulate() + check.symbolic());
      modules.values().forEach(p -> parts.add(Workspace.text(p)));
      for (String part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        d.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
        d.update(bytes);
      }
      return HexFormat.of().formatHex(d.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void reach(String name, Map<String, Path> found) {
    Path file = Modules.locate(name, folder, library);
    if (file == null || found.put(name, file) != null) {
      return;
    }
    // As it stands too: what only looks like a comment, in a string, hides no module.
    String text = Workspace.text(file);
    for (String each : List.of(text, bare(text))) {
      Matcher m = REACHED.matcher(each);
      while (m.find()) {
        String names = m.group(1) != null ? m.group(1) : m.group(2);
        for (String n : names.split("\\s*,\\s*", -1)) {
          reach(n.strip(), found);
        }
      }
    }
  }

  /** A module's text without comments, which may stand between the names of modules. */
  private static String bare(String text) {
    String before;
    String left = LINE_COMMENT.matcher(text).replaceAll(" ");
    do {
      before = left;
      left = COMMENT.matcher(before).replaceAll(" ");
    } while (!left.equals(before));
    return left;
  }

  /** Compares the check with what its module declares: constants, properties, actions. */
  void verify(Map<String, Modules.Module> parsed) {
    Modules.Module m =
        parsed.computeIfAbsent(module.toString(), k -> Modules.parse(module, library));
    check.constants().forEach(this::expression);
    if (!wrapper.isEmpty()) {
      m.operators().keySet().stream()
          .filter(n -> n.startsWith("Plumb"))
          .findFirst()
          .ifPresent(
              n -> {
                throw new InputError(
                    module.toString(),
                    m.operators().get(n).line(),
                    "the prefix Plumb is the driver's",
                    "rename " + n);
              });
    }
    config.constants.forEach(
        (name, value) -> {
          String plain = name.replaceAll("\\(.*", "");
          if (!m.constants().containsKey(plain) && !m.operators().containsKey(plain)) {
            throw place(
                value,
                "constants." + name,
                "module " + m.name() + " has no constant or definition " + plain,
                "declare it, or remove the line");
          }
          if (value.text().startsWith("<-")) {
            known(
                m,
                new Config.Item(
                    value.text().replaceFirst("<-\\s*(\\[\\s*\\w+\\s*\\])?\\s*", ""), value.line()),
                "constants." + name,
                "definition");
          }
        });
    m.constants()
        .forEach(
            (name, d) -> {
              if (!config.constants.containsKey(name)) {
                throw new InputError(
                    config.file.toString(),
                    0,
                    "constant "
                        + name
                        + " (declared in "
                        + d.module()
                        + ".tla, line "
                        + d.line()
                        + ") has no value in check "
                        + check.name(),
                    "add \""
                        + name
                        + " = …\" to the .cfg, or "
                        + name
                        + " under constants: in checks.yaml");
              }
            });
    if (check.engine().equals("apalache")) {
      for (String n :
          List.of(check.symbolic().init(), check.symbolic().next(), check.symbolic().inv())) {
        known(m, new Config.Item(n, 0), "inv", "definition");
      }
      return;
    }
    Map<String, String> keys =
        new LinkedHashMap<>(
            Map.of(
                "INVARIANT",
                "invariants",
                "PROPERTY",
                "properties",
                "CONSTRAINT",
                "constraints",
                "SPECIFICATION",
                "spec"));
    config.names.forEach(
        (keyword, items) -> {
          for (Config.Item i : items) {
            String key =
                i.text().equals(check.target()) ? "expect" : keys.getOrDefault(keyword, "config");
            known(m, i, key + "." + i.text(), keyword.toLowerCase(java.util.Locale.ROOT));
          }
        });
    if (check.expect() == Expect.REACHES) {
      known(m, new Config.Item(check.target(), 0), "expect", "state predicate");
    }
    verifyCoverage(parsed);
    check.waive().keySet().forEach(a -> known(m, new Config.Item(a, 0), "waive", "action"));
    if (!config.names.containsKey("SPECIFICATION") && !config.names.containsKey("NEXT")) {
      throw new InputError(
          config.file.toString(),
          0,
          "neither SPECIFICATION nor INIT and NEXT",
          "add SPECIFICATION Spec");
    }
  }

  /**
   * The same of the actions that must be taken, which may differ from those that an outcome is
   * remembered for.
   */
  void verifyCoverage(Map<String, Modules.Module> parsed) {
    if (check.coverage() == null) {
      return;
    }
    Modules.Module m =
        parsed.computeIfAbsent(module.toString(), k -> Modules.parse(module, library));
    for (String a : check.coverage()) {
      known(m, new Config.Item(a, 0), "coverage", "action");
      if (m.operators().get(a).level() < 2) {
        throw checks.error(
            check, "coverage", a + " is no action", "name operators that Next reaches");
      }
    }
  }

  /** The text of a constant is seen by TLC alone, which would say that parsing failed. */
  private void expression(String constant, String value) {
    if (!value.strip().startsWith("<-")) {
      Modules.misspelt(value)
          .ifPresent(
              why -> {
                throw checks.error(
                    check,
                    "constants." + constant,
                    "constant " + constant + " is no expression: " + value + " (" + why + ")",
                    "correct the value");
              });
    }
  }

  private void known(Modules.Module m, Config.Item name, String key, String what) {
    boolean generated = name.text().startsWith("Plumb") && wrapper.contains(name.text() + " ==");
    if (!generated && !m.operators().containsKey(name.text())) {
      throw place(
          name,
          key,
          "module " + m.name() + " defines no " + what + " " + name.text(),
          near(m, name.text()));
    }
  }

  private InputError place(Config.Item item, String key, String message, String remedy) {
    return item.line() > 0
        ? new InputError(config.file.toString(), item.line(), message, remedy)
        : checks.error(check, key, message, remedy);
  }

  private static String near(Modules.Module m, String name) {
    return Near.to(name, m.operators().keySet())
        .map(m.operators()::get)
        .map(o -> "did you mean " + o.name() + " (" + o.module() + ".tla, line " + o.line() + ")?")
        .orElse("define it, or correct the name");
  }

  /**
   * How many of {@code most} workers may search: one where there are properties, since TLC misses
   * violations of temporal properties with more (tlaplus#971).
   */
  int workers(int most) {
    return config.list("PROPERTY").isEmpty() ? most : 1;
  }

  /**
   * A temporal property is left to a process of its own, and so is what does not look like none.
   */
  Child.Span span() {
    if (!check.lane().equals("quick")) {
      return Child.Span.LONG;
    }
    return !temporal().isEmpty() || check.simulate() != null ? Child.Span.BRIEF : Child.Span.SHARED;
  }

  /**
   * Writes the run's files into a folder of its own and says what the checking process is to do.
   *
   * @param limit distinct states after which it gives up; 0 for never
   */
  Job job(Path work, int workers, long limit) {
    try {
      Files.createDirectories(work);
      Path cfg = work.resolve(EFFECTIVE);
      Files.writeString(cfg, config.text(), StandardCharsets.UTF_8);
      Path root = module;
      if (!wrapper.isEmpty()) {
        root = work.resolve(WRAPPER + ".tla");
        Files.writeString(root, wrapper, StandardCharsets.UTF_8);
      }
      List<String> folders = new ArrayList<>(List.of(folder.toString()));
      library.forEach(p -> folders.add(p.toString()));
      return new Job(
          check.name(),
          root.toString(),
          cfg.toString(),
          folders,
          work.resolve(LOG).toString(),
          work.resolve("meta").toString(),
          workers,
          check.deadlock(),
          check.simulate(),
          limit);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts what a reader may want of a run's files beside its result. */
  void publish(Path work) {
    try {
      Files.createDirectories(runFolder);
      for (String name : List.of(EFFECTIVE, WRAPPER + ".tla", LOG)) {
        if (Files.exists(work.resolve(name))) {
          Files.move(
              work.resolve(name), runFolder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        } else {
          Files.deleteIfExists(runFolder.resolve(name));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
