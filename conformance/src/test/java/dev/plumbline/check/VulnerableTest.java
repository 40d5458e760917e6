package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No version that the pinned list knows to be vulnerable is on a resolved class path. */
class VulnerableTest {
  private static final Path LIST = Path.of("vulnerable.json");

  /** A jar in a Maven repository: group, artifact, version. */
  private static final Pattern JAR =
      Pattern.compile(".*/repository/(.+)/([^/]+)/([^/]+)/\\2-\\3[^/]*\\.jar");

  /**
   * A vulnerability.
   *
   * @param exceptions by module, why it may have such a version
   */
  private record Entry(
      String artifact,
      String from,
      String below,
      String id,
      String what,
      String remedy,
      Map<String, String> exceptions) {

    Entry {
      exceptions = exceptions == null ? Map.of() : Map.copyOf(exceptions);
    }

    boolean affects(String version) {
      return compare(from, version) <= 0 && compare(version, below) < 0;
    }
  }

  private static List<Entry> list() throws IOException {
    return new ObjectMapper().readValue(LIST.toFile(), new TypeReference<List<Entry>>() {});
  }

  /** Artifact to version. */
  private static Map<String, String> resolved(String classPath) {
    Map<String, String> versions = new TreeMap<>();
    for (String entry : classPath.split(":", -1)) {
      Matcher jar = JAR.matcher(entry);
      if (jar.matches()) {
        versions.put(jar.group(1).replace('/', '.') + ":" + jar.group(2), jar.group(3));
      }
    }
    return versions;
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** What a module has of the list without an exception, and exceptions that it needs no more. */
  private static List<String> affected(
      String module, List<Entry> list, Map<String, String> resolved) {
    List<String> affected = new ArrayList<>();
    for (Entry entry : list) {
      String version = resolved.get(entry.artifact);
      boolean vulnerable = version != null && entry.affects(version);
      boolean excepted = entry.exceptions.containsKey(module);
      if (vulnerable && !excepted) {
        affected.add(
            "%s: %s %s: %s (%s); remedy: %s"
                .formatted(module, entry.artifact, version, entry.id, entry.what, entry.remedy));
      } else if (excepted && !vulnerable) {
        affected.add(module + " needs no exception from " + entry.id + ": take it out");
      }
    }
    return affected;
  }

  /** Cassandra's is no module of the build: Maven resolves it here if it can without a network. */
  private static String classPathOfCassandra(Path temp) throws Exception {
    Path file = temp.resolve("classpath.txt");
    List<String> maven =
        new ArrayList<>(
            List.of(
                "mvn",
                "-o",
                "-B",
                "-q",
                "-f",
                "../cassandra/pom.xml",
                "dependency:build-classpath",
                "-Dmdep.includeScope=runtime",
                "-Dmdep.outputFile=" + file));
    String repository = System.getProperty("localRepository");
    if (repository != null) {
      maven.add("-Dmaven.repo.local=" + repository);
    }
    Process process =
        new ProcessBuilder(maven)
            .redirectErrorStream(true)
            .redirectOutput(temp.resolve("log").toFile())
            .start();
    process.waitFor();
    assumeTrue(
        Files.exists(file), "not run: what Cassandra needs is not in the local Maven repository");
    return Files.readString(file);
  }

  /** By numbers; what is no number, such as Final, does not count. */
  private static int compare(String a, String b) {
    String[] left = a.split("[^0-9]+", -1);
    String[] right = b.split("[^0-9]+", -1);
    for (int i = 0; i < Math.max(left.length, right.length); i++) {
      int order = Long.compare(part(left, i), part(right, i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static long part(String[] parts, int i) {
    return i >= parts.length || parts[i].isEmpty() ? 0 : Long.parseLong(parts[i]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"metric-sql", "ycsb"})
  void nothingThatAModuleRunsWithIsOnTheList(String module) throws IOException {
    Path file = Path.of("..", module, "target/classpath.txt");
    assumeTrue(Files.exists(file), "not run: " + module + " is not built");
    Map<String, String> resolved = resolved(Files.readString(file).strip());
    assumeFalse(resolved.isEmpty(), "not run: the class path is of no Maven repository");
    assertThat(affected(module, list(), resolved)).isEmpty();
  }

  @Test
  void nothingThatCassandraRunsWithIsOnTheList(@TempDir Path temp) throws Exception {
    Map<String, String> resolved = resolved(classPathOfCassandra(temp).strip());
    assertThat(resolved).containsKeys("io.netty:netty-codec", "org.yaml:snakeyaml");
    assertThat(affected("cassandra", list(), resolved)).isEmpty();
  }

  @Test
  void anExceptionIsForOneModuleAndFailsOnceItIsNotNeeded() {
    String artifact = "org.example:old";
    Entry seeded =
        new Entry(artifact, "0", "2", "SEEDED-1", "a test", "none", Map.of("m", "a reason"));
    assertThat(affected("m", List.of(seeded), Map.of(artifact, "1"))).isEmpty();
    assertThat(affected("n", List.of(seeded), Map.of(artifact, "1"))).hasSize(1);
    assertThat(affected("n", List.of(seeded), Map.of(artifact, "2"))).isEmpty();
    assertThat(affected("m", List.of(seeded), Map.of(artifact, "2")))
        .containsExactly("m needs no exception from SEEDED-1: take it out");
  }

  @Test
  void exceptionsHaveReasonsAndAreOfModules() throws IOException {
    for (Entry entry : list()) {
      assertThat(List.of("cassandra", "conformance", "metric-sql", "ycsb"))
          .containsAll(entry.exceptions.keySet());
      assertThat(entry.exceptions.values()).allMatch(reason -> reason.length() > 20);
    }
  }

  /** Its class path has those of all modules that have no program of their own. */
  @Test
  void nothingOnThisClassPathIsOnTheList() throws IOException {
    Map<String, String> resolved = resolved(classPath());
    assumeFalse(resolved.isEmpty(), "not run: the class path is of no Maven repository");
    assertThat(resolved).containsKeys("io.netty:netty-handler", "ch.qos.logback:logback-core");
    assertThat(affected("conformance", list(), resolved)).isEmpty();
  }

  @Test
  void aSeededEntryIsFound() throws IOException {
    Map<String, String> resolved = resolved(classPath());
    assumeFalse(resolved.isEmpty(), "not run: the class path is of no Maven repository");
    String artifact = "io.netty:netty-handler";
    Entry seeded =
        new Entry(artifact, "0", resolved.get(artifact) + ".1", "SEEDED-1", "a test", "none", null);
    assertThat(affected("conformance", List.of(seeded), resolved))
        .singleElement()
        .asString()
        .contains(artifact, "SEEDED-1", "remedy: none");
  }

  @Test
  void theVersionsThatDiedAreOnTheList() throws IOException {
    String old =
        "/m/repository/io/netty/netty-handler/4.1.115.Final/netty-handler-4.1.115.Final.jar:"
            + "/m/repository/ch/qos/logback/logback-core/1.5.12/logback-core-1.5.12.jar";
    assertThat(affected("conformance", list(), resolved(old)))
        .anyMatch(line -> line.contains("CVE-2025-24970"))
        .anyMatch(line -> line.contains("CVE-2024-12798"));
  }

  @Test
  void versionsAreComparedByTheirNumbers() {
    assertThat(compare("4.1.9.Final", "4.1.118.Final")).isNegative();
    assertThat(compare("2.0", "2.0.0")).isZero();
    assertThat(compare("1.79", "1.78.1")).isPositive();
  }
}
