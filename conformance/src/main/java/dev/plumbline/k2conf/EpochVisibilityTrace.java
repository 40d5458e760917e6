package dev.plumbline.k2conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.k2.K2Config;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.Pool;
import dev.plumbline.validate.TraceModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads a log as steps of {@code EpochVisibility}; see {@code TraceEpochVisibility.tla}. */
final class EpochVisibilityTrace implements TraceModel {
  static final String MODULE = "EpochVisibility";
  private static final String PREFIX = MODULE + ".";
  private static final String NO_TXN = "NoTxn";
  private static final String NO_KEY = "NoKey";
  private static final String ASK = "Mvto.HandleRead";
  private static final String FIRST = "Mvto.IssueWrite";
  private static final String RETURN = "Mvto.HandleReadReply";
  private static final String RECOVER = "Mvto.RecoverDataNode";

  /** Identifiers retired between two rounds of forgetting. */
  private static final int ROUND = 32;

  /** Slots beyond those in flight, for what waits for a round of forgetting. */
  private static final int SPARE = ROUND + 16;

  /** Reads of the far past, such as snapshots at a new client's first timestamp, kept singly. */
  private static final int MOST_OLD_READS = 16;

  /** A read of the far past is this many epochs old. */
  private static final int OLD_EPOCHS = 4;

  /** How much later than asked for a snapshot read may be placed. */
  private static final int MOST_LATE_MICROS = 1_000;

  private final K2Config config;

  /**
   * @param config what the machines ran with
   */
  EpochVisibilityTrace(K2Config config) {
    this.config = config;
  }

  @Override
  public String module() {
    return MODULE;
  }

  @Override
  public Path folder() {
    return Path.of("specs/k2");
  }

  @Override
  public Reading read(MergedLog log, int room) {
    return new EpochReading(log, room);
  }

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

  private final class EpochReading implements Reading {
    private final MergedLog log;
    private final int events;
    private final Pool txns = new Pool("transactions");
    private final Pool readers = new Pool("readers");
    private final Set<String> readerIds = new HashSet<>();
    private final int txnSlots;
    private final int readerSlots;
    private final TreeSet<Stamp> stamps = new TreeSet<>(Stamp.ORDER);
    private final Map<Stamp, Long> ticks = new HashMap<>();
    private final int scale;
    private final Map<String, Stamp> stampOf = new HashMap<>();
    private final Map<String, String> home = new TreeMap<>();
    private final Set<String> nodes = new TreeSet<>();
    private final Map<String, String> primaryOf = new HashMap<>();
    private final Map<String, Integer> keys = new HashMap<>();
    private final int[] readAt;
    private final TreeMap<Integer, Integer> readsToCome = new TreeMap<>();
    private int passed;
    private int stuck;
    private Term noTxn;
    private Spec spec;

