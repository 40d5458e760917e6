package dev.plumbline.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A Cassandra of a test's own, as a process that may be killed and started again. */
final class CassandraProcess implements AutoCloseable {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private final Path folder;
  private final CassandraServers.Member member;
  private final Path output;
  private long said;
  private Process process;

  CassandraProcess(Path folder, CassandraServers.Member member) throws IOException {
    this.folder = folder;
    this.member = member;
    output = Files.createDirectories(folder).resolve("out.log");
  }

  /** Starts it, on the same files as before; it may not serve yet. */
  void start() throws IOException {
    said = Files.exists(output) ? Files.size(output) : 0;
    process =
        new ProcessBuilder(
                CassandraServers.command(CassandraServers.classPath(ROOT), folder, member))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
  }

  void await() throws IOException {
    CassandraServers.await(process, output, said);
  }

  /** SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  String address() {
    return member.address();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
