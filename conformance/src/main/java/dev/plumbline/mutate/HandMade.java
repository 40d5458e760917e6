package dev.plumbline.mutate;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.YamlNode;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Modules;
import dev.plumbline.tlc.Syntax;
import dev.plumbline.tlc.Syntax.Definition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An error that somebody could make in a module, thought out by hand: {@code before}, which the
 * module has once, becomes {@code after}. It is wrong, for the reason {@code why}, so a property
 * has to notice it.
 *
 * @param name its name in handmade.yaml
 * @param killer the check and the property that are to notice it; empty while they are not known
 */
record HandMade(
    String name, Mutant mutant, String why, Optional<Killer> killer, Path file, int line) {
  private static final Pattern PROPERTY = Pattern.compile("(Inv|Step|Live|Reach)$");

  /** A property of a holds check. */
  record Killer(Check check, String property) {
    boolean temporal() {
      return property.endsWith("Live");
    }
  }

  /** A protocol's handmade.yaml, validated; empty if there is none. */
  static List<HandMade> read(Path file, Checks protocol, List<Path> library) {
    List<HandMade> all = new ArrayList<>();
    if (!Files.isRegularFile(file)) {
      return all;
    }
    YamlNode root = YamlNode.read(file);
    root.onlyKeys(Set.of("protocol", "errors"));
    if (!root.get("protocol").text().equals(protocol.protocol())) {
      throw root.get("protocol")
          .error("the folder's protocol is " + protocol.protocol(), "name them alike");
    }
    Map<String, Source> sources = new LinkedHashMap<>();
    Map<String, List<Definition>> properties = new LinkedHashMap<>();
    root.get("errors")
        .entries()
        .forEach((name, n) -> all.add(one(name, n, protocol, file, library, sources, properties)));
    return all;
  }

  private static HandMade one(
      String name,
      YamlNode n,
      Checks protocol,
      Path file,
      List<Path> library,
      Map<String, Source> sources,
      Map<String, List<Definition>> properties) {
    n.onlyKeys(Set.of("module", "before", "after", "why", "killed"));
    String module = n.get("module").text();
    Source source =
        sources.computeIfAbsent(
            module,
            m -> {
              Path folder = file.toAbsolutePath().getParent();
              Path path = Modules.locate(m, folder, library);
              if (path == null) {
                throw n.get("module").error("there is no module " + m, "correct the name");
              }
              properties.put(m, properties(path, library));
              return new Source(text(path));
            });
    String before = n.get("before").text().stripTrailing();
    int at = source.text().indexOf(before);
    if (before.isBlank() || at < 0 || source.text().indexOf(before, at + 1) >= 0) {
      throw n.get("before")
          .error(
              module + " does not have this text exactly once",
              "name one that it has, as it stands there, and long enough to be the only one");
    }
    demandNoProperty(n, source, at, at + before.length(), properties.get(module));
    String after = n.get("after").text().stripTrailing();
    String changed = source.replace(at, at + before.length(), after);
    if (changed.equals(source.text())) {
      throw n.get("after").error("it changes nothing", "write what the error makes of it");
    }
    if (n.get("why").text().isBlank()) {
      throw n.get("why").error("no reason is given", "say why this is wrong");
    }
    Mutant mutant =
        new Mutant(
            "handmade." + name,
            module,
            "",
            "handmade",
            source.line(at),
            source.text(),
            changed,
            "");
    return new HandMade(
        name,
        mutant,
        n.get("why").text(),
        n.optional("killed").map(k -> killer(k, protocol)),
        file,
        n.line());
  }

  /** A property that is changed judges otherwise: it would notice itself. */
  private static void demandNoProperty(
      YamlNode n, Source source, int begin, int end, List<Definition> properties) {
    for (Definition p : properties) {
      if (begin < source.end(p.body()) && source.begin(p.body()) < end) {
        throw n.get("before")
            .error(
                "this is of " + p.name() + ", which judges",
                "change what the protocol does, not what is asked of it");
      }
    }
  }

  private static List<Definition> properties(Path module, List<Path> library) {
    String name = module.getFileName().toString().replace(".tla", "");
    return Syntax.definitions(module, library).values().stream()
        .filter(d -> d.module().equals(name) && PROPERTY.matcher(d.name()).find())
        .toList();
  }

  private static Killer killer(YamlNode n, Checks protocol) {
    n.onlyKeys(Set.of("check", "property"));
    String id = n.get("check").text();
    Check check =
        protocol.checks().stream()
            .filter(c -> c.id().equals(id) && c.expect() == Expect.HOLDS)
            .findFirst()
            .orElseThrow(
                () ->
                    n.get("check")
                        .error("checks.yaml has no " + id + " that holds", "correct the name"));
    return new Killer(check, n.get("property").text());
  }

  private static String text(Path path) {
    try {
      return Files.readString(path, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  InputError error(String message, String remedy) {
    return new InputError(file.toString(), line, name + ": " + message, remedy);
  }

  /**
   * What became of it.
   *
   * @param lane of the check that notices it, or of the run if none does
   * @param by the check and the property that notice it, or empty
   * @param note what else is worth knowing
   */
  record Result(HandMade error, String lane, String by, String note) {
    boolean killed() {
      return !by.isEmpty();
    }

    /** What is wrong with it; empty if the property that is named notices it. */
    String fault() {
      String id = error.mutant().id();
      if (!killed()) {
        return "survives: " + id + ", which is wrong: " + error.why();
      }
      return error.killer().isEmpty() ? id + ": " + note : "";
    }
  }
}
