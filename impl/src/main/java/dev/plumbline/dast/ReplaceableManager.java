package dev.plumbline.dast;

import dev.plumbline.dast.DastMessage.AskEnd;
import dev.plumbline.dast.DastMessage.Clock;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Installed;
import dev.plumbline.dast.DastMessage.Join;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastMessage.Out;
import dev.plumbline.dast.DastMessage.PrepRemote;
import dev.plumbline.dast.DastMessage.Resolve;
import dev.plumbline.dast.DastMessage.Resolved;
import dev.plumbline.dast.DastMessage.Transfer;
import dev.plumbline.dast.DastMessage.ViewAck;
import dev.plumbline.dast.DastMessage.ViewCommit;
import dev.plumbline.dast.DastMessage.ViewPrep;
import dev.plumbline.dast.DastMessage.ViewTaken;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A {@link Manager} that keeps its region's view: removes members that are silent or lost their
 * state, and adds them again (section 4.4, Algorithms 3 and 4).
 *
 * <p>The SMR service is the role's durable log: a linearizable register of decided changes, to
 * which only the instance with the highest fencing epoch can write. An instance with another epoch
 * than the view's is a new manager, which serves once all members have acknowledged it.
 */
public final class ReplaceableManager implements Machine {
  /**
   * A change that is being prepared.
   *
   * @param number the view's
   * @param round of the same view; no two managers have the same
   * @param remove members
   * @param add the new member, or empty
   * @param addTime what clocks stay below until then; 0 if nobody is added
   */
  public record Proposal(long number, long round, Set<String> remove, String add, long addTime) {}

  /** A node that has a checkpoint up to this timestamp, as an incarnation. */
  private record Ready(long incarnation, Timestamp upTo) {}

  /** Notes in the changes that a message tells of, unless one alone has more. */
  static final int MOST_NOTES = 10_000;

  /** Intervals of suspicion more that a member has until its first message. */
  private static final int STARTING = 9;

  private final Layout layout;
  private final String self;
  private final String region;
  private final DastConfig config;
  private final Manager manager;
  private final List<Change> changes = new ArrayList<>();
  private final TreeMap<String, Long> silent = new TreeMap<>();
  private final TreeMap<String, Long> joining = new TreeMap<>();
  private final TreeMap<String, Ready> installed = new TreeMap<>();
  private final TreeMap<String, Long> taken = new TreeMap<>();
  private final TreeSet<String> condemned = new TreeSet<>();
  private final TreeMap<String, Note> unresolved = new TreeMap<>();
  private final TreeMap<String, TreeSet<String>> resolved = new TreeMap<>();
  private final TreeMap<String, ViewAck> acks = new TreeMap<>();
  private final Pace pace = new Pace();
  private final Turns turns = new Turns();
  private View view;
  private Proposal proposal;
  private long epoch;
  private long rounds;
  private boolean serving;

  /**
   * @param self its role
   */
  public ReplaceableManager(Layout layout, String self, DastConfig config) {
    this.layout = layout;
    this.self = self;
    this.config = config;
    region = layout.region(self);
    manager = new Manager(layout, self, config);
  }

  /** Its clock. */
  public StretchableClock clock() {
    return manager.clock();
  }

  /** The newest view that it knows of. */
  public View view() {
    return view;
  }

  /** What it is preparing; null if nothing. */
  public Proposal proposal() {
    return proposal;
  }

  @Override
  public void handle(Input input, ClockReading reading, Effects plain) {
    Effects effects = new Stamped(plain, epoch);
    if (input instanceof Input.Start start) {
      epoch = start.epoch();
      // Answers do not say which manager asked.
      rounds = epoch * View.FIRST;
      effects = new Stamped(plain, epoch);
      view = View.first(layout, region);
      for (Record record : start.durable()) {
        changed((Change) record);
      }
      serving = view.manager() == epoch;
      // At the first start of all, members may need longer to begin than this one.
      long heard = serving ? -STARTING * limit() : 0;
      view.members().keySet().forEach(node -> silent.put(node, heard));
      manager.handle(input, reading, effects);
      if (!serving) {
        propose(new TreeSet<>(), "", effects);
      }
    } else if (input instanceof Input.TimerFired fired) {
      manager.handle(input, reading, effects);
      if (fired.timer() instanceof DastTimer.Tell) {
        silent.replaceAll((node, times) -> times + 1);
        proceed(effects);
      } else {
        resend(effects);
      }
    } else if (input instanceof Input.Deliver deliver && deliver.message() instanceof From from) {
      deliver(deliver.from(), from.incarnation(), from.body(), reading, effects);
    }
  }

