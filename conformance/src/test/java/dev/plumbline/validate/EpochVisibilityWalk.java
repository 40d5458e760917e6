package dev.plumbline.validate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.trace.TraceEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Walks {@code EpochVisibility}. */
final class EpochVisibilityWalk extends RowWalk {
  private static final String PREFIX = "EpochVisibility.";

  /** Ticks in a microsecond: more than timestamps of one microsecond in a short log. */
  private static final int SCALE = 16;

  private final Set<String> txns = new TreeSet<>();
  private final Set<String> readers = new TreeSet<>();
  private final Map<String, String> home = new TreeMap<>();
  private final Map<String, String> primaryOf = new HashMap<>();
  private final TreeSet<String> cuts = new TreeSet<>();
  private final TreeSet<String> stamps = new TreeSet<>(Comparator.naturalOrder());

  EpochVisibilityWalk(MergedLog log) {
    super(log);
    for (MergedLog.Entry entry : log.entries()) {
      TraceEvent e = entry.event();
      String action = e.action().replace(PREFIX, "");
      if (action.startsWith("Begin") && !action.equals(e.action())) {
        stamps.add(stamp(e));
      } else if (e.action().equals("Mvto.RecoverDataNode")) {
        stamps.add(stamp(e));
      }
      switch (action) {
        case "BeginLinearizable", "BeginSnapshot" -> readers.add(arg(e, "r").asText());
        case "Replay" -> primaryOf.put(e.role(), arg(e, "n").asText());
        case "Cut" -> cuts.add(cut(e, state(e, "epoch").asInt() - 1));
        case "PrimaryRead", "PrimaryWrite" -> home.put(arg(e, "k").asText(), e.role());
        default -> {}
      }
    }
    for (MergedLog.Entry entry : log.entries()) {
      TraceEvent e = entry.event();
      if (e.action().equals(PREFIX + "ReplicaRead")) {
        home.putIfAbsent(arg(e, "k").asText(), primaryOf.getOrDefault(e.role(), ""));
      }
    }
  }

  /** A cut as text that sorts by node, then by the epoch that it ended. */
  private static String cut(TraceEvent e, int epoch) {
    return arg(e, "n").asText() + String.format(" %09d", epoch);
  }

  private String before(TraceEvent e) {
    String cut = cut(e, state(e, "replayed").asInt());
    String before = cuts.lower(cut);
    if (!cuts.contains(cut)) {
      return "-1";
    }
    return before == null || !before.startsWith(arg(e, "n").asText() + " ")
        ? "0"
        : String.valueOf(Integer.parseInt(before.substring(before.length() - 9)));
  }

  @Override
  String module() {
    return "EpochVisibility";
  }

  /** A timestamp as text that sorts like it; snapshot reads of clients may share one. */
  private static String stamp(TraceEvent e) {
    List<Long> parts = new ArrayList<>();
    if (e.action().startsWith(PREFIX)) {
      for (String part : List.of("n", "oracle", "coordinator", "incarnation")) {
        parts.add(arg(e, part).longValue());
      }
    } else {
      arg(e, "floor").forEach(p -> parts.add(p.longValue()));
    }
    String reader = e.action().endsWith("Snapshot") ? " " + arg(e, "r").asText() : "~";
    return String.format("%012d %09d %09d %09d", parts.toArray()) + reader;
  }

  private String tick(TraceEvent e) {
    String stamp = stamp(e);
    String micros = stamp.substring(0, 12);
    int place = stamps.subSet(micros, true, stamp, true).size();
    return String.valueOf((Long.parseLong(micros) - 1) * SCALE + place);
  }

