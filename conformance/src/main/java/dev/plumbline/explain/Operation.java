package dev.plumbline.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.graph.Conformance;
import dev.plumbline.graph.LoggedTransactions;
import dev.plumbline.history.History;
import dev.plumbline.history.HistoryException;
import dev.plumbline.history.HistoryFiles;
import dev.plumbline.history.ObservedMicroOp;
import dev.plumbline.history.Op;
import dev.plumbline.tlc.InputError;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.MergedLog.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One operation of a cluster run as a page to step through: what its client did, the steps of nodes
 * that are about its transaction with the messages between them, and the first event that the
 * specification does not explain.
 */
public final class Operation {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A module that rejects the logs, or the rules of every log: both name a file and a line. */
  private static final Pattern REJECTED =
      Pattern.compile("^(?:\\S+: REJECTED at )?(.+\\.ndjson):(\\d+)\\b.*");

  /** Steps on a page; more make it slow and hard to read. */
  private static final int MOST = 400;

  private final LoggedTransactions transactions;
  private final JsonNode result;
  private final MergedLog log;
  private final Path folder;

  /** One step of a node: all its events, which one input brought about. */
  private record Step(List<Entry> events) {
    TraceEvent first() {
      return events.get(0).event();
    }

    boolean goesOn(TraceEvent e) {
      return first().node().equals(e.node())
          && first().at() == e.at()
          && first().recv().equals(e.recv())
          && first().sent().equals(e.sent());
    }
  }

  /** Where the logs stop being explained, and what was said of it. */
  private record Rejected(String file, int line, List<String> said) {
    boolean is(Entry e) {
      return e.line() == line && Path.of(e.file()).getFileName().toString().equals(file);
    }
  }

  private Operation(LoggedTransactions transactions, JsonNode result, MergedLog log, Path folder) {
    this.transactions = transactions;
    this.result = result;
    this.log = log;
    this.folder = folder;
  }

  /**
   * The page.
   *
   * @param folder of a run: result.json, history.edn, trace
   * @param index of the operation, of its beginning or its end; where none is given, the operation
   *     of the first event that the specification does not explain
   */
  public static String html(Path folder, Optional<Long> index) throws IOException {
    Path file = folder.resolve("result.json");
    if (!Files.isRegularFile(file)) {
      throw new InputError(
          folder.toString(),
          0,
          "is no run of a cluster",
          "name a folder of .plumb/jepsen/PROTOCOL");
    }
    JsonNode result;
    try {
      result = MAPPER.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw new InputError(file.toString(), 0, "is no JSON", "name a run that came to its end");
    }
    Conformance conformance = Conformance.named(result.path("protocol").asText());
    MergedLog log = MergedLog.read(List.of(folder.resolve("trace")));
    return new Operation(transactions(conformance, log), result, log, folder).page(index);
  }

  private static LoggedTransactions transactions(Conformance conformance, MergedLog log) {
    return conformance.transactions(log.entries().stream().map(Entry::event).toList());
  }

  /**
   * An operation of a run that has a page: the first that went well, and that the logs name.
   *
   * @return its index, or why there is none
   */
  public static Shown shown(String protocol, Path folder) throws IOException {
    try {
      MergedLog log = MergedLog.read(List.of(folder.resolve("trace")));
      LoggedTransactions transactions = transactions(Conformance.named(protocol), log);
      History history = HistoryFiles.read(folder.resolve("history.edn"));
      return history.ops().stream()
          .filter(op -> op.type() == Op.Type.OK && !transactions.of(history, op).isEmpty())
          .findFirst()
          .map(op -> new Shown(OptionalLong.of(op.index()), ""))
          .orElseGet(
              () ->
                  new Shown(
                      OptionalLong.empty(),
                      "the logs name no operation's "
                          + transactions.word()
                          + ": "
                          + transactions.needs()));
    } catch (InputError | HistoryException e) {
      return new Shown(OptionalLong.empty(), e.getMessage());
    }
  }

  /** The index of an operation that has a page, or else why none has. */
  public record Shown(OptionalLong index, String why) {}

