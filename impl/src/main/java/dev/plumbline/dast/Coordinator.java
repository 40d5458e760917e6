package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.Commit;
import dev.plumbline.dast.DastMessage.CommitRemote;
import dev.plumbline.dast.DastMessage.Keep;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Prepare;
import dev.plumbline.dast.DastMessage.Result;
import dev.plumbline.dast.DastResponse.Executed;
import dev.plumbline.dast.DastResponse.Refused;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a node does for the transactions of its clients (Algorithms 1 and 2). */
final class Coordinator {
  /** A transaction has at most so many steps. */
  static final int MOST_STEPS = 1_000;

  private static final int ID_DIGITS = 19;
  private static final String PREPARE = "prepare";
  private static final String COMMIT = "commit";

  /** A transaction that, as far as is known, not every participant has executed. */
  private static final class Running {
    final Txn txn;
    final boolean crt;
    final List<Long> requests = new ArrayList<>();
    final TreeMap<String, Timestamp> votes = new TreeMap<>();

    /** The view of each vote on a CRT. */
    final TreeMap<String, Long> views = new TreeMap<>();

    final TreeMap<String, Result> results = new TreeMap<>();
    final TreeSet<String> executed = new TreeSet<>();
    Timestamp ts;
    boolean committed;

    /** What is being kept by others before it goes on: "", "prepare" or "commit". */
    String keeping = "";

    /** Who keeps that it is prepared. */
    final TreeSet<String> preparedBy = new TreeSet<>();

    /** Who keeps that it is committed. */
    final TreeSet<String> keptBy = new TreeSet<>();

    Running(Txn txn, boolean crt, Timestamp ts) {
      this.txn = txn;
      this.crt = crt;
      this.ts = ts;
    }

    boolean decided() {
      return committed || keeping.equals(COMMIT);
    }
  }

  /** A decision that the node has to act on as a participant, and to tell. */
  record Decided(Txn txn, Timestamp ts) {}

  /** A transaction that clients were told about. */
  private record Answered(Txn txn, Executed answer) {}

  private final Layout layout;
  private final Procedures procedures;
  private final String self;
  private final TreeMap<String, Running> running = new TreeMap<>();
  private final TreeMap<String, Answered> answers = new TreeMap<>();

  private final List<String> keepers;
  private final boolean apart;
  private final boolean reported;
  private final boolean apartByView;
  private final Turns turns = new Turns();
  private long lastCommit;

  /**
   * @param keepers who keeps the state of CRTs (Algorithm 2, lines 2 and 8); empty if nodes are
   *     never replaced
   */
  Coordinator(
      Layout layout, Procedures procedures, String self, List<String> keepers, DastConfig config) {
    this.keepers = keepers;
    this.layout = layout;
    apart = config.repaired(DastConfig.EQUAL_TIMES);
    reported = config.repaired(DastConfig.OWN_CRT_UNREPORTED);
    apartByView = config.repaired(DastConfig.VOTES_MIXED);
    this.procedures = procedures;
    this.self = self;
  }

  /**
   * Answers a request for a known transaction; true if its id was known: effects happen once. What
   * asks for something else under that id is refused.
   *
   * @param asked as the client calls it
   */
  boolean again(Txn asked, long request, Effects effects) {
    Txn txn = asked.at(self, layout);
    Answered told = answers.get(txn.id());
    Running known = running.get(txn.id());
    if (told == null && known == null) {
      return false;
    }
    Txn first = told == null ? known.txn : told.txn();
    if (!first.equals(txn)) {
      effects.reply(request, taken(asked));
    } else if (told != null) {
      effects.reply(request, told.answer());
    } else {
      known.requests.add(request);
    }
    return true;
  }

  static Refused taken(Txn asked) {
    return new Refused("another transaction has the id " + asked.id());
  }

  Note coordinated(String txn) {
    Running known = running.get(txn);
    return known == null ? null : new Note(known.txn, known.committed, known.ts, self);
  }

  /** The IRTs that some participant may know nothing of. */
  List<Note> ownIrts() {
    return running.values().stream()
        .filter(known -> !known.crt)
        .map(known -> new Note(known.txn, known.committed, known.ts, self))
        .toList();
  }

  /**
   * The CRTs that it has decided to commit and that others may not know as committed: some
   * participant has not executed them, or some keeper does not keep that.
   */
  List<Note> ownCrts() {
    return running.values().stream()
        .filter(known -> known.crt && known.decided())
        .map(known -> new Note(known.txn, true, known.ts, self))
        .toList();
  }

  /** The CRTs that it has not decided to commit. */
  List<Note> undecidedCrts() {
    return running.values().stream()
        .filter(known -> known.crt && !known.decided())
        .map(known -> new Note(known.txn, false, known.ts, self))
        .toList();
  }

