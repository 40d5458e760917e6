package dev.plumbline.check;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a result depends on besides its input: commit, tools, machine; and when it was made. */
public final class Manifest {
  private Manifest() {}

  /** The manifest common to all results of a run; memory in MiB. */
  public static ObjectNode of(Path root, Map<String, String> tools) {
    ObjectNode m = new ObjectMapper().createObjectNode();
    String commit = git(root, "rev-parse", "HEAD");
    m.put("commit", commit == null ? "unknown" : commit);
    String status = git(root, "status", "--porcelain");
    m.put("dirty", status == null || !status.isEmpty());
    m.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    ObjectNode t = m.putObject("tools").put("java", System.getProperty("java.vm.version"));
    tools.forEach(t::put);
    ObjectNode machine =
        m.putObject("machine").put("cores", Runtime.getRuntime().availableProcessors());
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean os) {
      machine.put("memory", os.getTotalMemorySize() >> 20);
    }
    return m;
  }

  private static String git(Path root, String... args) {
    String[] command = new String[args.length + 3];
    command[0] = "git";
    command[1] = "-C";
    command[2] = root.toString();
    System.arraycopy(args, 0, command, 3, args.length);
    try {
      Process p =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return p.waitFor(10, TimeUnit.SECONDS) && p.exitValue() == 0 ? out : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
