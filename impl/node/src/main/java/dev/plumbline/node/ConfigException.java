package dev.plumbline.node;

/** A fault in a file of a node or a cluster: where it is, what it is, and the remedy. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final int line;
  private final String remedy;

  /**
   * @param line counted from 1; 0 when the fault has no line
   */
  public ConfigException(String file, int line, String message, String remedy) {
    super(message);
    this.file = file;
    this.line = line;
    this.remedy = remedy;
  }

  public String file() {
    return file;
  }

  /** Counted from 1; 0 when the fault has no line. */
  public int line() {
    return line;
  }

  public String remedy() {
    return remedy;
  }

  /** {@code FILE:LINE: message} and the remedy on a second line. */
  public String describe() {
    return file + (line > 0 ? ":" + line : "") + ": " + getMessage() + "\n  remedy: " + remedy;
  }
}