  /** Clock messages of its own after which who was not heard meanwhile is suspected. */
  private long limit() {
    return config.suspectMicros() / config.tellMicros();
  }

  private void changed(Change change) {
    changes.add(change);
    view = change.view();
    if (config.repaired(DastConfig.ANTICIPATED_LOST)) {
      manager.anticipateAbove(change.anticipated());
    }
    for (Note note : change.crts()) {
      unresolved.put(note.txn().id(), note);
    }
  }

  private void deliver(
      String from, long theirs, DastMessage body, ClockReading reading, Effects effects) {
    boolean ours = layout.region(from).equals(region);
    if (body instanceof Resolved ended) {
      resolved(from, ended.txn());
    } else if (body instanceof AskEnd ask) {
      changes.stream()
          .flatMap(change -> change.crts().stream())
          .filter(note -> note.txn().id().equals(ask.txn()))
          .forEach(note -> effects.send(from, new Resolve(note)));
    } else if (!ours) {
      if (serving || !(body instanceof PrepRemote)) {
        manager.handle(new Input.Deliver(from, body), reading, effects);
      }
    } else if (body instanceof Join) {
      joins(from, theirs, effects);
    } else if (body instanceof Installed there) {
      if (there.view() == view.number() && joining.getOrDefault(from, 0L) == theirs) {
        installed.put(from, new Ready(theirs, there.upTo()));
      }
      proceed(effects);
    } else if (!view.has(from, theirs)) {
      Long member = view.members().get(from);
      if (body instanceof Clock && (member == null || member > theirs)) {
        effects.send(from, new Out(theirs));
      }
    } else if (body instanceof ViewTaken now) {
      taken.merge(from, now.number(), Math::max);
      pace.ends(from);
      silent.put(from, 0L);
    } else if (body instanceof ViewAck ack) {
      acknowledged(from, ack, reading.localMicros(), effects);
    } else if (serving || body instanceof Clock) {
      silent.put(from, 0L);
      manager.handle(new Input.Deliver(from, body), reading, effects);
    }
  }

  private void joins(String from, long theirs, Effects effects) {
    long member = view.members().getOrDefault(from, 0L);
    if (member >= theirs || joining.getOrDefault(from, 0L) > theirs) {
      return;
    }
    joining.put(from, theirs);
    if (member > 0) {
      proceed(effects);
    } else if (!ready(from)) {
      transfer(from, effects);
    }
  }

  /** Whether the newest incarnation that wants to join has a checkpoint of this view. */
  private boolean ready(String node) {
    Ready there = installed.get(node);
    return there != null && there.incarnation == joining.getOrDefault(node, there.incarnation);
  }

  /** Algorithm 4, line 2. */
  private void transfer(String to, Effects effects) {
    for (String replica : layout.replicas(layout.shardOf(to))) {
      if (view.members().containsKey(replica)
          && !condemned.contains(replica)
          && taken.getOrDefault(replica, 0L) == view.number()) {
        effects.send(replica, new Transfer(to, joining.get(to)));
        return;
      }
    }
  }

  /**
   * The most of these that can go at once, earlier ones first: of a shard fewer than a majority,
   * which may have what nobody else has, and never its last.
   */
  private Set<String> removable(Set<String> wanted) {
    Set<String> removable = new TreeSet<>();
    for (String node : wanted) {
      List<String> replicas = layout.replicas(layout.shardOf(node));
      long going = replicas.stream().filter(removable::contains).count();
      long there = replicas.stream().filter(view.members()::containsKey).count();
      if (view.members().containsKey(node) && going < replicas.size() / 2 && there - going > 1) {
        removable.add(node);
      }
    }
    return removable;
  }

