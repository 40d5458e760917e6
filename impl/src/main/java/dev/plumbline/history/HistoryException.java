package dev.plumbline.history;

import java.util.List;

/** A history that cannot be judged because it is broken. Each problem names its file and line. */
public final class HistoryException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  public HistoryException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public List<String> problems() {
    return problems;
  }
}
