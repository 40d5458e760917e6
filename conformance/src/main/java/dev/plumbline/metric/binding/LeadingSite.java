package dev.plumbline.metric.binding;

import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.RequestId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A site that leads the transactions of one Metric process, with a database of its own. A world
 * says when it begins one, executes a query and commits, as the steps of a model do; what the
 * process answers it takes as it comes. Each method gives what the site asks next, or null.
 */
final class LeadingSite {
  private static final long LEASE_MICROS = 1_000_000;

  /** What a transaction leaves ends so, and has it nowhere else. */
  private static final char END = '.';

  /** Where the site is with its transaction. */
  enum Stage {
    IDLE,
    OWN,
    SINCE,
    EXECUTE,
    EXECUTED,
    COMMITTED,
    FIRST_HALF,
    APPEND,
    APPENDED,
    CONFIRM,
    DONE
  }

  // the database
  private final SortedMap<String, Integer> rows = new TreeMap<>();
  private final SortedMap<String, Position> positions = new TreeMap<>();

  /** What the local tx-queue has; empty for nothing. */
  private String queue = "";

  // the transaction
  private Stage stage = Stage.IDLE;
  private int number;
  private List<SortedSet<String>> queries = List.of();
  private SortedSet<String> writes = new TreeSet<>();
  private int query;
  private final SortedMap<String, Integer> read = new TreeMap<>();
  private Position at;

  /** How many requests have no answer yet. */
  private int owed;

  // ---- what a world has it do ------------------------------------------------------------------

  /** A transaction, whose number is what it writes. */
  MetricRequest begin(int numbered, List<SortedSet<String>> tables, SortedSet<String> written) {
    demand(Stage.IDLE);
    number = numbered;
    queries = List.copyOf(tables);
    writes = new TreeSet<>(written);
    return own(true);
  }

  /** The next query. */
  MetricRequest next() {
    demand(Stage.EXECUTED);
    return own(false);
  }

  private MetricRequest own(boolean first) {
    stage = Stage.OWN;
    return asks(new MetricRequest.Own(name(), first, LEASE_MICROS, queries.get(query)));
  }

  /** Says that it is at work. */
  MetricRequest keep() {
    return asks(new MetricRequest.Keep(name()));
  }

  /** Runs a query in the database. */
  void execute() {
    demand(Stage.EXECUTE);
    queries.get(query).forEach(t -> read.putIfAbsent(t, row(t)));
    if (!last()) {
      query++;
    }
    stage = Stage.EXECUTED;
  }

  /** The database commits, where that is a step of its own. */
  void commit() {
    demand(Stage.EXECUTED);
    writes.forEach(t -> rows.put(t, number));
    queue = text();
    stage = Stage.COMMITTED;
  }

  /** What was written goes to the redo log, in two parts. */
  MetricRequest append() {
    stage = Stage.FIRST_HALF;
    return part(text().substring(0, text().length() / 2), false);
  }

  private MetricRequest part(String redo, boolean last) {
    return asks(new MetricRequest.Append(name(), writes, redo, last));
  }

  /** Nothing was written. */
  MetricRequest confirm() {
    demand(Stage.EXECUTED);
    stage = Stage.CONFIRM;
    return asks(new MetricRequest.Confirm(name()));
  }

  /** The local tx-queue is emptied: what is in the database is in the redo log. */
  void clear() {
    demand(Stage.APPENDED);
    for (String t : writes) {
      rows.put(t, number);
      positions.put(t, at);
    }
    queue = "";
    stage = Stage.DONE;
  }

  /** The transaction is over, or is given up: the answer to an own() under way tells so. */
  MetricRequest release() {
    MetricRequest release = asks(new MetricRequest.Release(name()));
    if (stage != Stage.OWN) {
      over();
    }
    return release;
  }

  /** Nothing is heard of the process any more. */
  void lost() {
    over();
    owed = 0;
  }

  /** What was committed and may be nowhere else makes a table one to be read anew. */
  private void over() {
    if (!queue.isEmpty()) {
      writes.forEach(positions::remove);
      queue = "";
    }
    stage = Stage.IDLE;
    queries = List.of();
    query = 0;
    read.clear();
    at = null;
  }

  private <R extends MetricRequest> R asks(R request) {
    owed++;
    return request;
  }

  private void demand(Stage wanted) {
    if (stage != wanted) {
      throw new IllegalStateException("the site is at " + stage + ", not at " + wanted);
    }
  }

  // ---- what it is told -------------------------------------------------------------------------

