package dev.plumbline.check;

import dev.plumbline.protocol.Near;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Where things are: {@code specs/} and {@code docs/} of the repository, and {@code .plumb/} for
 * what is made.
 */
public record Workspace(Path root) {
  private static final String PART = ".part-";
  private static final AtomicLong PARTS = new AtomicLong();

  /** Processes that share a folder may have one number, in containers. */
  private static final String OWN =
      ProcessHandle.current().pid() + "-" + Long.toHexString(new SecureRandom().nextLong());

  /** The repository that the launcher names, or the current folder. */
  public static Workspace here() {
    String root = System.getenv("PLUMB_ROOT");
    return new Workspace(Path.of(root == null ? "" : root).toAbsolutePath());
  }

  public Path specs() {
    return root.resolve("specs");
  }

  public Path docs() {
    return root.resolve("docs");
  }

  public Path made() {
    return root.resolve(".plumb");
  }

  /** Remembered outcomes; PLUMB_CACHE names a folder that is shared, or restored by a CI. */
  public Path cache() {
    String named = System.getenv("PLUMB_CACHE");
    return named == null || named.isEmpty() ? made().resolve("cache") : Path.of(named);
  }

  public Path runFolder(String protocol, String check) {
    return made().resolve("run").resolve(protocol).resolve(check);
  }

  /** All protocols that have a checks.yaml, by name. */
  public List<Checks> protocols() {
    List<Checks> all = new ArrayList<>();
    if (Files.isDirectory(specs())) {
      try (Stream<Path> folders = Files.list(specs())) {
        for (Path p : folders.sorted().toList()) {
          if (Files.isRegularFile(p.resolve("checks.yaml"))) {
            all.add(Checks.read(p.resolve("checks.yaml"), docs()));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    if (all.isEmpty()) {
      throw new InputError(
          specs().toString(), 0, "no protocol has a checks.yaml", "see docs/checks-file.md");
    }
    return all;
  }

  /**
   * The protocols of these names, or all where none is given.
   *
   * @throws InputError if there is none of a name
   */
  public List<Checks> protocols(List<String> names) {
    List<Checks> all = protocols();
    List<String> known = all.stream().map(Checks::protocol).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new InputError(
            "",
            0,
            "there is no protocol " + name,
            Near.remedy(name, known, "protocols: " + String.join(", ", known)));
      }
    }
    return all.stream().filter(p -> names.isEmpty() || names.contains(p.protocol())).toList();
  }

  /**
   * A new folder under {@code .plumb/work} that no other command uses; the caller deletes it. Those
   * of processes that are gone are deleted here.
   */
  public Path place() {
    Path work = made().resolve("work");
    try {
      Files.createDirectories(work);
      try (Stream<Path> others = Files.list(work)) {
        others.filter(p -> !owned(p.getFileName().toString())).forEach(Workspace::delete);
      }
      return Files.createTempDirectory(work, ProcessHandle.current().pid() + "-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Does what only one command at a time can do in a checkout.
   *
   * @param lock a file that says so; it stays
   * @throws Unjudged if another command is at it
   */
  public static <T> T alone(Path lock, String what, Supplier<T> work) {
    Unjudged taken =
        new Unjudged(what + ": another command does the same here; wait until it has ended");
    try {
      Files.createDirectories(lock.getParent());
      try (FileChannel file =
              FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock held = file.tryLock()) {
        if (held == null) {
          throw taken;
        }
        return work.get();
      }
    } catch (OverlappingFileLockException e) {
      throw taken;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean owned(String place) {
    String pid = place.replaceFirst("-.*", "");
    return pid.matches("\\d{1,18}")
        && ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::isAlive).orElse(false);
  }

  /** Deletes a folder and what is in it, as far as that is possible. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // what is left is deleted by a later command
    }
  }

  /** What a failed access to files says, with the file and the reason. */
  public static String said(IOException e) {
    return e instanceof FileSystemException f && f.getReason() == null
        ? f.getFile() + ": " + words(f.getClass().getSimpleName())
        : String.valueOf(e.getMessage());
  }

  /** What an exception's name says: NoSuchFileException is "no such file". */
  private static String words(String exception) {
    return exception
        .replaceAll("Exception$", "")
        .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
        .toLowerCase(Locale.ROOT);
  }

  /**
   * The text of a file that a person wrote.
   *
   * @throws InputError if it is not UTF-8
   */
  static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (CharacterCodingException e) {
      throw new InputError(file.toString(), 0, "not UTF-8 text", "save it as UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it is what a command that was stopped left of a file that it was writing. */
  public static boolean isPart(Path file) {
    return file.getFileName().toString().startsWith(PART);
  }

  /** Writes a file so that it is either whole or not there, for all to read. */
  public static void writeWhole(Path file, String text) {
    Path part = file.resolveSibling(PART + OWN + "-" + PARTS.incrementAndGet());
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(part, text, StandardCharsets.UTF_8);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      delete(part);
      throw new UncheckedIOException(e);
    }
  }
}
