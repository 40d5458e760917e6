package dev.plumbline.tlc;

/** How a command of the tool is typed, by those who are told to. */
public final class Typed {
  private static final String PROJECT = System.getenv().getOrDefault("PLUMB_PROJECT", "");

  private Typed() {}

  /**
   * The whole line, for the project that the tool was called for.
   *
   * @param arguments what follows the tool's name, such as {@code check toy/one}
   */
  public static String line(String arguments) {
    return line(PROJECT, arguments);
  }

  static String line(String project, String arguments) {
    if (project.isEmpty()) {
      return "./plumb " + arguments;
    }
    String quoted = "'" + project.replace("'", "'\\''") + "'";
    String typed = project.matches("[\\w./+-]+") ? project : quoted;
    return "./plumb --project " + typed + " " + arguments;
  }
}
