package dev.plumbline.node;

import java.io.IOException;
import java.nio.file.Path;

/** A node's folder does not hold what the node answered for; it must not serve. */
final class LostLog extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param file at fault
   * @param what is wrong with it
   */
  LostLog(Path file, String what) {
    this(file, what, null);
  }

  LostLog(Path file, String what, Throwable cause) {
    this(
        file.toString(),
        what,
        "mend the disk, then put the node's whole data folder back as it was when the node last"
            + " ended (docs/durability.md)",
        cause);
  }

  /**
   * @param place at fault
   * @param what is wrong with it
   * @param remedy what helps
   */
  LostLog(String place, String what, String remedy, Throwable cause) {
    super(
        place
            + ": "
            + what
            + "; this node does not serve, since acknowledged writes may be lost\n"
            + "  remedy: "
            + remedy,
        cause);
  }
}
