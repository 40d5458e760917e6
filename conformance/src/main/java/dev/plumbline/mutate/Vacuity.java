package dev.plumbline.mutate;

import dev.plumbline.mutate.Laboratory.Bench;
import dev.plumbline.mutate.MutantsFile.Target;
import dev.plumbline.tlc.Explorer.Exploration;
import dev.plumbline.tlc.Modules;
import dev.plumbline.tlc.Syntax;
import dev.plumbline.tlc.Syntax.Definition;
import dev.plumbline.tlc.Syntax.Kind;
import dev.plumbline.tlc.Syntax.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What each property contributes. One that kills nothing is probed on the original: with what it
 * demands replaced by FALSE it must fail, else the situation that it speaks of never arises.
 */
final class Vacuity {
  private Vacuity() {}

  static List<SpecReport.Property> properties(
      List<Bench> benches, List<SpecResult> results, Laboratory lab, Target target) {
    Map<String, List<Bench>> judges = new LinkedHashMap<>();
    for (Bench b : benches) {
      for (String p : b.model().properties()) {
        judges.computeIfAbsent(p, k -> new ArrayList<>()).add(b);
      }
    }
    List<SpecResult> of =
        results.stream().filter(r -> r.mutant().module().equals(target.module())).toList();
    List<SpecReport.Property> all = new ArrayList<>();
    judges.forEach(
        (p, where) -> {
          List<SpecResult> killed = of.stream().filter(r -> r.killedBy(p)).toList();
          List<String> alone =
              killed.stream()
                  .filter(
                      r -> r.properties().values().stream().filter("killed"::equals).count() == 1)
                  .map(r -> r.mutant().id())
                  .toList();
          String note =
              killed.isEmpty()
                  ? probe(p, where, lab)
                  : alone.isEmpty() ? "every mutant that it kills is killed by others too" : "";
          all.add(new SpecReport.Property(target.module(), p, killed.size(), alone, note));
        });
    return all;
  }

  private static String probe(String property, List<Bench> where, Laboratory lab) {
    if (property.endsWith("Live")) {
      return "kills nothing (temporal: not probed for vacuity)";
    }
    Bench first = where.get(0);
    List<Path> library = first.model().library();
    Map<String, Definition> definitions = Syntax.definitions(first.model().module(), library);
    List<Node> demands = new ArrayList<>();
    demands(definitions.get(property).body(), definitions, demands);
    List<String> vacuous = new ArrayList<>();
    for (Node n : demands) {
      String module = n.place().module();
      Path file = Modules.locate(module, library.get(0), library);
      Source source = new Source(read(file));
      String text = source.replace(source.begin(n), source.end(n), "FALSE");
      boolean arises = false;
      for (Bench b : where) {
        Exploration e =
            lab.explore(b.model(), module, text, Set.of(property), Long.MAX_VALUE, true);
        arises = arises || e.violated().containsKey(property);
      }
      if (!arises) {
        vacuous.add(
            module + ".tla:" + n.place().line() + " " + source.of(n).replaceAll("\\s+", " "));
      }
    }
    return vacuous.isEmpty()
        ? "kills nothing: redundant here, not vacuous"
        : "kills nothing: VACUOUS, nothing in these models demands " + String.join("; ", vacuous);
  }

  /** What a property demands: the right sides of its implications, or of all its elements. */
  private static void demands(Node n, Map<String, Definition> definitions, List<Node> all) {
    if (n.is("=>")) {
      all.add(n.last());
    } else if (n.is("\\A") && !contains(n.last(), "=>")) {
      all.add(n.last());
    } else if (n.kind() == Kind.DEFINED && n.name().matches("\\w+(Inv|Step)")) {
      demands(definitions.get(n.name()).body(), definitions, all);
    } else if (n.is("/\\") || n.is("\\A") || n.is("[]") || n.is("$SquareAct")) {
      n.children().forEach(c -> demands(c, definitions, all));
    }
  }

  private static boolean contains(Node n, String operator) {
    return n.is(operator) || n.children().stream().anyMatch(c -> contains(c, operator));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
