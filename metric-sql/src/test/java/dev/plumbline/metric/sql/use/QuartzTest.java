package dev.plumbline.metric.sql.use;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.site.Site;
import dev.plumbline.metric.sql.site.TestSites;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Quartz, whose cluster is three schedulers that know each other by the database alone, one at each
 * site.
 */
@Tag("slow")
class QuartzTest {
  private static final int JOBS = 12;
  private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();
  private static final Map<String, String> WHERE = new ConcurrentHashMap<>();

  /** Counts its runs. */
  public static final class Counted implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      try {
        String name = context.getJobDetail().getKey().getName();
        RUNS.computeIfAbsent(name, n -> new AtomicInteger()).incrementAndGet();
        WHERE.put(context.getScheduler().getSchedulerInstanceId(), name);
        // Long enough for the other schedulers to find work.
        Thread.sleep(400);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (org.quartz.SchedulerException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Scheduler scheduler(String id, String url, String delegate) throws Exception {
    Properties p = new Properties();
    p.setProperty("org.quartz.scheduler.instanceName", "cluster");
    p.setProperty("org.quartz.scheduler.instanceId", id);
    p.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
    p.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
    p.setProperty("org.quartz.threadPool.threadCount", "1");
    p.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    p.setProperty(
        "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore." + delegate);
    p.setProperty("org.quartz.jobStore.isClustered", "true");
    p.setProperty("org.quartz.jobStore.clusterCheckinInterval", "2000");
    // Metric locks tables, so that locks are best taken in one order: Quartz's own lock first.
    p.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
    p.setProperty("org.quartz.jobStore.doubleCheckLockMisfireHandler", "false");
    p.setProperty("org.quartz.jobStore.dataSource", id);
    p.setProperty(
        "org.quartz.dataSource." + id + ".connectionProvider.class", Connections.class.getName());
    p.setProperty("org.quartz.dataSource." + id + ".url", url);
    // One JVM knows one scheduler of a name: what stands for three processes must not.
    SchedulerRepository.getInstance().remove("cluster");
    return new StdSchedulerFactory(p).getScheduler();
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql, tables_postgres.sql, PostgreSQLDelegate",
    "mariadb, tables_mysql_innodb.sql, StdJDBCDelegate"
  })
  void aJobRunsExactlyOnceOverThreeSites(String database, String tables, String delegate)
      throws Exception {
    RUNS.clear();
    WHERE.clear();
    // A scheduler that is shut down interrupts its threads. What one leaves open ends with its
    // lease, for which others wait.
    Site.Options options =
        new Site.Options(
            Duration.ofSeconds(30), Duration.ofSeconds(15), Duration.ofMillis(200), 40);
    try (TestSites sites = TestSites.on(database, 3, options)) {
      List<String> urls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        urls.add("jdbc:metric://127.0.0.1:" + sites.serve(i).port());
      }
      try (Connection c = DriverManager.getConnection(urls.get(0) + "?initialization=true");
          InputStream script =
              Scheduler.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/" + tables)) {
        String sql =
            new String(script.readAllBytes(), StandardCharsets.UTF_8)
                .replaceAll("(?m)^(--|#).*$", "");
        for (String statement : sql.split(";", -1)) {
          if (!statement.isBlank() && !statement.strip().equalsIgnoreCase("commit")) {
            Sql.run(c, statement);
          }
        }
        Sql.run(c, "end initialization");
      }
      List<Scheduler> cluster = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        cluster.add(scheduler("node" + i, urls.get(i), delegate));
      }
      for (Scheduler s : cluster) {
        s.start();
      }
      for (int i = 0; i < JOBS; i++) {
        JobDetail job =
            JobBuilder.newJob(Counted.class)
                .withIdentity("job" + i)
                .storeDurably()
                .requestRecovery()
                .build();
        cluster
            .get(i % 3)
            .scheduleJob(
                job,
                TriggerBuilder.newTrigger()
                    .withIdentity("trigger" + i)
                    .startNow()
                    .withSchedule(
                        SimpleScheduleBuilder.simpleSchedule()
                            .withIntervalInMilliseconds(700)
                            .withRepeatCount(1))
                    .build());
      }
      long end = System.nanoTime() + 60_000_000_000L;
      while (runs() < 2 * JOBS && System.nanoTime() < end) {
        Thread.sleep(200);
      }
      // A second run of any would come within the time in which a scheduler looks again.
      Thread.sleep(3_000);
      for (Scheduler s : cluster) {
        s.shutdown(true);
      }
      assertThat(RUNS).hasSize(JOBS);
      assertThat(RUNS.values()).allSatisfy(n -> assertThat(n.get()).isEqualTo(2));
      assertThat(WHERE).hasSizeGreaterThan(1);
      assertThat(sites.ask(1, "select count(*) from QRTZ_TRIGGERS")).containsExactly("0");
      assertThat(sites.machines().entries()).isGreaterThan(2);
    }
  }

  private static int runs() {
    return RUNS.values().stream().mapToInt(AtomicInteger::get).sum();
  }
}
