package dev.plumbline.k2.binding;

import static dev.plumbline.k2.binding.EpochVisibilityBinding.KEY;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.PREFIX;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.READER;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.RECOVER;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.ROUND;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.TXN;
import static dev.plumbline.k2.binding.EpochVisibilityBinding.WHO;

import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Names;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.bind.Tla;
import dev.plumbline.k2.K2Config;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** How a log of K2 reads as a behaviour of {@code EpochVisibility}. */
final class EpochVisibilityReading extends LogReading {
  /** Reads of the far past, such as snapshots at a new client's first timestamp, kept singly. */
  private static final int MOST_OLD_READS = 16;

  /** A read of the far past is this many epochs old. */
  private static final int OLD_EPOCHS = 4;

  /** How much later than asked for a snapshot read may be placed. */
  private static final int MOST_LATE_MICROS = 1_000;

  /** A timestamp of the log; those that clients choose for snapshot reads may be equal. */
  private record Stamp(List<Long> parts, String snapshot) {
    static final Comparator<Stamp> ORDER =
        Comparator.<Stamp, Long>comparing(s -> s.parts().get(0))
            .thenComparing(s -> s.parts().get(1))
            .thenComparing(s -> s.parts().get(2))
            .thenComparing(s -> s.parts().get(3))
            .thenComparing(s -> s.snapshot().isEmpty())
            .thenComparing(Stamp::snapshot);

    long micros() {
      return parts.get(0);
    }
  }

  /** Actions of {@code Mvto} that are also actions here the first time, with their names here. */
  private static final Map<String, String> PAIRS =
      Map.of("HandleWrite", "PrimaryWrite", "HandleCommit", "Commit", "HandleAbort", "Abort");

  private static final Set<String> PAIRED =
      Set.of("PrimaryRead", "PrimaryWrite", "Commit", "Abort");

  private static String word(TraceEvent e, String name) {
    return (e.args().containsKey("m") ? e.arg("m").path(name) : e.arg(name)).asText();
  }

  /** What an event is about: a write, or the decision on a transaction. */
  private static String subject(TraceEvent e, String action) {
    return word(e, "t") + (action.equals("PrimaryWrite") ? " at " + word(e, "k") : "");
  }

  /** An event that has to follow event {@code index} in its step. */
  private record Owed(int index, String action, String about) {
    boolean is(TraceEvent e) {
      return e.action().equals(PREFIX + action) && subject(e, action).equals(about);
    }
  }

  private final K2Config config;
  private final Set<String> readers = new HashSet<>();

  /** Where each transaction or reader was begun. */
  private final Map<String, String> begunAt = new HashMap<>();

  private final Map<String, String> primaryOf = new HashMap<>();
  private final Map<String, String> home = new TreeMap<>();
  private final Set<String> nodes = new TreeSet<>();

  /** By node, the last epochs that its cuts ended. */
  private final Map<String, TreeSet<Long>> cuts = new HashMap<>();

  private final TreeSet<Stamp> stamps = new TreeSet<>(Stamp.ORDER);
  private final Map<Stamp, Long> ticks = new HashMap<>();
  private final Map<String, Stamp> stampOf = new HashMap<>();
  private final int[] readAt = new int[events];
  private final TreeMap<Integer, Integer> readsToCome = new TreeMap<>();
  private int scale;
  private int passed;

  /** The last event of {@code Mvto} in each node's log. */
  private final Map<String, TraceEvent> before = new HashMap<>();

  /** By node, what its last event has to be followed by in the same step. */
  private final Map<String, Owed> owed = new HashMap<>();

  /** Transactions that were decided, and writes that were accepted. */
  private final Set<String> done = new HashSet<>();

  EpochVisibilityReading(EpochVisibilityBinding binding, MergedLog log, int room) {
    super(binding, log, room);
    config = binding.config;
    round(ROUND);
    for (int i = 0; i < events; i++) {
      TraceEvent e = event(i);
      if (e.action().equals(PREFIX + "Begin")) {
        begunAt.put(e.arg("t").asText(), e.node());
      } else if (e.action().startsWith(PREFIX + "Begin")) {
        readers.add(e.arg("r").asText());
        begunAt.put(e.arg("r").asText(), e.node());
      } else if (e.action().equals(PREFIX + "Replay")) {
        primaryOf.put(e.role(), e.arg("n").asText());
      }
    }
  }

