package dev.plumbline.cluster;

import dev.plumbline.node.ConfigException;
import dev.plumbline.node.NodeConfig;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.rocksdb.util.Environment;

/**
 * How a node's JVM is started quickly: from jars, with native libraries unpacked once and an
 * archive of the classes that a {@link Rehearsal} loads. All of that is kept in a folder named
 * after the class path's content.
 */
final class Launch {
  private static final String ARCHIVE = "classes.jsa";

  /** What makes certificates: nodes do not need it, and signed jars cannot be archived. */
  private static final Pattern AUTHORITY = Pattern.compile("/bc(pkix|prov|util)-[^/]*\\.jar$");

  private static final long REHEARSAL_SECONDS = 60;

  /** The variable of the environment that sets the heap of each process of a cluster. */
  private static final String HEAP = "PLUMB_NODE_HEAP_MB";

  private static final int HEAP_MIB = 256;

  private final List<String> base;

  private Launch(List<String> base) {
    this.base = base;
  }

  /** {@code Launch CACHE}: prepares what this process's class path needs, before the first node. */
  public static void main(String[] args) throws IOException {
    prepare(Path.of(args[0]));
  }

  /** The command that runs a class of the class path. */
  List<String> command(Class<?> main, String... arguments) {
    return Stream.of(base.stream(), Stream.of(main.getName()), Stream.of(arguments))
        .flatMap(s -> s)
        .toList();
  }

  /**
   * Prepares what this process's class path needs.
   *
   * @param cache folder for what is kept
   */
  static Launch prepare(Path cache) throws IOException {
    String surefire = System.getProperty("surefire.test.class.path");
    List<Path> entries =
        Stream.of(
                (surefire == null ? System.getProperty("java.class.path") : surefire)
                    .split(":", -1))
            .filter(entry -> !entry.isBlank())
            .map(Path::of)
            .filter(Files::exists)
            .filter(e -> !AUTHORITY.matcher(e.toString()).find())
            .map(Path::toAbsolutePath)
            .distinct()
            .toList();
    Path folder = cache.resolve(fingerprint(entries));
    if (!Files.exists(folder)) {
      prune(Files.createDirectories(cache));
      Path unfinished = Files.createTempDirectory(cache, "new");
      fill(unfinished, entries);
      try {
        Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        if (!Files.exists(folder)) {
          throw e;
        }
      }
    }
    Launch plain = new Launch(options(folder, entries, List.of()));
    Path archive = folder.resolve(ARCHIVE);
    if (!Files.exists(archive)) {
      rehearse(plain, folder, archive);
    }
    return Files.exists(archive)
        ? new Launch(options(folder, entries, List.of("-XX:SharedArchiveFile=" + archive)))
        : plain;
  }

  /** Deletes what earlier builds needed, unless it is so new that a cluster may run from it. */
  private static void prune(Path cache) throws IOException {
    Instant old = Instant.now().minus(Duration.ofDays(1));
    try (Stream<Path> all = Files.list(cache)) {
      for (Path folder : all.toList()) {
        if (Files.getLastModifiedTime(folder).toInstant().isBefore(old)) {
          Cluster.delete(folder);
        }
      }
    }
  }

  /** Megabytes of a node's heap, as a variable of the environment has them, or null. */
  static int heap(String given) {
    if (given != null && !given.matches("[1-9]\\d{1,5}")) {
      throw new ConfigException(
          HEAP,
          0,
          "\"" + given + "\" is no number of megabytes",
          "set it to 512, say, or unset it");
    }
    return given == null ? HEAP_MIB : Integer.parseInt(given);
  }

  private static List<String> options(Path folder, List<Path> entries, List<String> more) {
    List<String> options =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx" + heap(System.getenv(HEAP)) + "m",
                // A thread that ends by that alone would leave a process which does half its work.
                "-XX:+ExitOnOutOfMemoryError",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "-Dio.netty.allocator.type=unpooled",
                "-Djava.library.path=" + folder));
    options.addAll(more);
    options.add("-cp");
    options.add(
        String.join(
            ":",
            entries.stream()
                .map(e -> Files.isDirectory(e) ? jar(folder, entries.indexOf(e)) : e)
                .map(Path::toString)
                .toList()));
    return options;
  }

  private static Path jar(Path folder, int number) {
    return folder.resolve(number + ".jar");
  }

  private static String fingerprint(List<Path> entries) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path entry : entries) {
        for (Path file : files(entry)) {
          String line =
              file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file) + "\n";
          digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Path> files(Path entry) throws IOException {
    if (!Files.isDirectory(entry)) {
      return List.of(entry);
    }
    try (Stream<Path> all = Files.walk(entry)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void fill(Path folder, List<Path> entries) throws IOException {
    for (Path entry : entries) {
      if (Files.isDirectory(entry)) {
        try (OutputStream out = Files.newOutputStream(jar(folder, entries.indexOf(entry)));
            JarOutputStream jar = new JarOutputStream(out)) {
          for (Path file : files(entry)) {
            jar.putNextEntry(new JarEntry(entry.relativize(file).toString()));
            Files.copy(file, jar);
          }
        }
      }
    }
    String rocks = Environment.getJniLibraryFileName("rocksdb");
    unpack(rocks, folder.resolve(rocks));
    String tls = "libnetty_tcnative_linux_" + PlatformDependent.normalizedArch() + ".so";
    unpack("META-INF/native/" + tls, folder.resolve(tls));
  }

  private static void unpack(String resource, Path file) throws IOException {
    try (InputStream in = Launch.class.getClassLoader().getResourceAsStream(resource)) {
      if (in != null) {
        Files.copy(in, file);
      }
    }
  }

  /** Makes the archive; where that fails nodes start without it, only slower. */
  private static void rehearse(Launch plain, Path folder, Path archive) throws IOException {
    Path made = folder.resolve("new-" + ProcessHandle.current().pid() + ".jsa");
    Path stage = Files.createTempDirectory(folder, "rehearsal");
    for (NodeConfig config : Rehearsal.prepare(stage)) {
      Certificates.make(Path.of(config.tls()), config.nodes().keySet());
    }
    List<String> command = new ArrayList<>(plain.command(Rehearsal.class, stage.toString()));
    command.add(1, "-XX:ArchiveClassesAtExit=" + made);
    Process rehearsal =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("rehearsal.log").toFile())
            .start();
    try {
      if (!rehearsal.waitFor(REHEARSAL_SECONDS, TimeUnit.SECONDS)) {
        rehearsal.destroyForcibly();
      }
    } catch (InterruptedException e) {
      rehearsal.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Cluster.delete(stage);
    if (Files.exists(made)) {
      Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