    EpochReading(MergedLog log, int room) {
      this.log = log;
      this.events = log.entries().size();
      for (MergedLog.Entry entry : log.entries()) {
        prepare(entry.event());
      }
      for (int i = 0; i < events; i++) {
        scan(i);
      }
      readerSlots = (readers.overlap(events) + SPARE) * room;
      scale = places();
      readAt = new int[events];
      boolean old = false;
      for (int i = 0; i < events; i++) {
        readAt[i] = readAt(i);
        readsToCome.merge(readAt[i], 1, Integer::sum);
        old |= readAt[i] < oldAt(i);
      }
      txnSlots = (txns.overlap(events) + (old ? home.size() : 0) + SPARE) * room;
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

    /** Reads below this are old for event {@code i}. */
    private long oldAt(int i) {
      return (log.entries().get(i).event().at() - OLD_EPOCHS * config.epochMicros()) * scale;
    }

    private boolean concerns(TraceEvent e) {
      return e.action().startsWith(PREFIX)
          || e.action().equals(FIRST)
          || e.action().equals(RETURN)
          || e.action().equals(RECOVER)
          || (e.action().equals(ASK) && !config.asPublished().contains(K2Config.TRACK_AT_REPLY));
    }

    /** Who is a reader, and which node a replica follows. */
    private void prepare(TraceEvent e) {
      switch (e.action()) {
        case PREFIX + "BeginLinearizable", PREFIX + "BeginSnapshot" -> readerIds.add(text(e, "r"));
        case PREFIX + "Replay" -> primaryOf.put(e.role(), text(e, "n"));
        default -> {}
      }
    }

    private void scan(int i) {
      TraceEvent e = log.entries().get(i).event();
      if (!concerns(e)) {
        return;
      }
      JsonNode m = e.args().getOrDefault("m", MissingNode.getInstance());
      for (JsonNode t : List.of(arg(e, "t"), arg(e, "r"), arg(e, "w"), m.path("t"), m.path("v"))) {
        if (t.isTextual() && !t.textValue().equals(NO_TXN)) {
          String id = t.textValue();
          (readerIds.contains(id) ? readers : txns).mention(id, i);
        }
      }
      for (JsonNode k : List.of(arg(e, "k"), m.path("k"))) {
        if (k.isTextual()) {
          home.putIfAbsent(k.textValue(), "");
        }
      }
      switch (e.action()) {
        case PREFIX + "Begin", PREFIX + "BeginLinearizable", PREFIX + "BeginSnapshot" -> {
          Stamp stamp = stamp(i);
          stamps.add(stamp);
          stampOf.put(text(e, e.action().equals(PREFIX + "Begin") ? "t" : "r"), stamp);
        }
        case RECOVER -> stamps.add(stamp(i));
        case PREFIX + "PrimaryRead", PREFIX + "PrimaryWrite" -> {
          home.put(text(e, "k"), e.role());
          nodes.add(e.role());
        }
        case PREFIX + "ReplicaRead" -> {
          String primary = primaryOf.getOrDefault(e.role(), "");
          if (home.get(text(e, "k")).isEmpty()) {
            home.put(text(e, "k"), primary);
          }
        }
        case PREFIX + "Cut", PREFIX + "Replay" -> nodes.add(text(e, "n"));
        default -> {}
      }
    }

    /**
     * Gives each timestamp its tick; returns how many ticks a microsecond has, the fewest that
     * suffice. A snapshot read's timestamp may lie later than asked for, by a little and in its
     * epoch, as long as no other one lies between: no view tells them apart.
     */
    private int places() {
      int most = 1;
      while (!placed(most)) {
        most++;
      }
      return most;
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
      TraceEvent e = log.entries().get(i).event();
      String id =
          switch (e.action()) {
            case PREFIX + "PrimaryRead" -> text(e, "t");
            case PREFIX + "ReplicaRead" -> text(e, "r");
            default -> null;
          };
      if (id == null) {
        return Integer.MAX_VALUE;
      }
      Stamp stamp = stampOf.get(id);
      return stamp == null ? 0 : ticks(i, stamp);
    }

    private int ticks(int i, Stamp s) {
      return number(i, ticks.get(s));
    }

    private int number(int i, long value) {
      if (value != (int) value) {
        MergedLog.Entry entry = log.entries().get(i);
        throw new InputError(
            entry.file(), entry.line(), value + " exceeds 32 bits", "validate shorter runs");
      }
      return (int) value;
    }

    private Stamp stamp(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      List<Long> parts = new ArrayList<>();
      if (e.action().equals(RECOVER)) {
        state(e, "tracker").forEach(p -> parts.add(p.longValue()));
      } else {
        for (String part : List.of("n", "oracle", "coordinator", "incarnation")) {
          if (arg(e, part).isIntegralNumber()) {
            parts.add(arg(e, part).longValue());
          }
        }
      }
      if (parts.size() != 4) {
        throw new InputError(
            entry.file(),
            entry.line(),
            e.action() + " has no whole timestamp",
            "log n, oracle, coordinator and incarnation");
      }
      return new Stamp(parts, e.action().endsWith("Snapshot") ? text(e, "r") : "");
    }

    @Override
    public List<String> definitions() {
      return List.of(
          "LogTxns == 0 .. " + txnSlots,
          "LogReaders == -" + readerSlots + " .. -1",
          "LogKeys == 1 .. " + home.size(),
          "LogHome == <<" + quoted(home.values()) + ">>",
          "LogNodes == {" + quoted(nodes) + "}");
    }

    private String quoted(Iterable<String> names) {
      List<String> quoted = new ArrayList<>();
      names.forEach(n -> quoted.add('"' + n + '"'));
      return String.join(", ", quoted);
    }

    @Override
    public List<String> configuration() {
      boolean closes = !config.asPublished().contains(K2Config.CLOSE_EPOCHS);
      return List.of(
          "CONSTANTS",
          "Txns <- LogTxns",
          "Old = 0",
          "Readers <- LogReaders",
          "Keys <- LogKeys",
          "Home <- LogHome",
          "Nodes <- LogNodes",
          "Next <- Shown",
          "NoTxn = NoTxn",
          "NoKey = NoKey",
          "Scale = " + scale,
          "Interval = " + config.epochMicros() * scale,
          "Lead = " + 2 * (config.ttlMicros() + config.epsilonMicros()) * scale,
          "Repairs = {" + (closes ? "\"" + K2Config.CLOSE_EPOCHS + "\"" : "") + "}");
    }

    @Override
    public void load(Spec loaded) {
      spec = loaded;
      noTxn = Term.model(NO_TXN);
      home.keySet().forEach(k -> keys.put(k, keys.size() + 1));
      txns.load(txnSlots, events);
      readers.load(readerSlots, events);
    }

    @Override
    public List<Step> steps(int i) {
      MergedLog.Entry entry = log.entries().get(i);
      TraceEvent e = entry.event();
      if (!concerns(e)) {
        return List.of();
      }
      JsonNode m = e.args().getOrDefault("m", MissingNode.getInstance());
      Term role = Term.string(e.role());
      Step step =
          switch (e.action()) {
            case ASK -> step("", "Ask", txn(m.path("t")), key(m.path("k")));
            case FIRST -> step("", "First", txn(e, "t"), key(e));
            case RETURN ->
                step("", "Returned", txn(m.path("t")), key(m.path("k")), txn(m.path("v")));
            case RECOVER -> step("", "Recover", role, at(i));
            case PREFIX + "Begin" -> step("Begin", "Begin", txn(e, "t"), at(i));
            case PREFIX + "BeginLinearizable" ->
                step("BeginLinearizable", "BeginLinearizable", txn(e, "r"), at(i));
            case PREFIX + "BeginSnapshot" ->
                step("BeginSnapshot", "BeginSnapshot", txn(e, "r"), at(i));
            case PREFIX + "PrimaryRead" ->
                step("PrimaryRead", "TracePrimaryRead", txn(e, "t"), key(e), txn(e, "w"), role);
            case PREFIX + "PrimaryWrite" ->
                step(
                    "PrimaryWrite",
                    "TracePrimaryWrite",
                    txn(e, "t"),
                    key(e),
                    Term.of(arg(e, "refused").asBoolean()),
                    epoch(e, "epoch"),
                    role);
            case PREFIX + "Commit" ->
                step(
                    "Commit",
                    "TraceCommit",
                    txn(e, "t"),
                    Term.string(state(e, "record").asText().toLowerCase(Locale.ROOT)),
                    epoch(e, "epoch"),
                    role);
            case PREFIX + "Abort" -> step("Abort", "TraceAbort", txn(e, "t"));
            case PREFIX + "Tell" -> step("Tell", "TraceTell", txn(e, "t"));
            case PREFIX + "ReplicaRead" ->
                step(
                    "ReplicaRead",
                    "TraceReplicaRead",
                    txn(e, "r"),
                    key(e),
                    txn(e, "w"),
                    Term.string(primaryOf.getOrDefault(e.role(), "")));
            case PREFIX + "Cut" ->
                step("Cut", "TraceCut", Term.string(text(e, "n")), role, epoch(e, "epoch"));
            case PREFIX + "Replay" ->
                step("Replay", "TraceReplay", Term.string(text(e, "n")), epoch(e, "replayed"));
            default ->
                throw new InputError(
                    entry.file(),
                    entry.line(),
                    MODULE + " has no action " + e.action().substring(PREFIX.length()),
                    "log the specification's actions");
          };
      number(i, e.at() * scale);
      return List.of(step("", "TraceTick", Term.of(number(i, e.at()))), step);
    }

    private Step step(String action, String operator, Term... arguments) {
      return new Step(action, operator, List.of(arguments), false);
    }

    private Term at(int i) {
      return Term.of(ticks(i, stamp(i)));
    }

    private Term epoch(TraceEvent e, String field) {
      return Term.of(state(e, field).asInt(-1));
    }

    private Term key(TraceEvent e) {
      return key(arg(e, "k"));
    }

    private Term key(JsonNode k) {
      Integer key = keys.get(k.asText());
      return key == null ? Term.model(NO_KEY) : Term.of(key);
    }

    private Term txn(TraceEvent e, String name) {
      return txn(arg(e, name));
    }

    private Term txn(JsonNode t) {
      String id = t.asText();
      if (id.equals(NO_TXN)) {
        return noTxn;
      }
      return readerIds.contains(id) ? negative(readers.term(id)) : txns.term(id);
    }

    @Override
    public Map<String, String> names(int index) {
      Map<String, String> names = new TreeMap<>();
      TraceEvent e = log.entries().get(index).event();
      for (JsonNode t : List.of(arg(e, "t"), arg(e, "r"), arg(e, "w"))) {
        if (t.isTextual() && !t.textValue().equals(NO_TXN)) {
          String kind = readerIds.contains(t.textValue()) ? "reader " : "transaction ";
          names.put(t.textValue(), kind + txn(t));
        }
      }
      if (arg(e, "k").isTextual()) {
        names.put(text(e, "k"), "key " + key(e));
      }
      return names;
    }

    @Override
    public Map<String, Term> forgotten() {
      return Map.of("told", Term.sequence(List.of()));
    }

    @Override
    public List<Step> housekeeping(int index) {
      txns.retire(index);
      readers.retire(index);
      if (txns.retired().size() + readers.retired().size() < stuck + ROUND) {
        return List.of();
      }
      Set<Term> gone = new HashSet<>(txns.retired());
      readers.retired().forEach(r -> gone.add(negative(r)));
      return List.of(step("", "Forget", Term.set(gone), lows(index)));
    }

    @Override
    public void cleaned(List<Spec.State> candidates) {
      Set<Term> unused = null;
      for (Spec.State s : candidates) {
        Set<Term> here = new HashSet<>(spec.term("Unused", s).elements());
        if (unused == null) {
          unused = here;
        } else {
          unused.retainAll(here);
        }
      }
      Set<Term> free = unused;
      txns.reuse(txns.retired().stream().filter(free::contains).collect(Collectors.toSet()));
      readers.reuse(
          readers.retired().stream()
              .filter(r -> free.contains(negative(r)))
              .collect(Collectors.toSet()));
      stuck = txns.retired().size() + readers.retired().size();
    }
  }

  private static Term negative(Term number) {
    return Term.of(-number.json().intValue());
  }

  private static JsonNode arg(TraceEvent e, String name) {
    return e.args().getOrDefault(name, MissingNode.getInstance());
  }

  private static JsonNode state(TraceEvent e, String name) {
    return e.state().getOrDefault(name, MissingNode.getInstance());
  }

  private static String text(TraceEvent e, String name) {
    return arg(e, name).asText();
  }
}
