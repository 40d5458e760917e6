package dev.plumbline.metric.sql.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumbline.metric.sql.local.EmbeddedPostgreSql;
import dev.plumbline.metric.sql.local.LocalDatabase;
import dev.plumbline.metric.sql.local.PostgreSql;
import dev.plumbline.metric.sql.local.Sql;
import dev.plumbline.metric.sql.local.TestPostgres;
import dev.plumbline.metric.sql.log.Machines;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A site whose local database has no room left, on a small file system that root may mount. */
@Tag("slow")
class FullDiskTest {
  private static final int MIB = 1 << 20;
  private static final long MINUTE_NANOS = 60_000_000_000L;

  @TempDir Path folder;

  private static boolean run(String... command) throws IOException {
    return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue() == 0;
  }

  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] some = new byte[4096];
      while (true) {
        out.write(some);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).contains("No space left");
    }
  }

  private static void insert(Site site, String text) throws SQLException {
    try (Connection c = site.connect();
        PreparedStatement s = c.prepareStatement("insert into note (t) values (?)")) {
      s.setString(1, text);
      assertThat(s.executeUpdate()).isEqualTo(1);
    }
  }

  private static String some() {
    StringBuilder text = new StringBuilder();
    new Random(1).ints(MIB, ' ', '~').forEach(i -> text.append((char) i));
    return text.toString();
  }

  @Test
  void aTransactionFailsAndLeavesNothing() throws Exception {
    onASmallDisk(
        (a, b, ballast) -> {
          insert(a, "first");
          fill(ballast);
          String large = some();
          assertThatThrownBy(() -> insert(a, large))
              .isInstanceOf(SQLException.class)
              .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("53100"));
          assertThat(ask(b, "select t from note")).containsExactly("first");
          insert(b, "second");
          insert(b, large);
          // What the log has for it has no room either: it reads nothing that is older.
          assertThatThrownBy(() -> ask(a, "select t from note"))
              .isInstanceOf(SQLException.class)
              .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("53100"));

          Files.delete(ballast);
          insert(a, large);
          assertThat(ask(b, "select length(t) from note order by id"))
              .containsExactly("5", "6", Integer.toString(MIB), Integer.toString(MIB));
          assertThat(ask(a, "select length(t) from note order by id"))
              .containsExactly("5", "6", Integer.toString(MIB), Integer.toString(MIB));
        });
  }

  private static boolean serves(Site site) {
    try {
      return ask(site, "select 1").equals(List.of("1"));
    } catch (SQLException e) {
      assertThat(e.getSQLState()).startsWith("08");
      return false;
    }
  }

  /** PostgreSQL ends where it has no room for its own log, and is started again when it has. */
  @Test
  void whatWasAcknowledgedIsElsewhereWhenTheDatabaseEnds() throws Exception {
    onASmallDisk(
        (a, b, ballast) -> {
          fill(ballast);
          try (RandomAccessFile some = new RandomAccessFile(ballast.toFile(), "rw")) {
            some.setLength(some.length() - 5 * MIB);
          }
          List<String> acknowledged = new ArrayList<>();
          String text = some().substring(0, 60_000);
          boolean gone = false;
          for (int i = 0; i < 300 && !gone; i++) {
            try {
              insert(a, i + " " + text);
              acknowledged.add(Integer.toString(i));
            } catch (SQLException e) {
              assertThat(e.getSQLState()).isIn("53100", "08001", "08006");
              gone = e.getSQLState().startsWith("08");
            }
          }
          assertThat(gone).isTrue();
          assertThat(acknowledged).isNotEmpty();
          String all = "select split_part(t, ' ', 1) from note order by id";
          assertThat(ask(b, all)).isEqualTo(acknowledged);

          Files.delete(ballast);
          acknowledged.add("again");
          long end = System.nanoTime() + MINUTE_NANOS;
          while (!serves(a) && System.nanoTime() < end) {
            Thread.sleep(500);
          }
          insert(a, "again");
          assertThat(ask(a, all)).isEqualTo(acknowledged);
          assertThat(ask(b, all)).isEqualTo(acknowledged);
        });
  }

  /** What happens to a site on the small disk, and to another one. */
  @FunctionalInterface
  private interface Story {
    /**
     * @param ballast a file that can fill the disk
     */
    void tell(Site small, Site other, Path ballast) throws Exception;
  }

  private void onASmallDisk(Story story) throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", disk.toString()),
        "only root mounts a small file system");
    String other = TestPostgres.database();
    EmbeddedPostgreSql server = new EmbeddedPostgreSql(disk.resolve("data"), 20);
    EmbeddedPostgreSql.Kept small = new EmbeddedPostgreSql.Kept(server, "tiny");
    try (AutoCloseable closed = small::close;
        Machines machines = new Machines(2)) {
      assertThat(closed).isNotNull();
      server.create("tiny");
      try (Site a = site(machines, 0, small);
          Site b = site(machines, 1, () -> TestPostgres.server().connect(other))) {
        try (Connection c = a.initialize()) {
          Sql.run(c, "create table note (id serial primary key, t text)", "end initialization");
        }
        story.tell(a, b, disk.resolve("ballast"));
      }
    } finally {
      assertThat(run("umount", disk.toString())).isTrue();
    }
  }

  private static Site site(Machines machines, int i, LocalDatabase.Source source)
      throws SQLException {
    Site.Options options = TestSites.QUICK;
    return new Site(
        "site" + i,
        new LocalDatabase(new PostgreSql(), source),
        machines.process(i, options.patience(), options.lease()),
        options);
  }

  private static List<String> ask(Site site, String sql) throws SQLException {
    try (Connection c = site.connect()) {
      return Sql.strings(c, sql);
    }
  }
}
