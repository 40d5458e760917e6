package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.plumbline.graph.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The drawing of the house in docs/architecture.md: which shared package uses which. */
class HouseTest {
  private static final String PREFIX = "dev.plumbline.";
  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.plumbline");

  /** The protocols' names: packages that have one are their own. */
  private static Set<String> wings() {
    return Conformance.all().stream().map(Conformance::protocol).collect(Collectors.toSet());
  }

  private static String part(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
  }

  private static boolean inWing(String part, Set<String> wings) {
    return Stream.of(part.split("\\.", -1)).anyMatch(wings::contains);
  }

  /** The Maven module that a class is built in. */
  private static String module(JavaClass type) {
    String file = type.getSource().orElseThrow().getUri().toString();
    Matcher found = Pattern.compile("(impl/node|impl|jepsen|conformance)/target/").matcher(file);
    return found.find() ? found.group(1) : "";
  }

  private static Map<String, Set<String>> uses(JavaClasses classes, Set<String> wings) {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass type : classes) {
      String from = part(type);
      if (!inWing(from, wings)) {
        Set<String> to = uses.computeIfAbsent(module(type) + " " + from, f -> new TreeSet<>());
        for (Dependency d : type.getDirectDependenciesFromSelf()) {
          String used = part(d.getTargetClass().getBaseComponentType());
          if (!used.isEmpty() && !used.equals(from)) {
            to.add(used);
          }
        }
      }
    }
    return uses;
  }

  /** Lines {@code MODULE package -> package, package} of the drawing. */
  private static Map<String, Set<String>> drawn(String text) {
    Map<String, Set<String>> drawn = new TreeMap<>();
    String drawing = text.substring(text.indexOf("```house\n") + 9);
    for (String line : drawing.substring(0, drawing.indexOf("```")).split("\n", -1)) {
      if (!line.isBlank()) {
        String[] sides = line.split("->", -1);
        List<String> used =
            Stream.of(sides[1].split(",", -1))
                .map(String::strip)
                .filter(u -> !u.isEmpty())
                .toList();
        drawn.put(sides[0].strip().replaceAll("\\s+", " "), new TreeSet<>(used));
      }
    }
    return drawn;
  }

  @Test
  void theDrawingIsTrue() throws IOException {
    String text = Files.readString(Path.of("../docs/architecture.md"));
    assertThat(uses(HOUSE, wings())).isEqualTo(drawn(text));
  }

  @Test
  void aPackageThatUsesAWingIsFound() {
    assertThat(wings()).isNotEmpty();
    JavaClasses tests = new ClassFileImporter().importPackages("dev.plumbline.mutate");
    assertThat(uses(tests, wings()).get("conformance mutate")).anyMatch(p -> inWing(p, wings()));
  }

  /** Names of top-level classes that stand in several packages, with these. */
  private static Map<String, Set<String>> repeated(JavaClasses classes, Set<String> wings) {
    Map<String, Set<String>> packages = new TreeMap<>();
    for (JavaClass type : classes) {
      if (type.isTopLevelClass()
          && !type.getSimpleName().equals("package-info")
          && !inWing(part(type), wings)) {
        packages.computeIfAbsent(type.getSimpleName(), n -> new TreeSet<>()).add(part(type));
      }
    }
    packages.values().removeIf(in -> in.size() == 1);
    return packages;
  }

  @Test
  void aNameInSharedCodeHasOneMeaning() {
    assertThat(repeated(HOUSE, wings())).isEmpty();
    assertThat(repeated(HOUSE, Set.of()))
        .as("protocols have their own, and are left out")
        .containsEntry("Timestamp", Set.of("dast", "k2"));
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    for (String sources : List.of("../impl", "../impl/node", "../impl/bugs", "../conformance")) {
      try (Stream<Path> files = Files.walk(Path.of(sources, "src/main/java"))) {
        for (Path folder :
            files
                .filter(f -> f.toString().endsWith(".java"))
                .map(Path::getParent)
                .collect(Collectors.toSet())) {
          assertThat(folder.resolve("package-info.java")).exists();
        }
      }
    }
  }
}
