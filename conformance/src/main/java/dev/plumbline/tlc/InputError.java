package dev.plumbline.tlc;

/**
 * A fault in what the user wrote: says where (file and line, line 0 when unknown), what, and the
 * remedy.
 */
public final class InputError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final int line;
  private final String remedy;

  public InputError(String file, int line, String message, String remedy) {
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

  /** Whether it lies in a specification or its configuration, and not in what these judge. */
  public boolean ofSpecification() {
    return file.endsWith(".tla") || file.endsWith(".cfg");
  }

  /** {@code FILE:LINE: message} and the remedy on a second line. */
  public String describe() {
    String where = file.isEmpty() ? "" : line > 0 ? file + ":" + line + ": " : file + ": ";
    return where + getMessage() + (remedy.isEmpty() ? "" : "\n  remedy: " + remedy);
  }
}
