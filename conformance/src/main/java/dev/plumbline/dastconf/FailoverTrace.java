package dev.plumbline.dastconf;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.dast.DastConfig;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.Timestamp;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Ranks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Reads a log as steps of {@code Failover}; see TraceFailover.tla. */
final class FailoverTrace extends DastTrace {
  private static final String MODULE = "Failover";
  private static final String PREFIX = MODULE + ".";
  private static final String OTHERS = "TwoPhaseAnticipation.";

  /** Incarnations that nodes and managers have at first. */
  private static final long FIRST_NODE = 1_000;

  private static final long FIRST_MANAGER = 1;

  /** Steps whose message's sender matters. */
  private static final Set<String> FROM_SOMEBODY =
      Set.of("HandlePrepare", "HandleCommit", "HandlePrepCrt");

  FailoverTrace(Layout layout, Set<String> asPublished) {
    super(MODULE, layout, asPublished);
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new FailoverReading(log);
  }

  private List<String> repairs() {
    return repairs(
        List.of(),
        Map.of(
            DastConfig.COMMITTED_ABORTED, "CommittedWins",
            DastConfig.COMMITTED_UNREPORTED, "ReportAll",
            DastConfig.LEGACY_UNTOLD, "Inherit",
            DastConfig.JOIN_LOW, "AddVote",
            DastConfig.ANTICIPATED_LOST, "KeepAnticipated",
            DastConfig.OWN_UNREPORTED, "ReportOwn",
            DastConfig.OWN_CRT_UNREPORTED, "ReportOwnCrt"));
  }

  /** Steps that are none here. */
  private static final Set<String> LEFT_OUT = Set.of("HandleOutput", "Tell");

  /** What events say of several transactions. */
  private static final List<String> LISTS = List.of("irts", "prepared", "committed", "aborted");

  /** Transactions that wait to be forgotten together. */
  private static final int ROUND = 16;

  /** A new replica's first view. */
  private record Join(int at, int instance, Set<Attempt> executed) {}

  /** What a process is between two failures: a node's incarnation, a manager's epoch. */
  private record Instance(String role, long incarnation) {}

  /** A transaction; a client that asks a coordinator which lost its state may begin it again. */
  private static final class Attempt {
    final int from;
    final int coordinator;
    final boolean crt;
    final List<String> shards = new ArrayList<>();
    final Set<Integer> executedBy = new HashSet<>();
    boolean committed;
    int number;

    /** The last event that mentions it. */
    int last;

    Attempt(int from, int coordinator, boolean crt) {
      this.from = from;
      this.coordinator = coordinator;
      this.crt = crt;
    }
  }

  private final class FailoverReading implements Reading {
    private final MergedLog log;
    private final LoggedTimes times;
    private final Ranks<Timestamp> stamps = new Ranks<>(Timestamp::compareTo);
    private final Map<Instance, Integer> instances = new LinkedHashMap<>();

    private final Map<Integer, String> shardOf = new HashMap<>();

    /** The instance of each event's role. */
    private final int[] acting;

    /** The members of each region's views. */
    private final Map<String, List<Map<String, Integer>>> views = new TreeMap<>();

