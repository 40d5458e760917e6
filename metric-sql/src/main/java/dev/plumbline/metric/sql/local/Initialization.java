package dev.plumbline.metric.sql.local;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Initialization is in the redo log too: schemas and first rows come to the other sites as entries
 * of this table.
 */
public final class Initialization {
  /**
   * The table in whose name the entries of initialization stand. No table of a database has such a
   * name.
   */
  public static final String TABLE = "#initialization";

  /** Its position says that initialization has ended, and where. */
  public static final String ENDED = "#ended";

  /** What a line of a digest begins with that is of no rows. Older digests have none. */
  static final String DEFINED = "defined ";

  /** Why a statement is refused that changes the schema under a setting that is not carried. */
  static final String SET =
      "what changes the schema would be run without that setting at the other sites, and could mean something else there;"
          + " set it back before";

  private Initialization() {}

  /** A digest, in the terms of another one. */
  static String like(String there, String here) {
    return ("\n" + there).contains("\n" + DEFINED)
        ? here
        : here.lines()
            .filter(line -> !line.startsWith(DEFINED))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
  }

  /** The first line in which two digests differ. */
  static String difference(String there, String here) {
    List<String> left = there.lines().toList();
    List<String> right = here.lines().toList();
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      String a = i < left.size() ? left.get(i) : "nothing";
      String b = i < right.size() ? right.get(i) : "nothing";
      if (!a.equals(b)) {
        return "there " + a + ", here " + b;
      }
    }
    return "no line differs";
  }
}