  private Sort who(Sort sort, Object word) {
    return sort != WHO ? sort : readers.contains(Shape.text(word)) ? READER : TXN;
  }

  @Override
  protected void mention(int i, Sort sort, Object word) {
    super.mention(i, who(sort, word), word);
  }

  @Override
  protected Term term(int i, Sort sort, Object word) {
    return super.term(i, who(sort, word), word);
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    together(i, e);
    switch (e.action()) {
      case PREFIX + "Begin", PREFIX + "BeginLinearizable", PREFIX + "BeginSnapshot" -> {
        Stamp stamp = stamp(e);
        stamps.add(stamp);
        stampOf.put(e.arg(e.action().equals(PREFIX + "Begin") ? "t" : "r").asText(), stamp);
      }
      case RECOVER -> stamps.add(stamp(e));
      case PREFIX + "PrimaryRead", PREFIX + "PrimaryWrite" -> {
        home.put(e.arg("k").asText(), e.role());
        nodes.add(e.role());
      }
      case PREFIX + "ReplicaRead" -> {
        home.putIfAbsent(e.arg("k").asText(), primary(e));
        String asks = begunAt.get(e.arg("r").asText());
        if (asks != null && begunAt.containsValue(e.sender().orElse(""))) {
          demandSender(i, Set.of(asks));
        }
      }
      case PREFIX + "Cut" -> {
        String n = e.arg("n").asText();
        nodes.add(n);
        cuts.computeIfAbsent(n, none -> new TreeSet<>()).add(e.field("epoch").asLong() - 1);
      }
      case PREFIX + "Replay" -> nodes.add(e.arg("n").asText());
      default -> {}
    }
  }

  /**
   * What a replica has replayed before it replays a cut of its node; -1 if there is no such cut.
   */
  private long cutBefore(TraceEvent e) {
    TreeSet<Long> ended = cuts.getOrDefault(e.arg("n").asText(), new TreeSet<>());
    long cut = e.field("replayed").asLong();
    Long before = ended.lower(cut);
    return !ended.contains(cut) ? -1 : before == null ? 0 : before;
  }

  /**
   * What a data node or a recorder does is an event of both modules: {@code Mvto}'s, which is
   * first, has the message, and both are about the same transaction and key.
   */
  private void together(int i, TraceEvent e) {
    Owed due = owed.remove(e.node());
    boolean same = due != null && due.is(e);
    if (due != null && !same) {
      throw error(
          due.index(),
          due.action() + " of " + due.about() + " does not follow in the same step",
          "log it for both modules");
    }
    String action = e.actionName();
    boolean here = e.action().startsWith(PREFIX);
    if (here && PAIRED.contains(action)) {
      TraceEvent handled = before.get(e.node());
      boolean reads = action.equals("PrimaryRead");
      if (handled == null
          || handled.at() != e.at()
          || !handled.recv().equals(e.recv())
          || !(reads || subject(handled, action).equals(subject(e, action)))
          || (reads && !word(handled, "k").equals(word(e, "k")))) {
        throw error(
            i,
            e.action() + " of " + subject(e, action) + " is no part of the step before",
            "log it after Mvto's event of the step");
      }
      if (!reads && !e.arg("refused").asBoolean()) {
        done.add(subject(e, action));
      }
    } else if (e.action().startsWith("Mvto.")) {
      before.put(e.node(), e);
      String also = PAIRS.get(action);
      if (also != null && !done.contains(subject(e, also))) {
        owed.put(e.node(), new Owed(i, also, subject(e, also)));
      }
    }
  }

  private String primary(TraceEvent e) {
    return primaryOf.getOrDefault(e.role(), "");
  }

  private static Stamp stamp(TraceEvent e) {
    return e.action().equals(RECOVER)
        ? new Stamp(K2Times.floor(e), "")
        : new Stamp(K2Times.begun(e), e.action().endsWith("Snapshot") ? e.arg("r").asText() : "");
  }

