package dev.plumbline.check;

import java.util.List;
import java.util.stream.Collectors;

/** How a command of the tool is typed, by those who are told to. */
public final class ToolCommand {
  private static final String PROJECT = System.getenv().getOrDefault("PLUMB_PROJECT", "");

  private ToolCommand() {}

  /**
   * The whole line, for the project that the tool was called for.
   *
   * @param arguments what follows the tool's name, such as {@code check toy/one}
   */
  public static String line(String arguments) {
    return line(PROJECT, arguments);
  }

  /**
   * The whole line, for another project.
   *
   * @param project its folder; empty for the tool's own
   */
  public static String line(String project, String arguments) {
    if (project.isEmpty()) {
      return "./plumb " + arguments;
    }
    return "./plumb --project " + word(project) + " " + arguments;
  }

  /** The whole line, of words as they were given. */
  public static String line(List<String> words) {
    return line(words.stream().map(ToolCommand::word).collect(Collectors.joining(" ")));
  }

  /** A word as a shell takes it for one. */
  public static String word(String word) {
    return word.matches("[\\w./+=,:@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
