package dev.plumbline.dast.binding;

import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The clock messages of a log that say something: what they tell besides the clock differs from
 * what the receiver last heard from the sender, or an execution at the receiver comes before the
 * next. All others only make a clock newer that nobody looks at.
 */
final class NewsOfClocks {
  private static final String PREFIX = "TwoPhaseAnticipation.";

  /** Steps after which a process tells something else. */
  private static final Set<String> CHANGES =
      Set.of("CoordIrt", "CommitIrt", "HandlePrepCrt", "HandleCommitCrt", "HandleOutput");

  private final Set<String> managers;
  private final Function<String, Set<String>> participants;
  private final Map<String, Content> contents = new HashMap<>();
  private final Map<String, Content> told = new HashMap<>();
  private final Map<String, Map<String, Content>> heardOf = new HashMap<>();
  private final Map<String, Map<String, Integer>> newest = new HashMap<>();
  private final TreeSet<Integer> hears = new TreeSet<>();

  /** What a process tells: replaced when it changes. */
  private record Content(int version, Set<String> committed) {}

  private static final Content NOTHING = new Content(0, Set.of());

  /**
   * @param participants the nodes that a transaction accesses
   */
  NewsOfClocks(
      MergedLog log, int end, Set<String> managers, Function<String, Set<String>> participants) {
    this.managers = managers;
    this.participants = participants;
    for (int i = 0; i < end; i++) {
      TraceEvent e = log.entries().get(i).event();
      if (e.action().startsWith(PREFIX)) {
        read(i, e, e.actionName());
      }
    }
  }

  /** The numbers of the events that hear them. */
  Set<Integer> hears() {
    return hears;
  }

  private void read(int i, TraceEvent e, String action) {
    String process = e.role();
    String clock = e.field("x").asText() + e.field("now");
    if (action.equals("Tell")) {
      told.put(clock, contents.getOrDefault(process, NOTHING));
    } else if (action.equals("Hear")) {
      hear(i, process, e.field("x").asText(), told.get(clock));
    } else if (action.equals("Execute")) {
      hears.addAll(newest.getOrDefault(process, Map.of()).values());
      newest.remove(process);
    } else if (CHANGES.contains(action)) {
      change(process, action.equals("HandleCommitCrt") ? e.field("t").asText() : "");
    }
  }

  private void hear(int i, String n, String x, Content content) {
    if (managers.contains(n)) {
      return;
    }
    Content before = heardOf.computeIfAbsent(n, p -> new HashMap<>()).put(x, content);
    newest.computeIfAbsent(n, p -> new HashMap<>()).put(x, i);
    if (content == null || !content.equals(before == null ? NOTHING : before)) {
      hears.add(i);
    }
    if (content != null && content != before) {
      Set<String> known = contents.getOrDefault(n, NOTHING).committed;
      for (String t : content.committed) {
        if (!known.contains(t) && participants.apply(t).contains(n)) {
          change(n, t);
        }
      }
    }
  }

  private void change(String process, String committed) {
    Content old = contents.getOrDefault(process, NOTHING);
    Set<String> known = old.committed;
    if (!committed.isEmpty() && !known.contains(committed)) {
      known = new HashSet<>(known);
      known.add(committed);
    }
    contents.put(process, new Content(old.version + 1, known));
  }
}
