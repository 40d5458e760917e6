package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.trace.TraceEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the logs of every run obey, whatever the protocol: how clocks run, how messages get from a
 * sender to one receiver, and how a node ends and starts again. The rules are those of {@code
 * docs/trace-log.md}.
 */
public final class LogRules {
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Role> roles = new HashMap<>();

  /** Messages sent, with the events that did so. */
  private final Map<String, TraceEvent> sent = new HashMap<>();

  private final Map<String, String> receivers = new HashMap<>();

  /** Messages of which no copy arrives. */
  private final Set<String> lost = new HashSet<>();

  /** A process numbers its messages from a multiple of this on, a later one from a larger. */
  private static final long PROCESS = 1_000_000_000;

  /**
   * Where nodes are on several machines the reference clock is each machine's wall clock: it shows
   * the time since 1970, and two of them need not agree.
   */
  private static final long WALL = 1L << 50;

  private static final Set<String> ENVIRONMENT =
      Set.of(TraceEvent.CRASH, TraceEvent.RESTART, TraceEvent.FENCED, TraceEvent.LOSE);

  private static final List<String> CAUSES = List.of("start", "timer", "request", "store");

  private LogRules() {}

  /** The first event that breaks a rule, and how. */
  public record Broken(MergedLog.Entry entry, String what) {}

  private enum Mode {
    /** Nothing was logged since the start, or it stands by. */
    QUIET,
    RUNNING,
    STOPPED
  }

  private static final class Node {
    private TraceEvent last;
    private long at = Long.MIN_VALUE;
    private long local = Long.MIN_VALUE;
    private long number;
    private boolean numbered = true;
    private Mode mode = Mode.QUIET;

    /** Something other than its start has been logged since it began to run. */
    private boolean started;
  }

  private static final class Role {
    private String owner;
    private long epoch = 1;

    /** In the role's log; unknown where the logs begin after its first start. */
    private OptionalLong records = OptionalLong.empty();
  }

  /** Empty where all rules are kept. */
  public static Optional<Broken> broken(MergedLog log) {
    return new LogRules().first(log.entries());
  }

  private Optional<Broken> first(List<MergedLog.Entry> entries) {
    for (MergedLog.Entry entry : entries) {
      String what = wrong(entry.event());
      if (what != null) {
        return Optional.of(new Broken(entry, what));
      }
    }
    return Optional.empty();
  }

  /** What is wrong with the next event, or null. */
  private String wrong(TraceEvent e) {
    Node node = nodes.computeIfAbsent(e.node(), n -> new Node());
    String what = clocks(node, e);
    what = what != null ? what : lives(node, e);
    what = what != null ? what : begins(node, e);
    what = what != null ? what : persists(e);
    what = what != null ? what : sends(node, e);
    what = what != null ? what : receives(e);
    what = what != null ? what : loses(e);
    node.last = e;
    return what;
  }

  /** Time does not go back; a node's own clock may begin anew when it starts again. */
  private static String clocks(Node node, TraceEvent e) {
    if (e.at() < node.at) {
      return "\"at\" goes back from " + node.at + " to " + e.at();
    }
    boolean anew =
        node.mode != Mode.RUNNING
            || e.action().equals(TraceEvent.RESTART)
            || e.action().equals(TraceEvent.CRASH);
    if (!anew && e.local() < node.local) {
      return "\"local\" goes back from " + node.local + " to " + e.local();
    }
    node.at = e.at();
    node.local = e.local();
    return null;
  }

  /** A node that ended does nothing until it starts, and one that runs does not start. */
  private String lives(Node node, TraceEvent e) {
    switch (e.action()) {
      case TraceEvent.LOSE -> {
        return null;
      }
      case TraceEvent.CRASH -> node.mode = Mode.STOPPED;
      case TraceEvent.FENCED -> {
        if (node.mode != Mode.RUNNING) {
          return "an instance is fenced that does not run";
        }
        node.mode = Mode.STOPPED;
      }
      case TraceEvent.RESTART -> {
        if (node.mode == Mode.RUNNING && !replaced(e)) {
          return "a node starts that runs: no crash and no fencing stands before";
        }
        node.mode = Mode.RUNNING;
        node.numbered = false;
        return starts(e);
      }
      default -> {
        if (node.mode == Mode.STOPPED) {
          return "a node that ended goes on without a restart";
        }
        if (node.mode == Mode.QUIET && !e.role().equals(e.node())) {
          return "a node that stands by acts as " + e.role() + " without having taken it over";
        }
        node.mode = Mode.RUNNING;
      }
    }
    return null;
  }

  /** A step handles a message, or says what else it began with; an instance starts once. */
  private static String begins(Node node, TraceEvent e) {
    if (ENVIRONMENT.contains(e.action())) {
      node.started &= e.action().equals(TraceEvent.LOSE);
      return e.recv().isEmpty() && e.by().isEmpty() ? null : "what no step did handles nothing";
    }
    if (e.recv().isPresent() ? !e.by().isEmpty() : !CAUSES.contains(e.by())) {
      return "a step handles a message (recv), or else begins with one of "
          + String.join(", ", CAUSES)
          + " (by)";
    }
    if (!e.by().equals("start")) {
      node.started = true;
    } else if (node.started) {
      return "a node that has started starts again";
    }
    return null;
  }