  /**
   * Starts what is due: removal first, then an addition. Who was ever to be removed must be, since
   * some members ignore it; but not before those who would not answer, as it may.
   */
  private void proceed(Effects effects) {
    condemned.retainAll(view.members().keySet());
    Set<String> gone = new TreeSet<>();
    for (String node : view.members().keySet()) {
      if (silent.getOrDefault(node, 0L) > limit() || joining.containsKey(node)) {
        gone.add(node);
      }
    }
    Collection<String> proposed = proposal == null ? List.of() : proposal.remove;
    Set<String> wanted = new LinkedHashSet<>(proposed);
    wanted.retainAll(gone);
    wanted.addAll(gone);
    wanted.addAll(proposed);
    wanted.addAll(condemned);
    Set<String> remove = removable(wanted);
    if (proposal != null) {
      if (!proposal.remove.equals(remove)) {
        propose(remove, "", effects);
      }
    } else if (!remove.isEmpty()) {
      propose(remove, "", effects);
    } else {
      installed.keySet().stream()
          .filter(node -> !view.members().containsKey(node))
          .findFirst()
          .ifPresent(node -> propose(new TreeSet<>(), node, effects));
    }
  }

  /** Algorithm 3, line 9; Algorithm 4, line 7; a new manager's first act. */
  @SpecAction({"Failover.RemoveNode", "Failover.AddReplica", "Failover.Elect"})
  private void propose(Set<String> remove, String add, Effects effects) {
    long addTime = add.isEmpty() ? 0 : manager.clock().last().time() + config.tellMicros();
    proposal = new Proposal(view.number() + 1, ++rounds, remove, add, addTime);
    acks.clear();
    if (effects.tracing()) {
      String action = !serving ? "Elect" : add.isEmpty() ? "RemoveNode" : "AddReplica";
      TreeMap<String, Object> args = proposed();
      args.put("at", addTime);
      effects.trace("Failover." + action, args, Map.of());
    }
    prepare(effects);
  }

  private TreeMap<String, Object> proposed() {
    return new TreeMap<>(
        Map.of(
            "m",
            self,
            "epoch",
            epoch,
            "vid",
            proposal.number,
            "round",
            proposal.round,
            "remove",
            proposal.remove,
            "add",
            proposal.add));
  }

  private void prepare(Effects effects) {
    for (String node : view.members().keySet()) {
      if (!proposal.remove.contains(node) && !acks.containsKey(node)) {
        effects.send(
            node,
            new ViewPrep(
                proposal.number,
                proposal.round,
                List.copyOf(proposal.remove),
                proposal.add,
                proposal.addTime));
      }
    }
  }

  private void acknowledged(String from, ViewAck ack, long wall, Effects effects) {
    if (proposal == null
        || ack.number() != proposal.number
        || ack.round() != proposal.round
        || proposal.remove.contains(from)) {
      return;
    }
    acks.put(from, ack);
    taken.merge(from, ack.number() - 1, Math::max);
    condemned.addAll(ack.ignored());
    Proposal answered = proposal;
    proceed(effects);
    if (proposal != answered) {
      return;
    }
    Set<String> missing = new TreeSet<>(view.members().keySet());
    missing.removeAll(proposal.remove);
    missing.removeAll(acks.keySet());
    if (missing.isEmpty()) {
      decide(wall, effects);
    }
  }