  private String page(Optional<Long> index) throws IOException {
    Optional<Rejected> rejected = rejected();
    History history;
    try {
      history = HistoryFiles.read(folder.resolve("history.edn"));
    } catch (HistoryException e) {
      throw new InputError(folder.toString(), 0, e.getMessage(), "name a run with its history");
    }
    Optional<Entry> odd = rejected.flatMap(r -> log.entries().stream().filter(r::is).findFirst());
    Set<String> names = new LinkedHashSet<>();
    Optional<Op> end = Optional.empty();
    if (index.isPresent()) {
      end = Optional.of(end(history, index.get()));
      names.addAll(names(history, end.get()));
    } else {
      Entry e =
          odd.orElseThrow(
              () ->
                  new InputError(
                      folder.toString(),
                      0,
                      "its logs have no event that the specification does not explain",
                      "name an operation by its index in history.edn: --op N"));
      names.addAll(transactions.of(log.entries().indexOf(e)));
      end = transactions.operation(history, names);
    }
    List<Step> steps = steps(names, odd);
    return Player.html(behaviour(end, history, names, steps, rejected, odd));
  }

  /** What the judges of logs said, as the run's result has it. */
  private Optional<Rejected> rejected() {
    for (JsonNode judge : result.path("judges")) {
      List<String> said = new ArrayList<>();
      judge.path("details").forEach(d -> said.add(d.asText()));
      for (String line : said) {
        Matcher m = REJECTED.matcher(line);
        if (judge.path("judge").asText().equals("trace") && m.matches()) {
          String name = Path.of(m.group(1)).getFileName().toString();
          return Optional.of(new Rejected(name, Integer.parseInt(m.group(2)), said));
        }
      }
    }
    return Optional.empty();
  }

  /** How the operation ended of which a line has this index. */
  private static Op end(History history, long index) {
    Op at =
        history.ops().stream()
            .filter(o -> o.index() == index && !o.nemesis())
            .findFirst()
            .orElseThrow(
                () ->
                    new InputError(
                        "", 0, "no operation has index " + index, "see the run's history.edn"));
    return history.ops().stream()
        .filter(o -> o.process() == at.process() && o.type() != Op.Type.INVOKE)
        .filter(o -> o.index() >= at.index())
        .findFirst()
        .orElse(at);
  }

  /** What the logs call its transaction. */
  private Set<String> names(History history, Op end) {
    Set<String> names = transactions.of(history, end);
    if (names.isEmpty()) {
      String what = transactions.word() + " of operation " + end.index();
      throw new InputError(
          "", 0, "the logs name no " + what + " (" + end.type().word() + ")", transactions.needs());
    }
    return names;
  }