  @Override
  void read(int i, TraceEvent e) {
    JsonNode m = arg(e, "m");
    String role = quote(e.role());
    switch (e.action()) {
      case "Mvto.HandleRead" -> {
        tick(i, e);
        row(i, "ask", "t", txn(m.path("t")), "k", key(m.path("k")));
      }
      case "Mvto.IssueWrite" -> {
        tick(i, e);
        row(i, "first", "t", txn(arg(e, "t")), "k", key(arg(e, "k")));
      }
      case "Mvto.HandleReadReply" -> {
        tick(i, e);
        row(i, "returned", "t", txn(m.path("t")), "k", key(m.path("k")), "w", txn(m.path("v")));
      }
      case "Mvto.RecoverDataNode" -> {
        tick(i, e);
        row(i, "recover", "role", role, "at", tick(e));
      }
      default -> {
        if (e.action().startsWith(PREFIX)) {
          tick(i, e);
          own(i, e, e.action().substring(PREFIX.length()), role);
        }
      }
    }
  }

  private void tick(int i, TraceEvent e) {
    row(i, "tick", "at", String.valueOf(e.at()));
  }

  private void own(int i, TraceEvent e, String action, String role) {
    Map<String, String> fields = new TreeMap<>();
    fields.put("role", role);
    if (e.args().containsKey("t") || e.args().containsKey("r")) {
      fields.put("t", txn(e.args().containsKey("t") ? arg(e, "t") : arg(e, "r")));
    }
    if (e.args().containsKey("k")) {
      fields.put("k", key(arg(e, "k")));
    }
    if (e.args().containsKey("w")) {
      fields.put("w", txn(arg(e, "w")));
    }
    String epoch = action.equals("Replay") || action.equals("ReplicaRead") ? "replayed" : "epoch";
    fields.put("epoch", String.valueOf(state(e, epoch).asInt(-1)));
    switch (action) {
      case "Begin", "BeginLinearizable", "BeginSnapshot" -> fields.put("at", tick(e));
      case "Cut", "Replay" -> {
        fields.put("n", quote(arg(e, "n").asText()));
        if (action.equals("Replay")) {
          fields.put("before", before(e));
        }
      }
      case "PrimaryWrite" ->
          fields.put("refused", arg(e, "refused").asBoolean() ? "TRUE" : "FALSE");
      case "Commit" ->
          fields.put("status", quote(state(e, "record").asText().toLowerCase(Locale.ROOT)));
      case "ReplicaRead" -> fields.put("primary", quote(primaryOf.getOrDefault(e.role(), "")));
      default -> {}
    }
    List<String> flat = new ArrayList<>();
    fields.forEach((name, value) -> flat.addAll(List.of(name, value)));
    row(i, action, flat.toArray(new String[0]));
  }

  private String txn(JsonNode t) {
    if (t.asText().equals("NoTxn")) {
      return "NoTxn";
    }
    if (!readers.contains(t.asText())) {
      txns.add(t.asText());
    }
    return quote(t.asText());
  }

  private String key(JsonNode k) {
    home.putIfAbsent(k.asText(), "");
    return quote(k.asText());
  }

  @Override
  List<String> definitions() {
    List<String> homes = new ArrayList<>();
    home.forEach((k, n) -> homes.add(k + " |-> " + quote(n)));
    Set<String> nodes = new TreeSet<>(home.values());
    nodes.addAll(primaryOf.values());
    for (MergedLog.Entry entry : log.entries()) {
      if (entry.event().action().equals(PREFIX + "Cut")) {
        nodes.add(arg(entry.event(), "n").asText());
      }
    }
    return List.of(
        "LogTxns == {\"old\"} \\union " + set(txns),
        "LogReaders == " + set(readers),
        "LogKeys == " + set(home.keySet()),
        "LogHome == [" + String.join(", ", homes) + "]",
        "LogNodes == " + set(nodes));
  }

  @Override
  List<String> configuration() {
    return List.of(
        "Txns <- LogTxns Readers <- LogReaders Keys <- LogKeys Home <- LogHome Nodes <- LogNodes",
        "Old = \"old\" NoTxn = NoTxn NoKey = NoKey Repairs = {\"CloseEpochs\"}",
        "Scale = " + SCALE,
        "Interval = " + CONFIG.epochMicros() * SCALE,
        "Lead = " + 2 * (CONFIG.ttlMicros() + CONFIG.epsilonMicros()) * SCALE);
  }
}