  /**
   * Gives each timestamp its tick, of which a microsecond has the fewest that suffice. A snapshot
   * read's timestamp may lie later than asked for, by a little and in its epoch, as long as no
   * other one lies between: no view tells them apart.
   */
  @Override
  protected void scanned() {
    scale = 1;
    while (!placed(scale)) {
      scale++;
    }
    boolean old = false;
    for (int i = 0; i < events; i++) {
      readAt[i] = readAt(i);
      readsToCome.merge(readAt[i], 1, Integer::sum);
      old |= readAt[i] < oldAt(i);
    }
    names(TXN, Names.Reused.class).more(old ? home.size() : 0);
    names(READER, Names.Reused.class);
  }

  private boolean placed(int perMicro) {
    long last = Long.MIN_VALUE;
    for (Stamp s : stamps) {
      long tick = Math.max(last, (s.micros() - 1) * perMicro) + 1;
      boolean snapshot = !s.snapshot().isEmpty();
      if (tick > (s.micros() + (snapshot ? MOST_LATE_MICROS : 0)) * perMicro
          || epochOf(tick, perMicro) != epochOf(s.micros(), 1)) {
        return false;
      }
      ticks.put(s, tick);
      last = tick;
    }
    return true;
  }

  private long epochOf(long tick, int perMicro) {
    long interval = config.epochMicros() * perMicro;
    return Math.floorDiv(tick + interval - 1, interval);
  }

  /** The timestamp that event {@code i} reads at; the largest number if it is no read. */
  private int readAt(int i) {
    TraceEvent e = event(i);
    String id =
        switch (e.action()) {
          case PREFIX + "PrimaryRead" -> e.arg("t").asText();
          case PREFIX + "ReplicaRead" -> e.arg("r").asText();
          default -> null;
        };
    Stamp stamp = stampOf.get(id);
    return id == null
        ? Integer.MAX_VALUE
        : stamp == null ? 0 : number(i, ticks.get(stamp)).json().intValue();
  }

  /** Reads below this are old for event {@code i}. */
  private long oldAt(int i) {
    return (event(i).at() - OLD_EPOCHS * config.epochMicros()) * scale;
  }

  /**
   * Timestamps of reads after event {@code index}: old ones singly, then the least of the others.
   */
  private Term lows(int index) {
    for (; passed <= index; passed++) {
      readsToCome.computeIfPresent(readAt[passed], (at, n) -> n == 1 ? null : n - 1);
    }
    List<Term> lows = new ArrayList<>();
    for (int at : readsToCome.keySet()) {
      if (at == Integer.MAX_VALUE) {
        break;
      }
      lows.add(Term.of(at));
      if (at >= oldAt(index) || lows.size() > MOST_OLD_READS) {
        return Term.set(lows);
      }
    }
    lows.add(Term.of(Integer.MAX_VALUE - (int) config.epochMicros() * scale));
    return Term.set(lows);
  }

  @Override
  protected Term own(int i, String parameter) {
    TraceEvent e = event(i);
    switch (parameter) {
      case "n":
        boolean given = e.action().startsWith(PREFIX + "Begin") || e.action().equals(RECOVER);
        return given ? number(i, ticks.get(stamp(e))) : null;
      case "at":
        number(i, e.at() * scale);
        return null;
      case "cutBefore":
        return number(i, cutBefore(e));
      case "primary":
        return Term.string(primary(e));
      case "lows":
        return lows(i);
      default:
        return super.own(i, parameter);
    }
  }

  @Override
  protected void constants() {
    List<String> keys = names(KEY, Names.Listed.class).words();
    constant("Txns", Tla.range(0, size(TXN)));
    constant("Readers", Tla.range(-size(READER), -1));
    constant("Keys", Tla.range(1, keys.size()));
    constant("Home", keys.stream().map(k -> home.getOrDefault(k, "")).toList());
    constant("Nodes", nodes);
    constant("Scale", scale);
    constant("Interval", config.epochMicros() * scale);
    constant("Lead", 2 * (config.ttlMicros() + config.epsilonMicros()) * scale);
  }
}
