package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.plumbline.graph.Conformance;
import dev.plumbline.machine.SpecAction;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.validate.TraceModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/mapping.md: how each module reads in the machines' terms, made of the bindings and of the
 * machines' {@link SpecAction}s. {@code -Dmapping.update=true} writes it anew.
 */
class MappingTest {
  private static final Path PAGE = Path.of("../docs/mapping.md");
  private static final String HEAD =
"""
# How each module reads in the machines' terms
Made of the bindings ([Bindings](bindings.md)) and of the machines' `@SpecAction`s; `MappingTest` compares, and writes this page with `-Dmapping.update=true`. A name that is not listed stands for itself.
""";

  /** Handlers by the action that they are marked with. */
  private static Map<String, SortedSet<String>> handlers() {
    Map<String, SortedSet<String>> handlers = new TreeMap<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plumbline")) {
      for (JavaMethod method : type.getMethods()) {
        if (method.isAnnotatedWith(SpecAction.class)) {
          for (String action : method.getAnnotationOfType(SpecAction.class).value()) {
            handlers
                .computeIfAbsent(action, a -> new TreeSet<>())
                .add(type.getSimpleName() + "." + method.getName());
          }
        }
      }
    }
    return handlers;
  }

  private static String code(Iterable<String> names) {
    return "`" + String.join("`, `", names) + "`";
  }

  static String text(Binding b, Map<String, SortedSet<String>> handlers) {
    Map<String, SortedSet<String>> named = new TreeMap<>();
    b.vocabulary
        .shapes()
        .forEach((n, s) -> named.computeIfAbsent("" + s, x -> new TreeSet<>()).add(n));
    StringBuilder out =
        new StringBuilder("| in the specification | in machines and logs |\n|---|---|\n");
    handlers.forEach(
        (action, by) -> {
          if (action.startsWith(b.module() + ".")) {
            row(out, "action `" + action.substring(b.module().length() + 1) + "`", code(by));
          }
        });
    named.forEach((shape, names) -> row(out, code(names), shape));
    b.also.forEach(
        (event, also) ->
            row(
                out,
                "`"
                    + also.operator()
                    + "`"
                    + (also.coverage().isEmpty() ? "" : ", a step of `" + also.coverage() + "`"),
                "event `" + event + "`"));
    b.published()
        .forEach(
            (repair, as) ->
                row(out, "repair `" + repair + "`", "unless `" + as + "` is asked for"));
    b.ghosts().forEach((ghost, why) -> row(out, "`" + ghost + "`, which no machine keeps", why));
    b.given().forEach((given, why) -> row(out, "`" + given + "`, taken from the model", why));
    return out.toString();
  }

  private static void row(StringBuilder out, String spec, String machines) {
    out.append("| ").append(spec).append(" | ").append(machines).append(" |\n");
  }

  private static String page() {
    Map<String, SortedSet<String>> handlers = handlers();
    return HEAD
        + Conformance.all().stream()
            .filter(c -> Files.isDirectory(Path.of("../specs", c.protocol())))
            .flatMap(c -> c.traceModels(settings(c)).stream())
            .filter(Binding.class::isInstance)
            .map(Binding.class::cast)
            .map(
                b ->
                    "\n## "
                        + b.folder().getFileName()
                        + ": "
                        + b.module()
                        + "\n"
                        + text(b, handlers))
            .collect(Collectors.joining());
  }

  private static Settings settings(Conformance c) {
    return Settings.repaired(Protocols.named(c.protocol()).clockBounds());
  }

  @Test
  void thePageIsWhatTheBindingsSay() throws IOException {
    if (Boolean.getBoolean("mapping.update")) {
      Files.writeString(PAGE, page());
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page());
  }

  @Test
  void whatABindingDeclaresIsOnThePage() {
    TraceModel model =
        Conformance.all().stream()
            .flatMap(c -> c.traceModels(settings(c)).stream())
            .filter(Binding.class::isInstance)
            .findFirst()
            .orElseThrow();
    Binding b = (Binding) model;
    String before = text(b, Map.of());
    b.names(Shape.set(Sort.own("colour", null)), "hues");
    b.ghost("mood", "nobody keeps it");
    b.given("weather", "it comes from outside");
    Map<String, SortedSet<String>> handler =
        Map.of(b.module() + ".Paint", new TreeSet<>(java.util.Set.of("Painter.paint")));
    assertThat(text(b, handler))
        .isNotEqualTo(before)
        .contains("| `hues` | set of colour |", "`mood`, which no machine keeps | nobody keeps it")
        .contains("| `weather`, taken from the model | it comes from outside |")
        .contains("| action `Paint` | `Painter.paint` |");
  }
}
