package dev.plumbline.jepsen;

import static org.assertj.core.api.Assertions.assertThat;

import clojure.java.api.Clojure;
import clojure.lang.IFn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every {@code deftest} of the test namespaces as a test of its own. */
class ClojureTest {
  private static final Path TESTS = Path.of("src/test/clojure");

  @TestFactory
  Stream<DynamicTest> tests() throws IOException {
    List<String> namespaces;
    try (Stream<Path> files = Files.walk(TESTS)) {
      namespaces =
          files
              .filter(file -> file.toString().endsWith("_test.clj"))
              .map(file -> TESTS.relativize(file).toString())
              .map(file -> file.substring(0, file.length() - 4).replace('/', '.').replace('_', '-'))
              .sorted()
              .toList();
    }
    IFn require = Clojure.var("clojure.core", "require");
    require.invoke(Clojure.read("plumbline.jepsen.testing"));
    IFn tests = Clojure.var("plumbline.jepsen.testing", "tests");
    return namespaces.stream()
        .flatMap(
            namespace -> {
              Map<?, ?> found = (Map<?, ?>) tests.invoke(namespace);
              assertThat(found).as("tests of %s", namespace).isNotEmpty();
              return found.entrySet().stream();
            })
        .map(
            test ->
                DynamicTest.dynamicTest(
                    test.getKey().toString(),
                    () -> assertThat((List<?>) ((IFn) test.getValue()).invoke()).isEmpty()));
  }
}
