package dev.plumbline.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.graph.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two protocols' bindings have in common belongs to the shared layer. */
class BindingsTest {
  private static final Path CODE = Path.of("src/main/java");
  private static final int LINES = 6;

  /** The folders of protocols' bindings, templates included. */
  private static List<Path> wings() {
    List<Path> wings = new ArrayList<>(List.of(Path.of("src/main/resources/new")));
    for (Conformance c : Conformance.all()) {
      Path folder = CODE.resolve(c.getClass().getPackageName().replace('.', '/'));
      if (Files.isDirectory(folder)) {
        wings.add(folder);
      }
    }
    return wings;
  }

  /** Lines of code that stand in two of these folders: no imports, comments, or braces alone. */
  private static List<String> repeated(List<Path> folders) throws IOException {
    Map<String, String> seen = new HashMap<>();
    List<String> found = new ArrayList<>();
    for (Path folder : folders) {
      Map<String, String> here = new HashMap<>();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          List<String> lines =
              Files.readAllLines(file).stream()
                  .map(String::strip)
                  .filter(l -> !l.matches("(import|package) .*|[/*].*|[\\[\\](){};,]*|@Override"))
                  .toList();
          for (int i = 0; i + LINES <= lines.size(); i++) {
            String passage = String.join("\n", lines.subList(i, i + LINES));
            here.putIfAbsent(passage, file.getFileName() + ": " + lines.get(i));
          }
        }
      }
      here.forEach(
          (passage, where) -> {
            if (seen.putIfAbsent(passage, where) != null) {
              found.add(seen.get(passage) + " = " + where);
            }
          });
    }
    return found;
  }

  @Test
  void noPassageOfSixLinesStandsInTwoProtocolsBindings() throws IOException {
    assertThat(wings()).hasSizeGreaterThan(3);
    assertThat(repeated(wings())).isEmpty();
  }

  @Test
  void oneThatDoesIsFound(@TempDir Path temp) throws IOException {
    String six = "a();\nb();\nc();\n// said\n\nd();\ne();\n}\nf();\n";
    Path one = Files.createDirectories(temp.resolve("one"));
    Path two = Files.createDirectories(temp.resolve("two"));
    Files.writeString(one.resolve("One.java"), "x();\n" + six + six);
    Files.writeString(two.resolve("Two.java"), six.replace("f();", "g();"));
    assertThat(repeated(List.of(one, two))).isEmpty();
    Files.writeString(two.resolve("Two.java"), "y();\n" + six);
    assertThat(repeated(List.of(one, two))).containsExactly("One.java: a(); = Two.java: a();");
  }
}
