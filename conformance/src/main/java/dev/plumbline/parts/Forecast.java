package dev.plumbline.parts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long several machines would take for a lane, from what its parts took the last time. Parts
 * are split as {@link Shard} splits them; what nobody has timed is counted apart, and takes no time
 * here.
 */
public final class Forecast {
  private final Map<String, Map<String, Long>> stages = new LinkedHashMap<>();

  /**
   * A stage whose parts machines share.
   *
   * @param millis by part; less than 1 where nobody knows
   */
  public void add(String stage, Map<String, Long> millis) {
    stages.put(stage, new LinkedHashMap<>(millis));
  }

  /** What each of so many machines would take, in milliseconds. */
  public List<Long> machines(int count) {
    List<Long> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      Shard shard = new Shard(i, count);
      all.add(
          stages.entrySet().stream()
              .mapToLong(
                  stage ->
                      shard
                          .of(
                              stage.getValue().keySet(),
                              part -> stage.getKey() + " " + part,
                              part -> stage.getValue().get(part))
                          .stream()
                          .mapToLong(part -> Math.max(0, stage.getValue().get(part)))
                          .sum())
              .sum());
    }
    return all;
  }

  /** A line for each number of machines, what the longest part is, and what nobody has timed. */
  public String text(List<Integer> counts) {
    StringBuilder s = new StringBuilder("%8s  %-10s%s%n".formatted("machines", "time", "idle"));
    for (int count : counts) {
      List<Long> each = machines(count);
      long longest = each.stream().mapToLong(m -> m).max().orElse(0);
      long idle = each.stream().mapToLong(m -> longest - m).sum();
      s.append("%8d  %-10s%s%n".formatted(count, time(longest), time(idle)));
    }
    long timed = count(true);
    s.append("%d parts are timed".formatted(timed));
    stages.entrySet().stream()
        .flatMap(
            stage ->
                stage.getValue().entrySet().stream()
                    .map(part -> Map.entry(stage.getKey() + ": " + part.getKey(), part.getValue())))
        .max(Map.Entry.comparingByValue())
        .filter(part -> part.getValue() > 0)
        .ifPresent(
            part ->
                s.append("; the longest: ")
                    .append(part.getKey())
                    .append(", ")
                    .append(time(part.getValue())));
    s.append(System.lineSeparator());
    if (timed < count(false)) {
      s.append("not timed, and not counted: ").append(count(false) - timed).append(" parts");
      stages.forEach(
          (stage, parts) -> {
            long unknown = parts.values().stream().filter(m -> m < 1).count();
            if (unknown > 0) {
              s.append("%n%8d of %d: %s".formatted(unknown, parts.size(), stage));
            }
          });
      s.append(System.lineSeparator());
    }
    return s.toString();
  }

  private long count(boolean timed) {
    return stages.values().stream()
        .flatMap(parts -> parts.values().stream())
        .filter(m -> !timed || m > 0)
        .count();
  }

  private static String time(long millis) {
    long seconds = (millis + 500) / 1000;
    return String.format(
        Locale.ROOT, "%dh%02dm%02ds", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
}
