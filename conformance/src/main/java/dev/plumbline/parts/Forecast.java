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

/**
 * How long several machines would take for a lane, and who would do what, from what its parts took
 * the last time. Parts are split as {@link Shard} splits them; what nobody has timed is counted
 * apart, and takes no time here.
 */
public final class Forecast {
  private final Map<String, Map<String, Long>> stages = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> inTurn = new LinkedHashMap<>();

  /** A part of a stage and what it took; less than 1 where nobody knows. */
  private record Item(String stage, String part, long millis) {
    String name() {
      return stage + ": " + part;
    }

    long known() {
      return Math.max(0, millis);
    }
  }

  /** What one machine does. */
  private record Machine(int index, List<Item> items) {
    long millis() {
      return items.stream().mapToLong(Item::known).sum();
    }

    Optional<Item> longest() {
      return items.stream().filter(i -> i.millis() > 0).max(Comparator.comparingLong(Item::millis));
    }
  }

  /**
   * A stage whose parts machines share.
   *
   * @param millis by part; less than 1 where nobody knows
   */
  public void add(String stage, Map<String, Long> millis) {
    stages.put(stage, new LinkedHashMap<>(millis));
  }

  /** A stage whose first part the first machine does, and so on in turn, whatever they take. */
  public void addInTurn(String stage, Map<String, Long> millis) {
    inTurn.put(stage, new LinkedHashMap<>(millis));
  }

  private List<Machine> split(int count) {
    List<Machine> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Shard shard = new Shard(i, count);
      List<Item> items = new ArrayList<>();
      stages.forEach(
          (stage, parts) ->
              shard.of(parts.keySet(), part -> stage + " " + part, parts::get).stream()
                  .map(part -> new Item(stage, part, parts.get(part)))
                  .forEach(items::add));
      inTurn.forEach(
          (stage, parts) -> {
            int turn = 0;
            for (Map.Entry<String, Long> part : parts.entrySet()) {
              if (turn % count == shard.index() - 1) {
                items.add(new Item(stage, part.getKey(), part.getValue()));
              }
              turn++;
            }
          });
      all.add(new Machine(i, items));
    }
    return all;
  }

  /** What each of so many machines would take, in milliseconds. */
  public List<Long> machines(int count) {
    return split(count).stream().map(Machine::millis).toList();
  }

  /**
   * A line for each number of machines, what the longest part is, and what nobody has timed; then
   * for each of several machines what it would take, and its longest part.
   */
  public String text(List<Integer> counts) {
    StringBuilder s = new StringBuilder("%8s  %-10s%s%n".formatted("machines", "time", "idle"));
    for (int count : counts) {
      List<Long> each = machines(count);
      long longest = longest(each);
      long idle = each.stream().mapToLong(m -> longest - m).sum();
      s.append("%8d  %-10s%s%n".formatted(count, time(longest), time(idle)));
    }
    Machine all = split(1).get(0);
    long timed = all.items().stream().filter(i -> i.millis() > 0).count();
    s.append("%d parts are timed".formatted(timed));
    all.longest()
        .ifPresent(i -> s.append("; the longest: %s, %s".formatted(i.name(), time(i.millis()))));
    s.append(System.lineSeparator());
    untimed(all)
        .ifPresent(
            stages -> {
              long parts = all.items().size() - timed;
              s.append("not timed, and not counted: ").append(parts).append(" parts");
              stages.forEach(
                  (stage, of) -> s.append("%n%8d of %d: %s".formatted(of[0], of[1], stage)));
              s.append(System.lineSeparator());
            });
    for (int count : counts.stream().filter(c -> c > 1).toList()) {
      s.append("%n%8s  %-10s%6s  %s%n".formatted("shard", "time", "parts", "longest part"));
      for (Machine m : split(count)) {
        String part =
            m.longest().map(i -> i.name() + ", " + time(i.millis())).orElse("none is timed");
        s.append(
            "%8s  %-10s%6d  %s%n"
                .formatted(m.index() + "/" + count, time(m.millis()), m.items().size(), part));
      }
    }
    return s.toString();
  }

  /** The same with every part of every shard; times are milliseconds. */
  public ObjectNode json(List<Integer> counts) {
    ObjectNode o = new ObjectMapper().createObjectNode();
    Machine all = split(1).get(0);
    all.longest().ifPresent(i -> part(o.putObject("longest"), i));
    ObjectNode untimed = o.putObject("untimed");
    untimed(all).ifPresent(stages -> stages.forEach((stage, of) -> untimed.put(stage, of[0])));
    ArrayNode plans = o.putArray("plans");
    for (int count : counts) {
      List<Machine> machines = split(count);
      ObjectNode plan = plans.addObject().put("machines", count);
      plan.put("millis", longest(machines.stream().map(Machine::millis).toList()));
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
    o.put("stage", item.stage()).put("part", item.part()).put("millis", item.known());
  }

  private static long longest(List<Long> millis) {
    return millis.stream().mapToLong(m -> m).max().orElse(0);
  }

  /** Of each stage that has such: how many parts nobody has timed, and how many there are. */
  private static Optional<Map<String, int[]>> untimed(Machine all) {
    Map<String, int[]> found = new LinkedHashMap<>();
    for (Item i : all.items()) {
      int[] of = found.computeIfAbsent(i.stage(), stage -> new int[2]);
      of[0] += i.millis() < 1 ? 1 : 0;
      of[1]++;
    }
    found.values().removeIf(of -> of[0] == 0);
    return found.isEmpty() ? Optional.empty() : Optional.of(found);
  }

  private static String time(long millis) {
    long seconds = (millis + 500) / 1000;
    return String.format(
        Locale.ROOT, "%dh%02dm%02ds", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
}