    private final Map<String, List<Attempt>> txns =
        new TreeMap<>(
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    private final Set<Integer> heard = new TreeSet<>();

    /** Who sent a message. */
    private final Map<String, Integer> senders = new HashMap<>();

    private final List<Join> joins = new ArrayList<>();
    private final Map<Integer, Integer> lastExecution = new HashMap<>();
    private final Map<Integer, List<Attempt>> over = new HashMap<>();
    private final List<Term> gone = new ArrayList<>();

    FailoverReading(MergedLog log) {
      this.log = log;
      times = new LoggedTimes(log);
      acting =
          new int
              [LoggedTimes.hasViews(log)
                  ? log.entries().size()
                  : LoggedTimes.beforeViewChange(log, layout)];
      Map<String, Integer> now = new HashMap<>();
      for (String m : layout.managers()) {
        now.put(m, instance(m, FIRST_MANAGER));
        Map<String, Integer> members = new TreeMap<>();
        layout.nodes(layout.region(m)).forEach(n -> members.put(n, instance(n, FIRST_NODE)));
        now.putAll(members);
        views.put(layout.region(m), new ArrayList<>(List.of(members)));
      }
      Map<String, Map<String, Integer>> newest = new HashMap<>();
      for (int i = 0; i < acting.length; i++) {
        TraceEvent e = log.entries().get(i).event();
        become(e, now);
        acting[i] = now.getOrDefault(e.role(), 0);
        if (e.action().startsWith(OTHERS) || e.action().startsWith(PREFIX)) {
          scan(i, e, newest);
          mention(i, e, e.action().substring(e.action().indexOf('.') + 1));
        }
      }
      whoSent();
      int number = 0;
      for (List<Attempt> attempts : txns.values()) {
        for (Attempt attempt : attempts) {
          attempt.number = ++number;
          if (isOver(attempt)) {
            over.computeIfAbsent(attempt.last, l -> new ArrayList<>()).add(attempt);
          }
        }
      }
    }

    /**
     * Whether nothing after its last mention can tell that it is forgotten: who executes anything
     * later, or joins, has executed it; or it is a CRT that nobody committed.
     */
    private boolean isOver(Attempt t) {
      if (t.executedBy.isEmpty()) {
        return t.crt && !t.committed;
      }
      return lastExecution.entrySet().stream()
              .filter(e -> e.getValue() > t.last && replicates(e.getKey(), t))
              .allMatch(e -> t.executedBy.contains(e.getKey()))
          && joins.stream()
              .filter(join -> join.at() > t.last && replicates(join.instance(), t))
              .allMatch(join -> join.executed().contains(t));
    }

    private boolean replicates(int instance, Attempt t) {
      return t.shards.contains(shardOf.get(instance));
    }

    private void mention(int i, TraceEvent e, String action) {
      Optional<Attempt> one = known(i, LoggedTimes.field(e, "t").asText());
      if (!LEFT_OUT.contains(action)) {
        one.ifPresent(t -> t.last = i);
      }
      for (String name : LISTS) {
        LoggedTimes.field(e, name).forEach(id -> known(i, id.asText()).ifPresent(t -> t.last = i));
      }
      switch (action) {
        case "CommitCrt", "HandleCommitCrt", "HandleResolved" ->
            one.ifPresent(t -> t.committed = true);
        case "Execute" -> {
          lastExecution.put(acting[i], i);
          one.ifPresent(t -> t.executedBy.add(acting[i]));
        }
        case "HandleViewCommit" -> {
          if (e.args().containsKey("incarnation")) {
            Set<Attempt> executed = new HashSet<>();
            LoggedTimes.field(e, "executed")
                .forEach(id -> known(i, id.asText()).ifPresent(executed::add));
            executed.forEach(t -> t.executedBy.add(acting[i]));
            joins.add(new Join(i, acting[i], executed));
          }
        }
        default -> {}
      }
    }

    private int instance(String role, long incarnation) {
      int number =
          instances.computeIfAbsent(new Instance(role, incarnation), i -> instances.size() + 1);
      if (!layout.managers().contains(role)) {
        shardOf.put(number, layout.shardOf(role));
      }
      return number;
    }

    /** A role goes on as another instance. */
    private void become(TraceEvent e, Map<String, Integer> now) {
      if (e.action().equals(TraceEvent.RESTART)) {
        String role = LoggedTimes.field(e, "role").asText();
        if (layout.managers().contains(role)) {
          now.put(role, instance(role, LoggedTimes.field(e, "epoch").asLong()));
        }
      } else if (e.action().equals(PREFIX + "HandleViewCommit")
          && e.args().containsKey("incarnation")) {
        now.put(e.role(), instance(e.role(), e.args().get("incarnation").asLong()));
      }
    }

    private void scan(int i, TraceEvent e, Map<String, Map<String, Integer>> newest) {
      String action = e.action().substring(e.action().indexOf('.') + 1);
      for (String name : List.of("ts", "at", "asked", "last")) {
        see(LoggedTimes.field(e, name));
      }
      switch (action) {
        case "CoordIrt", "CoordCrt" -> {
          Attempt attempt = new Attempt(i, acting[i], action.equals("CoordCrt"));
          LoggedTimes.field(e, "shards").forEach(s -> attempt.shards.add(s.asText()));
          txns.computeIfAbsent(LoggedTimes.field(e, "t").asText(), t -> new ArrayList<>())
              .add(attempt);
        }
        case "Hear" -> {
          if (!layout.managers().contains(e.role())) {
            newest
                .computeIfAbsent(e.role(), n -> new HashMap<>())
                .put(LoggedTimes.field(e, "x").asText(), i);
            if (e.args().containsKey("committed")) {
              heard.add(i);
            }
          }
        }
        case "Execute" -> {
          heard.addAll(newest.getOrDefault(e.role(), Map.of()).values());
          newest.remove(e.role());
        }
        case "Anticipate" -> stamps.add(anticipated(i, e));
        case "AddReplica" -> stamps.add(start(LoggedTimes.field(e, "at").asLong()));
        case "HandleViewPrep" -> stamps.add(start(LoggedTimes.field(e, "held").asLong()));
        case "DecideView" -> {
          Map<String, Integer> members = new TreeMap<>();
          LoggedTimes.field(e, "members")
              .fields()
              .forEachRemaining(
                  n -> members.put(n.getKey(), instance(n.getKey(), n.getValue().asLong())));
          views.get(layout.region(e.role())).add(members);
        }
        default -> {}
      }
    }

    private void see(JsonNode parts) {
      if (parts.isArray() && parts.size() == 3) {
        stamps.add(timestamp(parts));
      }
    }

    private static Timestamp timestamp(JsonNode parts) {
      return new Timestamp(parts.path(0).asLong(), parts.path(1).asLong(), parts.path(2).asLong());
    }

    /** Below all timestamps of that time. */
    private static Timestamp start(long time) {
      return new Timestamp(time, 0, 0);
    }

    private Timestamp anticipated(int i, TraceEvent e) {
      JsonNode now = LoggedTimes.field(e, "now");
      if (now.size() != 3) {
        throw times.error(i, "no timestamp now", "log the machines' timestamps");
      }
      Timestamp made = timestamp(now);
      return new Timestamp(
          made.time() + LoggedTimes.field(e, "rtt").asLong(), made.frac(), made.nid());
    }

    private void whoSent() {
      Set<String> wanted = new HashSet<>();
      for (int i = 0; i < acting.length; i++) {
        TraceEvent e = log.entries().get(i).event();
        if (heard.contains(i)) {
          see(LoggedTimes.field(e, "now"));
          e.recv().ifPresent(wanted::add);
        } else if (e.action().startsWith(OTHERS)
            && FROM_SOMEBODY.contains(e.action().substring(OTHERS.length()))) {
          e.recv().ifPresent(wanted::add);
        }
      }
      for (int i = 0; i < acting.length; i++) {
        for (String id : log.entries().get(i).event().sent()) {
          if (wanted.contains(id)) {
            senders.put(id, acting[i]);
          }
        }
      }
    }

    @Override
    public List<String> definitions() {
      List<Instance> all = List.copyOf(instances.keySet());
      return List.of(
          "LogMember == " + set(i -> isNode(i) && i.incarnation() == FIRST_NODE),
          "LogSpare == " + set(i -> isNode(i) && i.incarnation() > FIRST_NODE),
          "LogManager == " + set(i -> !isNode(i)),
          "LogRegion == " + sequence(all, i -> '"' + layout.region(i.role()) + '"'),
          "LogShard == "
              + sequence(all, i -> '"' + (isNode(i) ? layout.shardOf(i.role()) : "") + '"'),
          "LogEpoch == " + sequence(all, i -> String.valueOf(i.incarnation())),
          "LogCoord == " + sequence(attempts(), a -> String.valueOf(a.coordinator)),
          "LogShards == " + sequence(attempts(), a -> "{" + Binding.quoted(a.shards) + "}"),
          "LogCrts == {"
              + attempts().stream()
                  .filter(a -> a.crt)
                  .map(a -> String.valueOf(a.number))
                  .collect(Collectors.joining(", "))
              + "}");
    }

    private boolean isNode(Instance i) {
      return !layout.managers().contains(i.role());
    }

    private List<Attempt> attempts() {
      return txns.values().stream().flatMap(List::stream).toList();
    }

    private String set(Predicate<Instance> which) {
      return instances.entrySet().stream()
          .filter(i -> which.test(i.getKey()))
          .map(i -> String.valueOf(i.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }

    private static <T> String sequence(Collection<T> values, Function<T, String> text) {
      return values.stream().map(text).collect(Collectors.joining(", ", "<<", ">>"));
    }

    @Override
    public String specification() {
      return "TraceSpec";
    }

    @Override
    public List<String> configuration() {
      String shard = layout.shardOf(layout.nodes(views.keySet().iterator().next()).get(0));
      return List.of(
          "CONSTANTS",
          "Member <- LogMember",
          "Spare <- LogSpare",
          "Manager <- LogManager",
          "Majority = " + (layout.replicas(shard).size() / 2 + 1),
          "Coord <- LogCoord",
          "CrtCoord = 0",
          "Suspects = {}",
          "Times = {}",
          "Rtts = {}",
          "Ahead = 0",
          "MaxViews = 0",
          "RegionOf <- LogRegion",
          "Shard <- LogShard",
          "Shards <- LogShards",
          "Crts <- LogCrts",
          "Epoch <- LogEpoch",
          "Repairs = {" + Binding.quoted(repairs()) + "}");
    }

    @Override
    public void load(Spec spec) {}

    @Override
    public List<String> invariants() {
      return List.of("AnticipatedInv");
    }

    @Override
    public List<Step> steps(int i) {
      TraceEvent e = log.entries().get(i).event();
      if (i >= acting.length) {
        return List.of();
      }
      if (e.action().startsWith(PREFIX)) {
        return List.of(viewStep(i, e, e.action().substring(PREFIX.length())));
      }
      if (!e.action().startsWith(OTHERS)) {
        return List.of();
      }
      String action = e.action().substring(OTHERS.length());
      return switch (action) {
        case "CoordIrt" -> List.of(step(action, action, t(i), stamp(i, "ts")));
        case "CommitIrt", "Reply" -> List.of(step(action, action, t(i)));
        case "HandlePrepare", "HandleCommit" ->
            List.of(step(action, action, self(i), t(i), sender(i)));
        case "Hear" ->
            heard.contains(i)
                ? List.of(
                    step(
                        "Announce",
                        action,
                        self(i),
                        sender(i),
                        stamp(i, "now"),
                        ids(i, "prepared"),
                        ids(i, "committed")))
                : List.of();
        case "Execute" -> List.of(step(action, action, self(i), t(i), stamp(i, "at")));
        case "CoordCrt" -> List.of(step("PrepareCrt", action, t(i)));
        case "Anticipate" ->
            List.of(step(action, action, self(i), Term.of(stamps.of(anticipated(i, e)))));
        case "HandlePrepCrt" ->
            List.of(step("PrepareCrt", action, self(i), t(i), sender(i), stamp(i, "asked")));
        case "CommitCrt" -> List.of(step(action, action, t(i), stamp(i, "ts")));
        case "HandleCommitCrt" -> List.of(step(action, action, self(i), t(i)));
        default -> List.of();
      };
    }

    private Step viewStep(int i, TraceEvent e, String action) {
      return switch (action) {
        case "RemoveNode", "Elect" ->
            step(action, action, self(i), field(i, "vid"), field(i, "round"), removed(i));
        case "AddReplica" ->
            step(
                action,
                action,
                self(i),
                field(i, "vid"),
                field(i, "round"),
                Term.of(stamps.of(start(LoggedTimes.field(e, "at").asLong()))));
        case "HandleViewPrep" -> {
          String manager = layout.manager(layout.region(e.role()));
          long held = LoggedTimes.field(e, "held").asLong();
          yield step(
              action,
              action,
              self(i),
              Term.of(instance(manager, LoggedTimes.field(e, "epoch").asLong())),
              field(i, "vid"),
              field(i, "round"),
              removed(i),
              Term.of(held < 0 ? 0 : stamps.of(start(held))),
              ids(i, "irts"),
              ids(i, "prepared"),
              ids(i, "committed"),
              stamp(i, "last"));
        }
        case "DecideView" -> {
          Map<String, Integer> members = view(i, LoggedTimes.field(e, "vid").asInt());
          yield step(
              action,
              action,
              self(i),
              field(i, "vid"),
              field(i, "round"),
              Term.set(members.values().stream().map(Term::of).toList()),
              removed(i),
              Term.of(members.getOrDefault(LoggedTimes.field(e, "add").asText(), 0)),
              stamp(i, "at"),
              ids(i, "irts"),
              ids(i, "committed"),
              ids(i, "aborted"));
        }
        case "HandleViewCommit" ->
            e.args().containsKey("incarnation")
                ? step(
                    action,
                    "Join",
                    self(i),
                    field(i, "vid"),
                    Term.sequence(numbers(i, "executed")),
                    ids(i, "prepared"),
                    ids(i, "committed"),
                    ids(i, "aborted"))
                : step(action, action, self(i), field(i, "vid"));
        case "HandleAbort", "HandleResolved" -> step(action, action, self(i), t(i));
        default ->
            throw times.error(i, MODULE + " has no such action", "log the specification's actions");
      };
    }

    private static Step step(String action, String operator, Term... arguments) {
      return new Step(action, "Trace" + operator, List.of(arguments), false);
    }

    private Term self(int i) {
      if (acting[i] == 0) {
        String role = log.entries().get(i).event().role();
        throw times.error(i, "no process " + role, "name the deployment's parameters with --set");
      }
      return Term.of(acting[i]);
    }

    private Term sender(int i) {
      String id = log.entries().get(i).event().recv().orElse("");
      Integer sender = senders.get(id);
      if (sender == null) {
        throw times.error(i, "no log says who sent message " + id, "log what is sent");
      }
      return Term.of(sender);
    }

    private Term field(int i, String name) {
      return times.number(i, LoggedTimes.field(log.entries().get(i).event(), name).asLong());
    }

    private Term stamp(int i, String name) {
      JsonNode parts = LoggedTimes.field(log.entries().get(i).event(), name);
      if (parts.size() != 3) {
        throw times.error(i, "no timestamp " + name, "log the machines' timestamps");
      }
      return Term.of(stamps.of(timestamp(parts)));
    }

    private Map<String, Integer> view(int i, int number) {
      List<Map<String, Integer>> known =
          views.get(layout.region(log.entries().get(i).event().role()));
      if (number < 0 || number >= known.size()) {
        throw times.error(i, "no log says what view " + number + " is", "log DecideView");
      }
      return known.get(number);
    }

    private Term removed(int i) {
      TraceEvent e = log.entries().get(i).event();
      Map<String, Integer> before = view(i, LoggedTimes.field(e, "vid").asInt() - 1);
      List<Term> nodes = new ArrayList<>();
      for (JsonNode n : LoggedTimes.field(e, "remove")) {
        nodes.add(Term.of(before.getOrDefault(n.asText(), 0)));
      }
      return Term.set(nodes);
    }

    private Term t(int i) {
      return Term.of(
          attempt(i, LoggedTimes.field(log.entries().get(i).event(), "t").asText()).number);
    }

    private Optional<Attempt> known(int i, String id) {
      return txns.getOrDefault(id, List.of()).stream().filter(a -> a.from <= i).reduce((a, b) -> b);
    }

    private Attempt attempt(int i, String id) {
      return known(i, id)
          .orElseThrow(
              () ->
                  times.error(
                      i,
                      "no log says what transaction " + id + " is",
                      "log CoordIrt and CoordCrt"));
    }

    private Term ids(int i, String name) {
      return Term.set(numbers(i, name));
    }

    private List<Term> numbers(int i, String name) {
      List<Term> numbers = new ArrayList<>();
      for (JsonNode id : LoggedTimes.field(log.entries().get(i).event(), name)) {
        numbers.add(Term.of(attempt(i, id.asText()).number));
      }
      return numbers;
    }

    @Override
    public Map<String, String> names(int index) {
      TraceEvent e = log.entries().get(index).event();
      Map<String, String> names = new TreeMap<>();
      String t = LoggedTimes.field(e, "t").asText();
      if (txns.containsKey(t)) {
        names.put(t, "transaction " + attempt(index, t).number);
      }
      if (acting[index] > 0) {
        names.put(e.role(), "process " + acting[index]);
      }
      e.recv()
          .filter(senders::containsKey)
          .ifPresent(
              id -> names.put(id.substring(0, id.lastIndexOf(':')), "process " + senders.get(id)));
      return names;
    }

    @Override
    public List<Step> housekeeping(int index) {
      for (Attempt t : over.getOrDefault(index, List.of())) {
        gone.add(Term.of(t.number));
      }
      return gone.size() < ROUND
          ? List.of()
          : List.of(new Step("", "Forget", List.of(Term.set(gone)), false));
    }

    @Override
    public void cleaned(List<Spec.State> candidates) {
      gone.clear();
    }
  }
}
