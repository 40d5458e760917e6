package dev.plumbline.metric.sql.use;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestMariaDb;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.node.TestCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Apache JMeter, a process of its own that knows URLs alone, is the load of a cluster of processes:
 * at each of three sites several threads pay in to the same accounts, all of whose sums agree in
 * every transaction. The third site is reached by Avatica's own driver.
 */
@Tag("slow")
class JMeterTest {
  private static final Path HOME = Path.of("target", "jmeter").toAbsolutePath();
  private static final List<String> REGIONS = List.of("S1", "S2", "S3");
  private static final int THREADS = 3;
  private static final int LOOPS = 40;
  private static final int AMOUNT = 3;
  private static final int SAMPLERS = 4;
  private static final long MINUTES = 8;

  @TempDir Path folder;

  private static Path avatica() throws IOException {
    try (Stream<Path> jars = Files.list(Path.of("target", "shell"))) {
      return jars.filter(j -> j.getFileName().toString().matches("avatica-[0-9.]+\\.jar"))
          .findFirst()
          .orElseThrow()
          .toAbsolutePath();
    }
  }

  /** Runs the plan; returns what JMeter's own report says of each sampler. */
  private JsonNode load(Map<String, String> urls) throws Exception {
    Files.createDirectories(HOME.resolve("lib/junit"));
    String drivers = Path.of("target", "classes").toAbsolutePath() + File.pathSeparator + avatica();
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Djava.awt.headless=true",
                "-Djava.util.prefs.userRoot=" + folder,
                "-Djmeter.home=" + HOME,
                "-cp"));
    try (Stream<Path> bin = Files.list(HOME.resolve("bin"))) {
      command.add(
          bin.filter(j -> j.toString().endsWith(".jar")).findFirst().orElseThrow().toString());
    }
    command.addAll(
        List.of(
            "org.apache.jmeter.NewDriver",
            "-n",
            "-t",
            Path.of("src/test/resources/jmeter/deposits.jmx").toAbsolutePath().toString(),
            "-l",
            folder.resolve("samples.csv").toString(),
            "-j",
            folder.resolve("jmeter.log").toString(),
            "-e",
            "-o",
            folder.resolve("report").toString(),
            "-Juser.classpath=" + drivers,
            "-Jjmeterengine.nongui.port=0",
            "-Jthreads=" + THREADS,
            "-Jloops=" + LOOPS));
    urls.forEach(
        (site, url) -> {
          boolean own = url.startsWith("jdbc:metric:");
          command.add("-Jurl." + site + "=" + url);
          command.add(
              "-Jdriver."
                  + site
                  + "="
                  + (own
                      ? "dev.plumbline.metric.sql.driver.MetricDriver"
                      : "org.apache.calcite.avatica.remote.Driver"));
        });
    Path said = folder.resolve("said.txt");
    Process jmeter =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      assertThat(jmeter.waitFor(MINUTES, TimeUnit.MINUTES)).as("JMeter ends").isTrue();
    } finally {
      jmeter.destroyForcibly();
    }
    assertThat(jmeter.exitValue()).as(Files.readString(said)).isZero();
    Path statistics = folder.resolve("report/statistics.json");
    assertThat(statistics).as(Files.readString(said) + failed()).exists();
    return new ObjectMapper().readTree(statistics.toFile());
  }

  /** Samples that failed, with what JMeter wrote of them. */
  private String failed() throws IOException {
    Path samples = folder.resolve("samples.csv");
    try (Stream<String> lines = Files.lines(samples)) {
      return lines.filter(l -> l.contains(",false,")).limit(20).collect(Collectors.joining("\n"));
    }
  }

  private static List<String> ask(String url, String sql) throws Exception {
    try (Connection c = DriverManager.getConnection(url)) {
      return Sql.strings(c, sql);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mariadb"})
  void whatItCommittedIsAtEverySite(String database) throws Exception {
    // Whether there is a PostgreSQL here at all.
    assertThat(TestPostgres.server()).isNotNull();
    Map<String, String> databases = new HashMap<>();
    for (String region : database.equals("mariadb") ? REGIONS : List.<String>of()) {
      databases.put(region, TestMariaDb.url());
    }
    try (TestCluster cluster = new TestCluster(folder, List.of("patience=60000"), databases)) {
      Map<String, String> urls = cluster.serve(REGIONS);
      try (Connection c = DriverManager.getConnection(urls.get("S1") + "?initialization=true")) {
        Sql.run(
            c,
            "create table account (id int primary key, balance int not null)",
            "create table entry (site varchar(9), thread int, n int, amount int, primary key (site, thread, n))",
            "insert into account values (1, 100), (2, 100), (3, 100)",
            "end initialization");
      }
      String third = urls.get("S3").replaceFirst(".*//", "");
      JsonNode report =
          load(
              Map.of(
                  "S1",
                  urls.get("S1"),
                  "S2",
                  urls.get("S2"),
                  "S3",
                  "jdbc:avatica:remote:url=http://" + third + ";serialization=protobuf"));
      int each = THREADS * LOOPS;
      int committed = 0;
      for (String region : REGIONS) {
        JsonNode commits = report.get("commit at " + region);
        committed += commits.get("sampleCount").intValue() - commits.get("errorCount").intValue();
      }
      JsonNode total = report.get("Total");
      assertThat(total.get("errorCount").intValue()).as(failed()).isZero();
      assertThat(total.get("sampleCount").intValue()).isEqualTo(REGIONS.size() * each * SAMPLERS);
      assertThat(committed).isEqualTo(REGIONS.size() * each);
      System.out.printf(
          "JMeter: %d transactions, %.1f a second, errors %d; mean of a commit %.0f ms, %.0f ms, %.0f ms%n",
          committed,
          total.get("throughput").doubleValue() / SAMPLERS,
          total.get("errorCount").intValue(),
          report.get("commit at S1").get("meanResTime").doubleValue(),
          report.get("commit at S2").get("meanResTime").doubleValue(),
          report.get("commit at S3").get("meanResTime").doubleValue());
      for (String region : REGIONS) {
        assertThat(ask(urls.get(region), "select sum(balance) from account"))
            .as(region)
            .containsExactly(Integer.toString(100 * THREADS + AMOUNT * committed));
        assertThat(ask(urls.get(region), "select sum(amount) from entry"))
            .as(region)
            .containsExactly(Integer.toString(AMOUNT * committed));
        assertThat(
                ask(
                    urls.get(region),
                    "select count(*) from entry group by site, thread order by site, thread"))
            .as(region)
            .hasSize(REGIONS.size() * THREADS)
            .containsOnly(Integer.toString(LOOPS));
      }
    }
  }
}