  /** What it asks next. */
  MetricRequest told(Record answer) {
    owed--;
    if (answer instanceof MetricResponse.Failed
        || answer instanceof MetricResponse.Unknown
        || answer instanceof MetricResponse.Refused) {
      over();
      return null;
    }
    switch (stage) {
      case OWN -> {
        demand(answer, MetricResponse.Ok.class);
        stage = Stage.SINCE;
        return since();
      }
      case SINCE -> {
        demand(answer, MetricResponse.Lacking.class);
        MetricResponse.Lacking lacking = (MetricResponse.Lacking) answer;
        forward(lacking);
        if (lacking.more()) {
          return since();
        }
        stage = Stage.EXECUTE;
      }
      case FIRST_HALF -> {
        demand(answer, MetricResponse.Ok.class);
        stage = Stage.APPEND;
        return part(text().substring(text().length() / 2), true);
      }
      case APPEND -> {
        demand(answer, MetricResponse.Appended.class);
        at = ((MetricResponse.Appended) answer).at();
        stage = Stage.APPENDED;
      }
      case CONFIRM -> {
        demand(answer, MetricResponse.Ok.class);
        stage = Stage.DONE;
      }
      default -> demand(answer, MetricResponse.Ok.class);
    }
    return null;
  }

  private void demand(Record answer, Class<?> wanted) {
    if (!wanted.isInstance(answer)) {
      throw new IllegalStateException("the site is at " + stage + ", and is told " + answer);
    }
  }

  /** Demands that it was told where the redo log ends with what it left. */
  void demand(Position end) {
    if (!end.equals(at)) {
      throw new IllegalStateException(
          "the redo log ends at " + end + ", and the site is told " + at);
    }
  }

  private MetricRequest since() {
    SortedMap<String, Position> asked = new TreeMap<>();
    queries.get(query).forEach(t -> asked.put(t, positions.getOrDefault(t, Position.NONE)));
    return asks(new MetricRequest.Since(name(), asked));
  }

  /** A table without a position is read anew. */
  private void forward(MetricResponse.Lacking lacking) {
    queries.get(query).stream().filter(t -> !positions.containsKey(t)).forEach(rows::remove);
    for (MetricResponse.Missing missing : lacking.records()) {
      missing.tables().forEach(this::later);
      SortedMap<String, Integer> written = new TreeMap<>(written(missing.redo()));
      written.keySet().retainAll(missing.tables().keySet());
      rows.putAll(written);
      positions.putAll(missing.tables());
    }
  }

  /** A site that is told twice of a record may apply it twice. */
  private void later(String table, Position to) {
    Position had = positions.getOrDefault(table, Position.NONE);
    if (had.entry().equals(to.entry()) && to.length() <= had.length()) {
      throw new IllegalStateException(
          "table " + table + " is at " + had + ", and is told of " + to);
    }
  }

  // ---- what it has -----------------------------------------------------------------------------

  Stage stage() {
    return stage;
  }

  int owed() {
    return owed;
  }

  /** A table's record, the number of who wrote it; 0 for none. */
  int row(String table) {
    return rows.getOrDefault(table, 0);
  }

  /** What the local tx-queue has, as {@link #text}; empty for nothing. */
  String queue() {
    return queue;
  }

  /** Queries behind it. */
  int query() {
    return query;
  }

  boolean last() {
    return query == queries.size() - 1;
  }

  boolean writes() {
    return !writes.isEmpty();
  }

  /** What its queries have read. */
  SortedMap<String, Integer> read() {
    return new TreeMap<>(read);
  }

  private String name() {
    return String.valueOf(number);
  }

  /** What processes call its transaction. */
  RequestId request() {
    return stage == Stage.IDLE ? RequestId.NONE : new RequestId(" " + name(), 1);
  }

  /** What it leaves in the redo log: what it read of tables, and who wrote to them. */
  private String text() {
    StringBuilder text = new StringBuilder();
    read.forEach((t, writer) -> text.append(t).append('?').append(writer).append(';'));
    writes.forEach(t -> text.append(t).append('=').append(number).append(';'));
    return text.append(END).toString();
  }

  /** Who wrote which tables, by what a transaction left. */
  static Map<String, Integer> written(String text) {
    return parse(text, '=');
  }

  /** What it had read. */
  static Map<String, Integer> readBy(String text) {
    return parse(text, '?');
  }

  private static Map<String, Integer> parse(String text, char sign) {
    if (!text.isEmpty() && text.indexOf(END) != text.length() - 1) {
      throw new IllegalStateException("a transaction has left " + text);
    }
    Map<String, Integer> all = new TreeMap<>();
    for (String part : text.split(";", -1)) {
      int at = part.indexOf(sign);
      if (at > 0) {
        all.put(part.substring(0, at), Integer.valueOf(part.substring(at + 1)));
      }
    }
    return all;
  }
}