  private List<Step> steps(Set<String> names, Optional<Entry> odd) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < log.entries().size(); i++) {
      Entry e = log.entries().get(i);
      boolean strange = odd.filter(o -> o.equals(e)).isPresent();
      boolean about = steps.size() < MOST && transactions.of(i).stream().anyMatch(names::contains);
      if (!about && !strange) {
        continue;
      }
      Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
      if (last != null && last.goesOn(e.event())) {
        last.events().add(e);
      } else {
        steps.add(new Step(new ArrayList<>(List.of(e))));
      }
    }
    return steps;
  }

  private ObjectNode behaviour(
      Optional<Op> end,
      History history,
      Set<String> names,
      List<Step> steps,
      Optional<Rejected> rejected,
      Optional<Entry> odd) {
    ObjectNode b = MAPPER.createObjectNode();
    String of = end.map(o -> "operation " + o.index()).orElse("an operation without an end");
    b.put(
        "name",
        names.isEmpty()
            ? "an event of no " + transactions.word()
            : of + ", " + transactions.word() + " " + String.join(", ", names));
    b.put("module", result.path("command").asText());
    b.put("why", why(end, history, rejected));
    b.putObject("places");
    String client = end.map(o -> "client " + o.process()).orElse("client");
    Set<String> lanes = new LinkedHashSet<>(List.of(client));
    steps.forEach(s -> lanes.add(s.first().node()));
    lanes.forEach(b.withArray("lanes")::add);
    b.putArray("arrows");
    Map<String, Integer> sent = new HashMap<>();
    Map<String, Map<String, String>> before = new TreeMap<>();
    int bad = -1;
    String asks = asked(end, history);
    step(b, "invoke", client, List.of("asks: " + asks), before, Map.of("asks", asks));
    for (Step s : steps) {
      int at = b.path("steps").size();
      TraceEvent first = s.first();
      List<String> changes = new ArrayList<>();
      Map<String, String> state = new TreeMap<>();
      for (Entry e : s.events()) {
        changes.add(
            e.event().action() + " " + ValueText.text(MAPPER.valueToTree(e.event().args())));
        e.event().state().forEach((part, v) -> state.put(part, ValueText.text(v)));
        if (odd.filter(o -> o.equals(e)).isPresent()) {
          bad = at;
          rejected.orElseThrow().said().forEach(changes::add);
        }
      }
      changes.add(Path.of(s.events().get(0).file()).getFileName() + ":" + s.events().get(0).line());
      first.recv().filter(sent::containsKey).ifPresent(m -> arrow(b, sent.get(m), at, first));
      first.sent().forEach(m -> sent.put(m, at));
      step(b, label(first.action()), first.node(), changes, before, state);
    }
    String gets = end.map(Operation::text).orElse("nothing");
    step(
        b,
        end.map(o -> o.type().word()).orElse("no end"),
        client,
        List.of("gets: " + gets),
        before,
        Map.of("gets", gets));
    b.put("bad", bad).put("right", bad < 0);
    b.put("verdict", verdict(bad, odd, steps));
    return b;
  }

  private String verdict(int bad, Optional<Entry> odd, List<Step> steps) {
    String cut = steps.size() >= MOST ? ", its first " + MOST + " steps" : "";
    if (bad >= 0) {
      return "step " + bad + " is the first that the specification does not explain" + cut;
    }
    String elsewhere =
        odd.map(e -> "; the logs are rejected at " + e.file() + ":" + e.line() + ", elsewhere")
            .orElse("");
    return "the run is " + result.path("verdict").asText() + elsewhere + cut;
  }

  private static String why(Optional<Op> end, History history, Optional<Rejected> rejected) {
    String times =
        "What its client did stands first and last: clocks of the history and of the logs are not"
            + " compared.";
    return rejected.map(r -> r.said().get(0) + ". ").orElse("") + times;
  }

  private static String asked(Optional<Op> end, History history) {
    return end.flatMap(
            e ->
                history.ops().stream()
                    .filter(o -> o.process() == e.process() && o.type() == Op.Type.INVOKE)
                    .filter(o -> o.index() <= e.index())
                    .reduce((a, b) -> b))
        .map(Operation::text)
        .orElse("not in the history");
  }

  private static String text(Op op) {
    return op.value().stream().map(Operation::text).collect(Collectors.joining(", "));
  }

  private static String text(ObservedMicroOp op) {
    if (op instanceof ObservedMicroOp.Append a) {
      return "append " + a.value() + " to " + a.key();
    }
    if (op instanceof ObservedMicroOp.Write w) {
      return "write " + w.key() + (w.value() == null ? "" : " = " + w.value());
    }
    Object result = ((ObservedMicroOp.Read) op).result();
    return "read " + op.key() + (result == null ? "" : " = " + result);
  }

  private static String label(String action) {
    return action.substring(action.indexOf('.') + 1);
  }

  private static void arrow(ObjectNode b, int from, int to, TraceEvent e) {
    JsonNode type = MAPPER.valueToTree(e.args()).path("m").path("type");
    b.withArray("arrows").addObject().put("from", from).put("to", to).put("label", type.asText(""));
  }

  /** One row; what differs from its lane's row before is marked. */
  private static void step(
      ObjectNode b,
      String label,
      String lane,
      List<String> changes,
      Map<String, Map<String, String>> before,
      Map<String, String> state) {
    ObjectNode s = b.withArray("steps").addObject();
    s.put("action", label).put("call", label).put("label", label).put("lane", lane);
    changes.forEach(s.withArray("changes")::add);
    s.withArray("changes");
    ObjectNode shown = s.putObject("state");
    state.forEach(shown::put);
    Map<String, String> last = before.getOrDefault(lane, Map.of());
    state.forEach(
        (part, text) -> {
          if (!text.equals(last.get(part))) {
            s.withArray("changed").add(part);
          }
        });
    s.withArray("changed");
    before.put(lane, state);
  }
}