  /** Steps alone append records, and which of a role's there are is known from its first on. */
  private String persists(TraceEvent e) {
    if (ENVIRONMENT.contains(e.action())) {
      return e.persisted() == 0 ? null : "what no step did appends no records";
    }
    Role role = roles.computeIfAbsent(e.role(), r -> new Role());
    role.records = OptionalLong.of(role.records.orElse(0) + e.persisted());
    return null;
  }

  /** Another node has taken the role over since: whoever played it before starts without an end. */
  private boolean replaced(TraceEvent e) {
    String owner = role(e).owner;
    return owner != null && !owner.equals(e.node());
  }

  private Role role(TraceEvent e) {
    return roles.computeIfAbsent(argument(e, "role").asText(e.role()), r -> new Role());
  }

  /** A role's log is opened again and again, each time in a later epoch, and loses no record. */
  private String starts(TraceEvent e) {
    for (String argument : List.of("role", "epoch", "records")) {
      if (!e.args().containsKey(argument)) {
        return "a restart does not say its " + argument;
      }
    }
    if (!e.role().equals(argument(e, "role").asText())) {
      return "an instance of " + e.role() + " starts as " + argument(e, "role").asText();
    }
    Role role = role(e);
    long epoch = argument(e, "epoch").asLong(0);
    long records = argument(e, "records").asLong(-1);
    if (epoch <= role.epoch) {
      return "epoch " + epoch + " does not follow epoch " + role.epoch + " of its role";
    }
    if (records != role.records.orElse(records)) {
      return "the role's log has %d records, and its steps appended %d"
          .formatted(records, role.records.getAsLong());
    }
    role.owner = e.node();
    role.epoch = epoch;
    role.records = OptionalLong.of(records);
    return null;
  }

  /** A node numbers its messages one by one; a step's events all name those that it sent. */
  private String sends(Node node, TraceEvent e) {
    TraceEvent last = node.last;
    if (last != null && !e.sent().isEmpty() && e.sent().equals(last.sent())) {
      return sendsAlso(last, e);
    }
    if (last != null && e.recv().isPresent() && together(last, e)) {
      return last.sent().equals(e.sent())
          ? null
          : "the events of the step that handles "
              + e.recv().orElseThrow()
              + " name other messages as sent";
    }
    for (String id : e.sent()) {
      int colon = id.lastIndexOf(':');
      String sender = colon < 0 ? "" : id.substring(0, colon);
      if (!sender.equals(e.node()) && !sender.equals(e.role())) {
        return "message " + id + " is sent by another node than " + e.node();
      }
      long number = number(id.substring(colon + 1));
      if (number < 0) {
        return "message " + id + " has no number";
      }
      boolean gap = node.numbered && number > node.number + 1 && number % PROCESS != 1;
      if (number <= node.number || gap) {
        return "message " + id + " does not follow message " + sender + ":" + node.number;
      }
      node.number = number;
      node.numbered = true;
      sent.put(id, e);
    }
    return null;
  }

  /** Events that name the same messages as sent are of one step, and say different things. */
  private static String sendsAlso(TraceEvent last, TraceEvent e) {
    if (!together(last, e)) {
      return "message " + e.sent().get(0) + " is sent by two steps";
    }
    return last.action().equals(e.action()) && last.args().equals(e.args())
        ? "a step has the event " + e.action() + " twice"
        : null;
  }

  /** Whether two events may be of one step. */
  private static boolean together(TraceEvent a, TraceEvent b) {
    return a.at() == b.at()
        && a.local() == b.local()
        && a.recv().equals(b.recv())
        && a.by().equals(b.by());
  }

  /** What is handled was sent before, to this role alone, and not lost. */
  private String receives(TraceEvent e) {
    if (e.recv().isEmpty()) {
      return null;
    }
    String id = e.recv().get();
    TraceEvent sending = sent.get(id);
    if (sending == null) {
      return "message " + id + " is handled, but nobody sent it";
    }
    if (e.at() < sending.at() && e.at() < WALL) {
      return "message " + id + " is handled at " + e.at() + ", and was sent at " + sending.at();
    }
    if (lost.contains(id)) {
      return "message " + id + " is handled, but no copy of it arrives";
    }
    String before = receivers.putIfAbsent(id, e.role());
    if (before != null && !before.equals(e.role())) {
      return "message " + id + " is handled by " + e.role() + ", but it went to " + before;
    }
    return null;
  }

  /** What is lost was sent by the node that says so, and reached nobody. */
  private String loses(TraceEvent e) {
    if (!e.action().equals(TraceEvent.LOSE)) {
      return null;
    }
    String id = argument(e, "message").asText();
    if (!sent.containsKey(id) || !e.node().equals(sent.get(id).node())) {
      return "message " + id + " is lost, but " + e.node() + " did not send it";
    }
    if (receivers.containsKey(id)) {
      return "message " + id + " is lost, but " + receivers.get(id) + " handled it";
    }
    if (!lost.add(id)) {
      return "message " + id + " is lost a second time";
    }
    return null;
  }

  private static JsonNode argument(TraceEvent e, String name) {
    return e.args().getOrDefault(name, MissingNode.getInstance());
  }

  private static long number(String digits) {
    return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : -1;
  }
}
