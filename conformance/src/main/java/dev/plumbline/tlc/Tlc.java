package dev.plumbline.tlc;

import dev.plumbline.scratch.Scratch;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /** The classes that hold names in statics. */
  private static final List<String> HOLDERS =
      List.of(
          "tla2sany.parser.SyntaxTreeNode",
          "tla2sany.semantic.ASTConstants",
          "tla2sany.semantic.Generator",
          "tla2sany.st.SyntaxTreeConstants",
          "tla2sany.st.Location",
          "tlc2.module.TLC",
          "tlc2.tool.Action",
          "tlc2.tool.ToolGlobals");

  private static final String[] COUNTS = {"count", "length", "thresh", "tokenCnt"};

  private static boolean started;
  private static UniqueString[] first;
  private static int[] firstCounts;

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
      Path own = Scratch.folder("tlc");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> Scratch.delete(own)));
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

  /**
   * Makes the table of names what it was when this process began, so that a run does not depend on
   * those before it: TLC orders strings by when they were first met, and searches in that order.
   * Only for a process that keeps no value of the runs before.
   */
  static synchronized void forgetNames() {
    try {
      InternTable table = UniqueString.internTbl;
      if (first == null) {
        for (String holder : HOLDERS) {
          Class.forName(holder, true, Tlc.class.getClassLoader());
        }
        first = ((UniqueString[]) field("table").get(table)).clone();
        firstCounts = new int[COUNTS.length];
        for (int i = 0; i < COUNTS.length; i++) {
          firstCounts[i] = field(COUNTS[i]).getInt(table);
        }
      }
      field("table").set(table, first.clone());
      for (int i = 0; i < COUNTS.length; i++) {
        field(COUNTS[i]).setInt(table, firstCounts[i]);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this TLC keeps names in another way", e);
    }
  }

  private static Field field(String name) throws NoSuchFieldException {
    Field f = InternTable.class.getDeclaredField(name);
    f.setAccessible(true);
    return f;
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
