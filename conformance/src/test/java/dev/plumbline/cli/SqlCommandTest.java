package dev.plumbline.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.cluster.SqlServers;
import dev.plumbline.protocol.ProtocolSystem;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SqlCommandTest {
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int run(String protocol) {
    CommandLine sql = new CommandLine(new SqlCommand()).setErr(new PrintWriter(err));
    return sql.execute(protocol, "S1", "--dir", folder.toString(), "-e", "select 1");
  }

  @Test
  void whereNoClusterIsUpNothingIsAsked() throws IOException {
    assertThat(run("metric")).isEqualTo(2);
    // What a cluster leaves that has gone down.
    Path url = SqlServers.url(folder, "S1");
    Files.createDirectories(url.getParent());
    Files.writeString(url, "jdbc:metric://127.0.0.1:1");
    assertThat(run("metric")).isEqualTo(2);
    assertThat(err.toString())
        .contains("no cluster with an SQL server of S1 is up in " + folder)
        .contains("./plumb cluster up metric --sql");
  }

  @Test
  void theShellIsToldWhatTheServersUrlSays() {
    ProtocolSystem.SqlSide side = SqlCommand.side("sql", "metric");
    assertThat(SqlServers.client(side, "jdbc:metric://h:1?initialization=true"))
        .isEqualTo(
            "jdbc:avatica:remote:url=http://h:1;serialization=protobuf;initialization='true'");
    assertThat(
            SqlServers.client(side, "jdbc:metric://h:1?truststore=%2Fa%3B+it%27s&key_password=x"))
        .isEqualTo(
            "jdbc:avatica:remote:url=https://h:1;serialization=protobuf;truststore='/a; it''s'"
                + ";key_password='x'");
  }

  @Test
  void aProtocolWithoutSqlSaysSo() {
    assertThat(run("k2")).isEqualTo(2);
    assertThat(err.toString()).contains("k2 serves no SQL");
  }

  @Test
  void errorsComeWithoutStackTraces() throws IOException {
    String errors =
        """
        Error: of a statement
        of two lines (state=55000,code=0)
        org.example.SqlException: Error of a statement
        of two lines (state=55000,code=0)
        \tat org.example.Shell.run(Shell.java:1)
        ServerException: it was refused
        \tat org.example.Server.run(Server.java:1)

        1 row selected
        """;
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    SqlCommand.withoutTraces(
        new BufferedReader(new StringReader(errors)), new PrintStream(shown, true, UTF_8));
    assertThat(shown.toString(UTF_8))
        .isEqualToIgnoringNewLines(
            """
            Error: of a statement
            of two lines (state=55000,code=0)

            1 row selected
            """);
  }
}
