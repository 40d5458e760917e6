package dev.plumbline.mutate;

import dev.plumbline.dast.Checkpoint;
import dev.plumbline.dast.DastMessage.From;
import dev.plumbline.dast.DastMessage.Install;
import dev.plumbline.dast.DastMessage.Note;
import dev.plumbline.dast.DastRequest;
import dev.plumbline.dast.Layout;
import dev.plumbline.dast.ReplaceableNode;
import dev.plumbline.dast.Replica;
import dev.plumbline.dast.View;
import dev.plumbline.dast.system.DastSystem;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.ForwardingEffects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Looks over the shoulders of a run's replaceable nodes, at what no log shows: that a checkpoint is
 * all that its giver has, but for how transactions of removed coordinators ended, that its parts
 * are as small as they can be where that was asked for, that coordinators forget what has ended,
 * and that what others keep of it is how it ended.
 */
final class DastWatch extends Watch {
  private final TreeMap<String, ReplaceableNode> nodes = new TreeMap<>();
  private final TreeSet<String> transactions = new TreeSet<>();

  DastWatch() {
    super("dast");
  }

  @Override
  public Machine machine(NodeSpec node, Topology topology, Settings settings, Machine correct) {
    if (!(correct instanceof ReplaceableNode replica)) {
      return correct;
    }
    nodes.put(node.role(), replica);
    Layout layout = new DastSystem().layout(settings);
    return new Watched(
        replica,
        id -> layout.idAt(node.role(), id),
        settings.parameter("partBytes", Long.MAX_VALUE) == 1);
  }

  /** Once a run is drained. */
  void drained() {
    for (Map.Entry<String, ReplaceableNode> e : nodes.entrySet()) {
      SortedSet<String> left = those(txn -> e.getValue().node().coordinated(txn) != null);
      expect(left.isEmpty(), "a coordinator forgets what has ended", e.getKey() + " " + left);
      transactions.forEach(txn -> keeps(e.getValue(), txn));
    }
  }

  /**
   * Whoever keeps a CRT knows as what it was committed, as does a coordinator that lost nothing.
   */
  private void keeps(ReplaceableNode replica, String txn) {
    Note note = replica.kept(txn);
    if (note != null
        && replica.view().members().getOrDefault(note.coordinator(), 0L) == View.FIRST) {
      Note own = nodes.get(note.coordinator()).kept(txn);
      expect(note.committed() && note.equals(own), "who keeps a CRT knows its end", note);
    }
  }

  private SortedSet<String> those(Predicate<String> some) {
    TreeSet<String> all = new TreeSet<>(transactions);
    all.removeIf(some.negate());
    return all;
  }

  /** What a checkpoint has, or ought to have. */
  private record Content(
      Map<Long, List<Long>> store,
      SortedSet<String> executed,
      SortedSet<String> prepared,
      SortedSet<String> committed,
      SortedSet<String> aborted,
      SortedSet<String> kept) {
    static Content empty() {
      return new Content(
          new TreeMap<>(),
          new TreeSet<>(),
          new TreeSet<>(),
          new TreeSet<>(),
          new TreeSet<>(),
          new TreeSet<>());
    }

    void add(Checkpoint part) {
      store.putAll(part.store());
      part.executed().forEach(done -> executed.add(done.note().txn().id()));
      part.pending()
          .forEach(w -> (w.note().committed() ? committed : prepared).add(w.note().txn().id()));
      aborted.addAll(part.aborted());
      part.kept().forEach(note -> kept.add(note.txn().id()));
    }
  }

  private Content of(ReplaceableNode replica) {
    var node = replica.node();
    return new Content(
        new TreeMap<>(node.store()),
        those(txn -> node.executed(txn) && node.known(txn) != null),
        those(
            txn -> !node.executed(txn) && node.known(txn) != null && !node.known(txn).committed()),
        those(txn -> !node.executed(txn) && node.known(txn) != null && node.known(txn).committed()),
        those(txn -> node.executed(txn) && node.known(txn) == null),
        those(txn -> replica.kept(txn) != null));
  }

  /** A checkpoint that is handed over: what it has to be, and what has gone out of it. */
  private static final class Handed {
    final long number;
    final Content whole;
    final Content parts = Content.empty();
    int next;

    Handed(long number, Content whole) {
      this.number = number;
      this.whole = whole;
    }
  }

  private final class Watched implements Replica {
    private final ReplaceableNode replica;

    /** What it calls a transaction that clients call so. */
    private final UnaryOperator<String> ids;

    /** Whether each part has to be as small as it can be. */
    private final boolean smallest;

    private final TreeMap<String, Handed> handed = new TreeMap<>();

    Watched(ReplaceableNode replica, UnaryOperator<String> ids, boolean smallest) {
      this.replica = replica;
      this.ids = ids;
      this.smallest = smallest;
    }

    @Override
    public Map<Long, List<Long>> store() {
      return replica.store();
    }

    @Override
    public void handle(Input input, ClockReading clock, Effects effects) {
      if (input instanceof Input.ClientRequest request) {
        transactions.add(ids.apply(((DastRequest) request.request()).txn().id()));
      }
      Content before = replica.member() ? of(replica) : Content.empty();
      List<Runnable> gives = new ArrayList<>();
      replica.handle(
          input,
          clock,
          new ForwardingEffects(effects) {
            @Override
            public void send(String to, Message message) {
              super.send(to, message);
              if (message instanceof From from && from.body() instanceof Install part) {
                gives.add(() -> gives(to, part, before));
              }
            }
          });
      gives.forEach(Runnable::run);
    }

    private void gives(String to, Install part, Content now) {
      Handed known = handed.get(to);
      if (part.part() == 0 && (known == null || known.number != part.number())) {
        known = new Handed(part.number(), now);
        handed.put(to, known);
      }
      expect(
          known != null && known.number == part.number(), "a part is of the newest", part.number());
      if (smallest) {
        expect(size(part.checkpoint()) <= 1, "parts are as small as they can be", part);
      }
      if (known != null && part.part() == known.next) {
        known.next++;
        known.parts.add(part.checkpoint());
        if (known.next == part.of()) {
          expect(
              known.parts.equals(known.whole),
              "a checkpoint is all that its giver has",
              known.parts + " of " + known.whole);
        }
      }
    }

    private static int size(Checkpoint part) {
      return part.store().size()
          + part.executed().size()
          + part.pending().size()
          + part.fates().size()
          + part.kept().size()
          + part.aborted().size();
    }
  }
}
