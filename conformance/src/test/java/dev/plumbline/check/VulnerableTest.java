package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No version that the pinned list knows to be vulnerable is on the resolved class path. */
class VulnerableTest {
  private static final Path LIST = Path.of("vulnerable.json");

  /** A jar in a Maven repository: group, artifact, version. */
  private static final Pattern JAR =
      Pattern.compile(".*/repository/(.+)/([^/]+)/([^/]+)/\\2-\\3[^/]*\\.jar");

  private record Entry(
      String artifact, String from, String below, String id, String what, String remedy) {

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

  private static List<String> affected(List<Entry> list, Map<String, String> resolved) {
    List<String> affected = new ArrayList<>();
    for (Entry entry : list) {
      String version = resolved.get(entry.artifact);
      if (version != null && entry.affects(version)) {
        affected.add(
            entry.artifact
                + " "
                + version
                + ": "
                + entry.id
                + " ("
                + entry.what
                + "); remedy: "
                + entry.remedy);
      }
    }
    return affected;
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

  @Test
  void nothingOnTheClassPathIsOnTheList() throws IOException {
    Map<String, String> resolved = resolved(classPath());
    assumeFalse(resolved.isEmpty(), "not run: the class path is of no Maven repository");
    assertThat(resolved).containsKeys("io.netty:netty-handler", "ch.qos.logback:logback-core");
    assertThat(affected(list(), resolved)).isEmpty();
  }

  @Test
  void aSeededEntryIsFound() throws IOException {
    Map<String, String> resolved = resolved(classPath());
    assumeFalse(resolved.isEmpty(), "not run: the class path is of no Maven repository");
    String artifact = "io.netty:netty-handler";
    Entry seeded =
        new Entry(artifact, "0", resolved.get(artifact) + ".1", "SEEDED-1", "a test", "none");
    assertThat(affected(List.of(seeded), resolved))
        .singleElement()
        .asString()
        .contains(artifact, "SEEDED-1", "remedy: none");
  }

  @Test
  void theVersionsThatDiedAreOnTheList() throws IOException {
    String old =
        "/m/repository/io/netty/netty-handler/4.1.115.Final/netty-handler-4.1.115.Final.jar:"
            + "/m/repository/ch/qos/logback/logback-core/1.5.12/logback-core-1.5.12.jar";
    assertThat(affected(list(), resolved(old)))
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
