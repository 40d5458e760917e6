package dev.plumbline.tlc;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tlc2.TLCGlobals;
import tlc2.tool.fp.FPSetFactory;
import tlc2.util.FP64;
import util.FilenameToStream;
import util.InternTable;
import util.SimpleFilenameToStream;
import util.ToolIO;
import util.UniqueString;

/**
 * What TLC keeps in statics, in one place: output, temporary files, fingerprints, variable slots.
 */
final class Tlc {
  static final PrintStream NOWHERE =
      new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

  private static final String TEMPORARY = "plumb-tlc-";
  private static final Pattern OF_PROCESS = Pattern.compile(TEMPORARY + "(\\d{1,9})-\\d+");

  private static boolean started;

  private Tlc() {}

  /**
   * Makes this JVM ready for TLC. TLC copies its standard modules into the temporary folder under
   * fixed names, so each JVM gets a folder of its own.
   */
  static synchronized void start() {
    if (started) {
      return;
    }
    String before = System.getProperty("java.io.tmpdir");
    try {
      sweep(Path.of(before));
      Path own = Files.createTempDirectory(TEMPORARY + ProcessHandle.current().pid() + "-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(own)));
      System.setProperty("java.io.tmpdir", own.toString());
      Class.forName(FilenameToStream.class.getName(), true, Tlc.class.getClassLoader());
      if (!FilenameToStream.TMPDIR.startsWith(own.toString())) {
        throw new IllegalStateException("TLC was started before Plumbline prepared it");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
    silence();
    FP64.Init(0);
    started = true;
  }

  /** Deletes the folders of processes that were ended before they could do so themselves. */
  static void sweep(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path each : all.toList()) {
        Matcher name = OF_PROCESS.matcher(each.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          delete(each);
        }
      }
    }
  }

  /** What cannot be deleted stays: another process may be at it, or own it. */
  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      return;
    }
  }

  static void silence() {
    output(NOWHERE);
  }

  static void output(PrintStream to) {
    ToolIO.out = to;
    ToolIO.err = to;
  }

  /**
   * Finds modules first beside the root module, then in each of {@code library}, then TLC's own.
   */
  static FilenameToStream resolver(Path module, Path config, List<Path> library) {
    ToolIO.setUserDir(config.toAbsolutePath().getParent() + File.separator);
    List<String> folders = new ArrayList<>();
    folders.add(module.toAbsolutePath().getParent().toString());
    library.forEach(p -> folders.add(p.toAbsolutePath().toString()));
    return new SimpleFilenameToStream(folders.toArray(new String[0]));
  }

  /**
   * Forgets the slots that names had in the specification loaded before. TLC numbers variables and
   * definitions in slots kept with each name; a slot left over would let a name of the next
   * specification read another's value.
   */
  static void forgetSlots() {
    try {
      Field table = InternTable.class.getDeclaredField("table");
      table.setAccessible(true);
      for (UniqueString name : (UniqueString[]) table.get(UniqueString.internTbl)) {
        if (name != null) {
          name.setLoc(-1);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this TLC can load only one specification in a process", e);
    }
  }

  /** TLC's version and the jar it came from. */
  static String version() {
    String jar =
        Path.of(FPSetFactory.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getFileName()
            .toString();
    return TLCGlobals.versionOfTLC + " [" + jar + "]";
  }
}
