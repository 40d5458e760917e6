package dev.plumbline.graph;

import dev.plumbline.tlc.InputError;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A model's constants, from which an adapter configures the machines. */
public record Constants(Map<String, String> text) {
  private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+");

  /** A number. */
  public int number(String name) {
    try {
      return Integer.parseInt(get(name));
    } catch (NumberFormatException e) {
      throw new InputError(
          "", 0, "constant " + name + " = " + get(name) + " is no number", "give it a number");
    }
  }

  /** The numbers of a set. */
  public SortedSet<Integer> numbers(String name) {
    TreeSet<Integer> all = new TreeSet<>();
    NUMBER.matcher(get(name)).results().forEach(r -> all.add(Integer.valueOf(r.group())));
    return all;
  }

  /** A truth value. */
  public boolean flag(String name) {
    return get(name).equals("TRUE");
  }

  /**
   * Demands one value, the only one that the machines have.
   *
   * @throws InputError if the model has another
   */
  public void demand(String name, String value) {
    if (!get(name).equals(value)) {
      throw new InputError(
          "",
          0,
          "no machines have " + name + " = " + get(name),
          "use " + name + " = " + value + ", or waive the model in coverage.yaml");
    }
  }

  /** Of these repairs, those that the model does without. */
  public SortedSet<String> asPublished(List<String> repairs) {
    TreeSet<String> missing = new TreeSet<>(repairs);
    if (missing.isEmpty()) {
      return missing;
    }
    STRING.matcher(get("Repairs")).results().map(r -> r.group(1)).forEach(missing::remove);
    return missing;
  }

  /**
   * What machines then do as published.
   *
   * @param behaviours by the repairs that the model may do without
   */
  public SortedSet<String> asPublished(Map<String, String> behaviours) {
    TreeSet<String> all = new TreeSet<>();
    asPublished(List.copyOf(behaviours.keySet())).forEach(r -> all.add(behaviours.get(r)));
    return all;
  }

  /** Whether the model has a repair. */
  public boolean repaired(String repair) {
    return asPublished(List.of(repair)).isEmpty();
  }

  /**
   * Demands repairs that no machine does without.
   *
   * @throws InputError if the model lacks one
   */
  public void demandRepairs(String... repairs) {
    SortedSet<String> missing = asPublished(List.of(repairs));
    if (!missing.isEmpty()) {
      throw new InputError(
          "",
          0,
          "no machines do without the repairs " + missing,
          "give the model these repairs, or waive it in coverage.yaml");
    }
  }

  private String get(String name) {
    String value = text.get(name);
    if (value == null) {
      throw new InputError("", 0, "the model gives no constant " + name, "give it a value");
    }
    return value;
  }
}
