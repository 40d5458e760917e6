package dev.plumbline.k2conf;

import dev.plumbline.tlc.InputError;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A model's constants, from which an adapter configures the machines. */
record Constants(Map<String, String> text) {
  private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");

  /** A number. */
  int number(String name) {
    try {
      return Integer.parseInt(get(name));
    } catch (NumberFormatException e) {
      throw new InputError(
          "", 0, "constant " + name + " = " + get(name) + " is no number", "give it a number");
    }
  }

  /** A truth value. */
  boolean flag(String name) {
    return get(name).equals("TRUE");
  }

  /**
   * Demands one value, the only one that the machines have.
   *
   * @throws InputError if the model has another
   */
  void demand(String name, String value) {
    if (!get(name).equals(value)) {
      throw new InputError(
          "",
          0,
          "no machines have " + name + " = " + get(name),
          "use " + name + " = " + value + ", or waive the model in coverage.yaml");
    }
  }

  /** Of these repairs, those that the model does without. */
  SortedSet<String> asPublished(List<String> repairs) {
    TreeSet<String> missing = new TreeSet<>(repairs);
    STRING.matcher(get("Repairs")).results().map(r -> r.group(1)).forEach(missing::remove);
    return missing;
  }

  private String get(String name) {
    String value = text.get(name);
    if (value == null) {
      throw new InputError("", 0, "the model gives no constant " + name, "give it a value");
    }
    return value;
  }
}