  /** Algorithm 3, lines 13 to 17; Algorithm 4, lines 8 and 9. */
  @SpecAction("Failover.DecideView")
  private void decide(long wall, Effects effects) {
    TreeMap<String, Note> irts = new TreeMap<>();
    TreeMap<String, Note> crts = new TreeMap<>();
    TreeMap<String, Note> parts = new TreeMap<>();
    long time = proposal.addTime;
    Timestamp told = manager.clock().last();
    Timestamp anticipated = Timestamp.ZERO;
    for (ViewAck ack : acks.values()) {
      for (Note note : ack.irts()) {
        irts.put(note.txn().id(), new Note(note.txn(), true, note.at(), note.coordinator()));
      }
      for (Note note : ack.crts()) {
        boolean counts = config.repaired(DastConfig.COMMITTED_ABORTED);
        Note reported =
            new Note(note.txn(), counts && note.committed(), note.at(), note.coordinator());
        crts.merge(note.txn().id(), reported, (a, b) -> a.committed() ? a : b);
      }
      for (Note note : ack.parts()) {
        parts.merge(note.txn().id(), note, (a, b) -> a.committed() ? a : b);
      }
      if (config.repaired(DastConfig.JOIN_LOW)) {
        time = Math.max(time, ack.clock().time() + 1);
      }
      told = told.max(ack.manager());
      if (config.repaired(DastConfig.ANTICIPATED_LOST)) {
        anticipated = anticipated.max(ack.anticipated());
      }
    }
    // How those end is told to all who take part.
    parts.keySet().removeAll(crts.keySet());
    TreeMap<String, Long> members = new TreeMap<>(view.members());
    members.keySet().removeAll(proposal.remove);
    String add = proposal.add;
    Timestamp executed = Timestamp.ZERO;
    if (!add.isEmpty()) {
      Ready ready = installed.get(add);
      members.put(add, ready.incarnation);
      // If another incarnation wants to join since, it is the next change that replaces this one.
      joining.remove(add, ready.incarnation);
      executed = ready.upTo;
      taken.put(add, view.number());
      silent.put(add, 0L);
    }
    Change change =
        new Change(
            new View(proposal.number, members, epoch),
            List.copyOf(proposal.remove),
            add,
            new Timestamp(time, 0, 0),
            executed,
            List.copyOf(irts.values()),
            List.copyOf(crts.values()),
            List.copyOf(parts.values()),
            manager.anticipated());
    effects.persist(change);
    changed(change);
    if (effects.tracing()) {
      TreeMap<String, Object> args = proposed();
      args.put("members", members);
      args.put("irts", List.copyOf(irts.keySet()));
      args.put("committed", Node.ids(crts.values(), true));
      args.put("aborted", Node.ids(crts.values(), false));
      effects.trace("Failover.DecideView", args, Map.of("at", change.at().parts()));
    }
    installed.clear();
    proposal = null;
    if (!serving) {
      manager.succeed(told, anticipated, wall);
      serving = true;
    }
    commit(effects);
    resolve(effects);
  }

  private void commit(Effects effects) {
    for (String node : view.members().keySet()) {
      long has = taken.getOrDefault(node, 0L);
      if (has < view.number()) {
        List<Change> next = next(has);
        if (pace.starts(node, notes(next))) {
          effects.send(node, new ViewCommit(next));
        }
      }
    }
  }

  private static int notes(List<Change> changes) {
    return changes.stream()
        .mapToInt(c -> c.irts().size() + c.crts().size() + c.parts().size())
        .sum();
  }

  /** The first changes after a view, whatever the first is and then no more than fit a message. */
  private List<Change> next(long has) {
    List<Change> next = new ArrayList<>();
    for (Change change : changes) {
      if (change.view().number() > has) {
        if (!next.isEmpty() && notes(next) + notes(List.of(change)) > MOST_NOTES) {
          break;
        }
        next.add(change);
      }
    }
    return next;
  }

  private void resolve(Effects effects) {
    turns.repeat(unresolved, note -> resolve(note, effects));
  }

  private int resolve(Note note, Effects effects) {
    Set<String> have = resolved.getOrDefault(note.txn().id(), new TreeSet<>());
    List<String> left =
        note.txn().participants(layout).stream().filter(node -> !have.contains(node)).toList();
    left.forEach(node -> effects.send(node, new Resolve(note)));
    return left.size();
  }

  private void resolved(String from, String txn) {
    Note note = unresolved.get(txn);
    if (note != null) {
      TreeSet<String> have = resolved.computeIfAbsent(txn, id -> new TreeSet<>());
      have.add(from);
      if (have.containsAll(note.txn().participants(layout))) {
        unresolved.remove(txn);
        resolved.remove(txn);
      }
    }
  }

  private void resend(Effects effects) {
    pace.interval();
    if (proposal != null) {
      prepare(effects);
    }
    commit(effects);
    resolve(effects);
    for (String node : joining.keySet()) {
      if (!view.members().containsKey(node) && !ready(node)) {
        transfer(node, effects);
      }
    }
  }
}
