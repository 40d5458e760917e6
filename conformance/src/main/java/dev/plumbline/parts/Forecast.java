package dev.plumbline.parts;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How long several machines would take for a lane, and who would do what, from what its parts took
 * the last time. Parts are split as {@link Shard} splits them. What nobody has timed is counted
 * apart: some parts take here what is reckoned, others nothing.
 */
public final class Forecast {
  private final List<Stage> stages = new ArrayList<>();

  /**
   * A stage and its parts.
   *
   * @param atOnce how many of them a machine does at a time
   * @param inTurn whether the first machine does the first, and so on
   */
  private record Stage(String name, List<Item> items, double atOnce, boolean inTurn) {
    /** What these parts of it take one machine, in milliseconds. */
    long millis(List<Item> some) {
      long sum = some.stream().mapToLong(Item::millis).sum();
      return Math.max(Math.round(sum / atOnce), Forecast.longest(some.stream().map(Item::millis)));
    }
  }

  /** A part of a stage and what it takes; 0 where nobody knows. */
  private record Item(String stage, String part, long millis, boolean timed) {
    String name() {
      return stage + ": " + part;
    }

    boolean reckoned() {
      return !timed && millis > 0;
    }
  }

  /** What one machine does, and what that takes. */
  private record Machine(int index, List<Item> items, long millis) {
    Optional<Item> longest() {
      return items.stream().filter(i -> i.millis() > 0).max(Comparator.comparingLong(Item::millis));
    }
  }

  /**
   * A stage whose parts machines share.
   *
   * @param timed by part; less than 1 where nobody knows
   * @param expected what each part may take, those that are not timed too; less than 1 for those
   *     that are not counted
   * @param atOnce how many parts a machine does at a time
   */
  public void add(
      String stage, Map<String, Long> timed, Map<String, Long> expected, double atOnce) {
    put(stage, timed, expected, atOnce, false);
  }

  /** A stage whose first part the first machine does, and so on in turn, whatever they take. */
  public void addInTurn(String stage, Map<String, Long> timed) {
    put(stage, timed, timed, 1, true);
  }

  private void put(
      String stage,
      Map<String, Long> timed,
      Map<String, Long> expected,
      double atOnce,
      boolean inTurn) {
    List<Item> items = new ArrayList<>();
    timed.forEach(
        (part, millis) ->
            items.add(new Item(stage, part, Math.max(0, expected.get(part)), millis > 0)));
    stages.add(new Stage(stage, items, atOnce, inTurn));
  }

  private List<Machine> split(int count) {
    List<Machine> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Shard shard = new Shard(i, count);
      List<Item> items = new ArrayList<>();
      long millis = 0;
      for (Stage stage : stages) {
        List<Item> mine =
            stage.inTurn
                ? IntStream.range(0, stage.items.size())
                    .filter(k -> k % count == shard.index() - 1)
                    .mapToObj(stage.items::get)
                    .toList()
                : shard.of(stage.items, item -> stage.name + " " + item.part, Item::millis);
        items.addAll(mine);
        millis += stage.millis(mine);
      }
      all.add(new Machine(i, items, millis));
    }
    return all;
  }

  /** What each of so many machines would take, in milliseconds. */
  public List<Long> machines(int count) {
    return split(count).stream().map(Machine::millis).toList();
  }

  /**
   * A line for each number of machines, what the longest part is, what is reckoned, and what is not
   * counted; then for each of several machines what it would take, and its longest part.
   */
  public String text(List<Integer> counts) {
    StringBuilder s = new StringBuilder("%8s  %-10s%s%n".formatted("machines", "time", "idle"));
    for (int count : counts) {
      List<Long> each = machines(count);
      long longest = longest(each.stream());
      long idle = each.stream().mapToLong(m -> longest - m).sum();
      s.append("%8d  %-10s%s%n".formatted(count, time(longest), time(idle)));
    }
    Machine all = split(1).get(0);
    long timed = all.items().stream().filter(Item::timed).count();
    s.append("%d parts are timed".formatted(timed));
    all.longest()
        .ifPresent(i -> s.append("; the longest: %s, %s".formatted(i.name(), time(i.millis()))));
    s.append(System.lineSeparator());
    long reckoned =
        stages.stream()
            .mapToLong(t -> t.millis(t.items.stream().filter(Item::reckoned).toList()))
            .sum();
    s.append(listed("not timed, and reckoned at " + time(reckoned), all, Item::reckoned));
    s.append(listed("not timed, and not counted", all, i -> i.millis() < 1));
    for (int count : counts.stream().filter(c -> c > 1).toList()) {
      s.append("%n%8s  %-10s%6s  %s%n".formatted("shard", "time", "parts", "longest part"));
      for (Machine m : split(count)) {
        String part =
            m.longest().map(i -> i.name() + ", " + time(i.millis())).orElse("nobody knows");
        s.append(
            "%8s  %-10s%6d  %s%n"
                .formatted(m.index() + "/" + count, time(m.millis()), m.items().size(), part));
      }
    }
    return s.toString();
  }

  private static String listed(String what, Machine all, Predicate<Item> some) {
    Map<String, int[]> found = counts(all, some);
    int parts = found.values().stream().mapToInt(of -> of[0]).sum();
    StringBuilder s = new StringBuilder();
    if (parts > 0) {
      s.append("%s: %d parts%n".formatted(what, parts));
      found.forEach((stage, of) -> s.append("%8d of %d: %s%n".formatted(of[0], of[1], stage)));
    }
    return s.toString();
  }

  /** The same with every part of every shard; times are milliseconds. */
  public ObjectNode json(List<Integer> counts) {
    ObjectNode o = new ObjectMapper().createObjectNode();
    Machine all = split(1).get(0);
    all.longest().ifPresent(i -> part(o.putObject("longest"), i));
    ObjectNode reckoned = o.putObject("reckoned");
    counts(all, Item::reckoned).forEach((stage, of) -> reckoned.put(stage, of[0]));
    ObjectNode untimed = o.putObject("untimed");
    counts(all, i -> i.millis() < 1).forEach((stage, of) -> untimed.put(stage, of[0]));
    ArrayNode plans = o.putArray("plans");
    for (int count : counts) {
      List<Machine> machines = split(count);
      ObjectNode plan = plans.addObject().put("machines", count);
      plan.put("millis", longest(machines.stream().map(Machine::millis)));
      ArrayNode shards = plan.putArray("shards");
      for (Machine m : machines) {
        ObjectNode shard = shards.addObject().put("shard", m.index() + "/" + count);
        ArrayNode parts = shard.put("millis", m.millis()).putArray("parts");
        m.items().forEach(i -> part(parts.addObject(), i));
      }
    }
    return o;
  }

  private static void part(ObjectNode o, Item item) {
    o.put("stage", item.stage()).put("part", item.part());
    o.put("millis", item.millis()).put("timed", item.timed());
  }

  private static long longest(Stream<Long> millis) {
    return millis.mapToLong(m -> m).max().orElse(0);
  }

  /** Of each stage that has such parts: how many, and of how many. */
  private static Map<String, int[]> counts(Machine all, Predicate<Item> some) {
    Map<String, int[]> found = new LinkedHashMap<>();
    for (Item i : all.items()) {
      int[] of = found.computeIfAbsent(i.stage(), stage -> new int[2]);
      of[0] += some.test(i) ? 1 : 0;
      of[1]++;
    }
    found.values().removeIf(of -> of[0] == 0);
    return found;
  }

  private static String time(long millis) {
    long seconds = (millis + 500) / 1000;
    return String.format(
        Locale.ROOT, "%dh%02dm%02ds", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
}
