package dev.plumbline.audit;

import dev.plumbline.graph.Conformance;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Services;
import dev.plumbline.protocol.Settings;
import dev.plumbline.sim.Judge;
import dev.plumbline.sim.Judges;
import dev.plumbline.validate.TraceModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What ties a protocol's specification to its machines; all is empty where there are none.
 *
 * @param handlers by {@code Module.Action}, the place of the method that takes it
 * @param corpora names of the stored behaviours
 * @param traced modules that logs are validated against
 * @param judges of runs, by name, and whether they judge the workload that runs take of themselves
 * @param bugs by name, what caught each
 */
record Implementation(
    boolean exists,
    Map<String, String> handlers,
    List<String> corpora,
    List<String> traced,
    Map<String, Boolean> judges,
    Map<String, Bug> bugs) {

  /**
   * A seeded bug.
   *
   * @param replay corpora that machines with it no longer follow
   * @param traces modules that no longer explain its logs
   * @param histories judges of its histories that say no
   * @param caught whether the table has it
   */
  record Bug(
      String name,
      String text,
      String run,
      List<String> replay,
      List<String> traces,
      List<String> histories,
      boolean caught) {}

  private static final Pattern HANDLER =
      Pattern.compile(
          "@SpecAction\\(\\s*(\\{[^}]*\\}|\"[^\"]*\")\\s*\\)(?:\\s*@\\w+(?:\\([^)]*\\))?)*[^(;{]*?(\\w+)\\(");
  private static final Pattern WORD = Pattern.compile("\"([^\"]+)\"");

  static Implementation of(Path root, String protocol) {
    Optional<ProtocolSystem> system =
        Services.all(ProtocolSystem.class).stream()
            .filter(s -> s.name().equals(protocol))
            .findFirst();
    Optional<Conformance> ties =
        Conformance.all().stream().filter(c -> c.protocol().equals(protocol)).findFirst();
    List<String> traced = new ArrayList<>();
    if (ties.isPresent() && system.isPresent()) {
      ties.get().traceModels(Settings.repaired(system.get().clockBounds())).stream()
          .map(TraceModel::module)
          .distinct()
          .forEach(traced::add);
    }
    return new Implementation(
        system.isPresent(),
        handlers(root, protocol),
        ties.map(c -> List.copyOf(c.corpusModules().keySet())).orElse(List.of()),
        traced,
        system.map(Implementation::judges).orElse(Map.of()),
        bugs(root, protocol));
  }

  private static Map<String, Boolean> judges(ProtocolSystem system) {
    Map<String, Boolean> all = new TreeMap<>();
    for (Judge judge : Judges.all(system)) {
      all.put(judge.name(), judge.judges(system.workloads().get(0)));
    }
    return all;
  }

  /** The module that an action, or a corpus {@code MODULE-NAME}, is of. */
  static String module(String name) {
    return name.replaceFirst("[-.].*", "");
  }

  /** Where something is in this repository, or in one that brings its own protocol. */
  private static Path either(Path root, String here, String project) {
    Path first = root.resolve(here);
    return Files.exists(first) ? first : root.resolve(project);
  }

  private static Map<String, String> handlers(Path root, String protocol) {
    Map<String, String> all = new TreeMap<>();
    Path sources = either(root, "impl/src/main/java", "src/main/java");
    if (!Files.isDirectory(sources)) {
      return all;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".java"))
              .filter(
                  f ->
                      !sources.startsWith(root.resolve("impl"))
                          || f.getParent().getFileName().toString().equals(protocol))
              .sorted()
              .toList()) {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        Matcher m = HANDLER.matcher(text);
        while (m.find()) {
          int line = 1 + (int) text.substring(0, m.start(2)).chars().filter(c -> c == '\n').count();
          Matcher action = WORD.matcher(m.group(1));
          while (action.find()) {
            all.putIfAbsent(action.group(1), DefinitionPlaces.relative(root, file) + ":" + line);
          }
        }
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Bug> bugs(Path root, String protocol) {
    Map<String, Bug> all = new TreeMap<>();
    String runs = "resources/bugs/" + protocol + ".csv";
    Path listed = either(root, "impl/bugs/src/main/" + runs, "src/bugs/" + runs);
    Path page = root.resolve("docs/seeded-bugs-" + protocol + ".md");
    try {
      if (Files.isRegularFile(listed)) {
        for (String line : Files.readAllLines(listed, StandardCharsets.UTF_8)) {
          String name = line.replaceFirst("\\|.*", "").strip();
          all.put(name, new Bug(name, "", "", List.of(), List.of(), List.of(), false));
        }
      }
      if (Files.isRegularFile(page)) {
        for (String line : Files.readAllLines(page, StandardCharsets.UTF_8)) {
          String[] cells = line.split("\\s*\\|\\s*", -1);
          String name = cells.length > 7 ? cells[1].replace("`", "") : "";
          if (all.containsKey(name)) {
            all.put(
                name,
                new Bug(
                    name,
                    cells[2],
                    cells[3].replace("`", ""),
                    names(cells[4]),
                    names(cells[5].replaceAll(", first \\d+ events", "")),
                    names(cells[6]),
                    true));
          }
        }
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> names(String cell) {
    return cell.equals("·") || cell.isBlank() ? List.of() : Arrays.asList(cell.split(",\\s*", -1));
  }
}