  /** A CRT that it has decided to commit, if it is one of {@link #ownCrts()}, else null. */
  Note ownCrt(String txn) {
    Running known = running.get(txn);
    return known != null && known.crt && known.decided()
        ? new Note(known.txn, true, known.ts, self)
        : null;
  }

  /** Whether a transaction accesses another region than this node's. */
  boolean crossRegion(Txn txn) {
    return !txn.regions(layout).equals(List.of(layout.region(self)));
  }

  /** Whether a text is a number as it is usually written, not too long. */
  private static boolean isId(String text) {
    return !text.isEmpty()
        && text.length() <= ID_DIGITS
        && text.chars().allMatch(c -> c >= '0' && c <= '9')
        && (text.length() == 1 || text.charAt(0) != '0');
  }

  /** Why a transaction cannot be run, as a client asks for it, or empty. */
  String objection(Txn txn) {
    try {
      if (!isId(txn.id())) {
        return "a transaction's id is a decimal number of at most 19 digits";
      }
      if (txn.parts().isEmpty()) {
        return "nothing is asked of any shard";
      }
      int steps = txn.parts().values().stream().mapToInt(part -> part.steps().size()).sum();
      if (steps > MOST_STEPS) {
        return "there are " + steps + " steps, and " + MOST_STEPS + " at most may be asked for";
      }
      txn.regions(layout);
      Set<String> givers = new TreeSet<>();
      TreeMap<String, List<String>> needs = new TreeMap<>();
      for (Map.Entry<String, Txn.Part> part : txn.parts().entrySet()) {
        Piece piece = procedures.named(txn.procedure()).piece(part.getValue().piece());
        if (part.getValue().steps().isEmpty()) {
          return "nothing is asked of shard " + part.getKey();
        }
        if (!piece.outputs().isEmpty() && !givers.add(piece.name())) {
          return "two shards are asked for piece "
              + piece.name()
              + ", whose values others may need";
        }
        for (Step step : part.getValue().steps()) {
          if (!layout.shard(step.key()).equals(part.getKey())) {
            return "key " + step.key() + " is not on shard " + part.getKey();
          }
        }
        String objection = piece.demand().objection(part.getValue().steps());
        if (!objection.isEmpty()) {
          return "piece " + piece.name() + " " + objection;
        }
        for (String giver : txn.inputs(procedures, part.getKey()).values()) {
          needs
              .computeIfAbsent(layout.shardRegion(part.getKey()), r -> new ArrayList<>())
              .add(layout.shardRegion(giver));
        }
      }
      return crossRegion(txn) ? circle(needs) : "";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  /** Regions that would wait for each other: none can execute before the other's clock is free. */
  private static String circle(Map<String, List<String>> needs) {
    for (String start : needs.keySet()) {
      List<String> reached = new ArrayList<>(needs.get(start));
      for (int i = 0; i < reached.size(); i++) {
        for (String next : needs.getOrDefault(reached.get(i), List.of())) {
          if (!reached.contains(next)) {
            reached.add(next);
          }
        }
      }
      if (reached.contains(start)) {
        return "values of a cross-region transaction flow in a circle of regions: "
            + start
            + " <- "
            + String.join(" <- ", reached.subList(0, reached.indexOf(start) + 1));
      }
    }
    return "";
  }

  /** Lines 10 to 15. */
  @SpecAction("TwoPhaseAnticipation.CoordIrt")
  void coordIrt(Txn txn, Timestamp ts, long request, Effects effects) {
    Running started = start(txn, false, ts, request);
    List<String> participants = txn.participants(layout);
    for (String node : participants) {
      if (!node.equals(self)) {
        effects.send(node, new Prepare(txn, ts));
      }
    }
    if (participants.contains(self)) {
      started.votes.put(self, ts);
    }
    traceAsked("CoordIrt", txn, ts, effects);
  }

  /** Algorithm 2, lines 1 to 5. */
  @SpecAction("TwoPhaseAnticipation.CoordCrt")
  void coordCrt(Txn txn, Timestamp now, long request, Effects effects) {
    Running started = start(txn, true, now, request);
    if (keepers.isEmpty()) {
      askManagers(started, now, effects);
    } else {
      started.keeping = PREPARE;
      keep(started, effects);
    }
    traceAsked("CoordCrt", txn, now, effects);
  }

  private void askManagers(Running known, Timestamp now, Effects effects) {
    for (String region : known.txn.regions(layout)) {
      effects.send(layout.manager(region), new PrepRemote(known.txn, now));
    }
  }

  /** Returns how many messages that were. */
  private int keep(Running known, Effects effects) {
    Note note = new Note(known.txn, known.decided(), known.ts, self);
    Set<String> have = known.decided() ? known.keptBy : known.preparedBy;
    List<String> left = keepers.stream().filter(k -> !have.contains(k)).toList();
    left.forEach(keeper -> effects.send(keeper, new Keep(note)));
    return left.size();
  }

  /** Another replica of the shard keeps a CRT's state: with this node, a majority has to. */
  void kept(String by, String txn, boolean commit, Timestamp now, Effects effects) {
    Running known = running.get(txn);
    if (known == null) {
      return;
    }
    if (!commit) {
      known.preparedBy.add(by);
    } else if (known.decided()) {
      known.keptBy.add(by);
      endIfOver(known);
    }
    int have = (commit ? known.keptBy : known.preparedBy).size();
    if (!known.keeping.equals(commit ? COMMIT : PREPARE) || have < (keepers.size() + 1) / 2) {
      return;
    }
    known.keeping = "";
    if (commit) {
      known.committed = true;
      sendCommit(known, now, effects);
    } else {
      askManagers(known, now, effects);
    }
  }

  /** Takes over a transaction that a lost incarnation of this node coordinated. */
  void adopt(Note note, boolean crt, long request) {
    Running known = start(note.txn(), crt, note.at(), request);
    known.committed = true;
    known.keptBy.addAll(keepers);
  }

  private Running start(Txn txn, boolean crt, Timestamp ts, long request) {
    Running started = new Running(txn, crt, ts);
    started.requests.add(request);
    running.put(txn.id(), started);
    return started;
  }

  /**
   * A vote on a CRT; true if that makes a majority of each shard. A member may vote again, in a
   * later view.
   */
  boolean voted(String from, DastMessage.Vote vote) {
    Running known = awaited(vote.txn(), true);
    if (known == null) {
      return false;
    }
    known.votes.merge(from, vote.at(), Timestamp::max);
    known.views.merge(from, vote.view(), Math::max);
    return decidable(known);
  }

  /** An acknowledgement of an IRT; true if that makes a majority of each shard. */
  boolean acknowledged(String from, String txn) {
    Running known = awaited(txn, false);
    if (known == null) {
      return false;
    }
    known.votes.put(from, known.ts);
    return decidable(known);
  }

  /** A transaction that waits for votes, if it is one; else null. */
  private Running awaited(String txn, boolean crt) {
    Running known = running.get(txn);
    boolean waits =
        known != null && !known.committed && known.crt == crt && known.keeping.isEmpty();
    return waits ? known : null;
  }

  private boolean decidable(Running known) {
    return known.txn.parts().keySet().stream().allMatch(shard -> majority(shard, known));
  }

  /** Acknowledgements count from members of the view: those of removed nodes do not. */
  void forget(List<String> removed) {
    for (Running known : running.values()) {
      if (!known.committed && known.keeping.isEmpty()) {
        known.votes.keySet().removeAll(removed);
      }
      known.preparedBy.removeAll(removed);
      known.keptBy.removeAll(removed);
    }
  }

  /** Whether an IRT without other participants can be committed at once. */
  boolean complete(String txn) {
    return decidable(running.get(txn));
  }

  /** Of another region it knows no view: those of each view count by themselves. */
  private boolean majority(String shard, Running known) {
    boolean byView = apartByView && !layout.shardRegion(shard).equals(layout.region(self));
    List<String> replicas = layout.replicas(shard);
    TreeMap<Long, Integer> votes = new TreeMap<>();
    for (String voter : replicas) {
      if (known.votes.containsKey(voter)) {
        votes.merge(byView ? known.views.getOrDefault(voter, 0L) : 0L, 1, Integer::sum);
      }
    }
    return votes.values().stream().anyMatch(count -> count * 2 > replicas.size());
  }

  /** Lines 18 to 20. */
  @SpecAction("TwoPhaseAnticipation.CommitIrt")
  Decided commitIrt(String txn, Effects effects) {
    Running known = running.get(txn);
    commit(known, "CommitIrt", effects);
    return new Decided(known.txn, known.ts);
  }

  /** Algorithm 2, lines 6 to 9: above every vote and the coordinator's clock. */
  @SpecAction("TwoPhaseAnticipation.CommitCrt")
  void commitCrt(String txn, Timestamp now, Effects effects) {
    Running known = running.get(txn);
    known.ts = now;
    known.votes.values().forEach(vote -> known.ts = known.ts.max(vote));
    if (apart) {
      known.ts = new Timestamp(lone(known.ts.time()), 0, now.nid());
    }
    if (!keepers.isEmpty()) {
      known.keeping = COMMIT;
      keep(known, effects);
      traceCommit("CommitCrt", known, effects);
    } else {
      commit(known, "CommitCrt", effects);
    }
  }

  /**
   * Repair Apart: the next time that no other coordinator uses and this one did not use yet.
   * Regions that wait for each other's values must be able to pass the earlier of two CRTs while
   * they stay below the later one.
   */
  private long lone(long time) {
    long stride = layout.processes() + 1L;
    long from = Math.max(time + 1, lastCommit + 1);
    lastCommit = from + Math.floorMod(layout.nid(self) - from, stride);
    return lastCommit;
  }

  /** Another incarnation of this node committed a CRT, whose time is taken. */
  void hasCommitted(Timestamp at) {
    lastCommit = Math.max(lastCommit, at.time());
  }

  private void commit(Running known, String action, Effects effects) {
    known.committed = true;
    sendCommit(known, known.ts, effects);
    traceCommit(action, known, effects);
  }

  /** Returns how many messages that were. */
  private int sendCommit(Running known, Timestamp now, Effects effects) {
    int messages = 0;
    for (String node : known.txn.participants(layout)) {
      if (!known.executed.contains(node) && (known.crt || !node.equals(self))) {
        effects.send(
            node,
            known.crt
                ? new CommitRemote(known.txn, known.ts, now)
                : new Commit(known.txn, known.ts));
        messages++;
      }
    }
    return messages;
  }

  /** A participant executed its part; the client is told when each shard did. */
  @SpecAction("TwoPhaseAnticipation.Reply")
  void result(String from, Result result, Effects effects) {
    Running known = running.get(result.txn());
    if (known == null || !known.committed || !known.executed.add(from)) {
      return;
    }
    known.results.putIfAbsent(result.shard(), result);
    if (known.results.size() == known.txn.parts().size() && !answers.containsKey(result.txn())) {
      Map<Integer, List<Long>> seen = new LinkedHashMap<>();
      known.results.values().forEach(r -> seen.putAll(r.seen()));
      boolean applied = known.results.values().stream().allMatch(Result::applied);
      Executed answer = new Executed(known.ts, applied, seen);
      answers.put(result.txn(), new Answered(known.txn, answer));
      known.requests.forEach(request -> effects.reply(request, answer));
      trace("Reply", known.txn, known.ts, effects);
    }
    endIfOver(known);
  }

  /** Others know all there is to know of it. */
  private void endIfOver(Running known) {
    boolean kept = !known.crt || !reported || known.keptBy.containsAll(keepers);
    if (kept && known.executed.containsAll(known.txn.participants(layout))) {
      running.remove(known.txn.id());
    }
  }

  /**
   * Repeats what was not answered. A replica that is away for long answers to nothing: what clients
   * do not wait for has turns.
   */
  void resend(Timestamp now, Effects effects) {
    for (Running known : running.values()) {
      if (!answers.containsKey(known.txn.id())) {
        repeat(known, now, effects);
      }
    }
    turns.repeat(
        running,
        known -> answers.containsKey(known.txn.id()) ? repeatCommit(known, now, effects) : 0);
  }

  private void repeat(Running known, Timestamp now, Effects effects) {
    if (!known.keeping.isEmpty()) {
      keep(known, effects);
    } else if (known.committed) {
      repeatCommit(known, now, effects);
    } else if (known.crt) {
      keep(known, effects);
      askManagers(known, now, effects);
    } else {
      known.txn.participants(layout).stream()
          .filter(node -> !known.votes.containsKey(node) && !node.equals(self))
          .forEach(node -> effects.send(node, new Prepare(known.txn, known.ts)));
    }
  }

  private int repeatCommit(Running known, Timestamp now, Effects effects) {
    int messages = sendCommit(known, now, effects);
    return known.crt && reported ? messages + keep(known, effects) : messages;
  }

  /** Logs the transaction as well: its shards, and which needs values of which. */
  private void traceAsked(String action, Txn txn, Timestamp ts, Effects effects) {
    if (!effects.tracing()) {
      return;
    }
    List<List<String>> deps = new ArrayList<>();
    for (String shard : txn.parts().keySet()) {
      for (String giver : new TreeSet<>(txn.inputs(procedures, shard).values())) {
        deps.add(List.of(giver, shard));
      }
    }
    effects.trace(
        "TwoPhaseAnticipation." + action,
        Map.of(
            "t",
            txn.id(),
            "ts",
            ts.parts(),
            "shards",
            List.copyOf(txn.parts().keySet()),
            "deps",
            deps),
        Map.of());
  }

  private static void traceCommit(String action, Running known, Effects effects) {
    if (effects.tracing()) {
      effects.trace(
          "TwoPhaseAnticipation." + action,
          Map.of(
              "t",
              known.txn.id(),
              "ts",
              known.ts.parts(),
              "votes",
              List.copyOf(known.votes.keySet())),
          Map.of());
    }
  }

  private static void trace(String action, Txn txn, Timestamp ts, Effects effects) {
    if (effects.tracing()) {
      effects.trace(
          "TwoPhaseAnticipation." + action, Map.of("t", txn.id(), "ts", ts.parts()), Map.of());
    }
  }
}
