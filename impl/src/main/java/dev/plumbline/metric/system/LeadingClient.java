package dev.plumbline.metric.system;

import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Position;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A site that leads its transactions query by query, with a database of its own, as the SQL side
 * does. After a failure that leaves nothing behind it asks the next process.
 */
final class LeadingClient implements ClientDriver {
  private static final int MOST_ATTEMPTS = 12;
  private static final String NOBODY = "";

  /** What the site has asked. */
  private enum Asked {
    RELEASE_LAST,
    FORWARD,
    OWN,
    SINCE,
    KEEP,
    FIRST_HALF,
    APPEND,
    CONFIRM,
    RELEASE
  }

  private final String name;
  private final List<String> processes;
  private final List<String> tables;
  private final int inQuery;
  private final long leaseMicros;

  // the database
  private final Map<String, Map<Long, List<Long>>> rows = new HashMap<>();
  private final SortedMap<String, Position> positions = new TreeMap<>();

  // the transaction
  private Transaction transaction;
  private final List<List<MicroOp>> queries = new ArrayList<>();
  private int query;
  private final List<MicroOp> done = new ArrayList<>();
  private final SortedMap<Long, List<Long>> changed = new TreeMap<>();
  private Asked asked;
  private long number;
  private int place;
  private int attempts;
  private boolean committed;

  /** Where the process may not know yet that the last transaction is over, and its name. */
  private String openAt = NOBODY;

  private String leads = NOBODY;

  LeadingClient(
      String name, List<String> processes, List<String> tables, int inQuery, long leaseMicros) {
    this.name = name;
    this.processes = processes;
    this.tables = tables;
    this.inQuery = inQuery;
    this.leaseMicros = leaseMicros;
    tables.forEach(t -> positions.put(t, Position.NONE));
  }

  // ---- what it asks ----------------------------------------------------------------------------

  @Override
  public Call begin(Transaction begun) {
    transaction = begun;
    queries.clear();
    queries.addAll(MetricSystem.queries(begun.ops(), inQuery));
    attempts = 0;
    place = 0;
    committed = false;
    if (!openAt.isEmpty()) {
      Call release = new Call(openAt, new MetricRequest.Release(leads));
      openAt = NOBODY;
      asked = Asked.RELEASE_LAST;
      return release;
    }
    return anew();
  }

  /** The transaction from its first query on, now and then after a look at the redo log. */
  private Call anew() {
    number++;
    attempts++;
    leads = name + "-" + number;
    query = 0;
    committed = false;
    done.clear();
    changed.clear();
    if (number % 4 == 0) {
      asked = Asked.FORWARD;
      return call(new MetricRequest.Since("", at(tables(queries.get(0)))));
    }
    return own();
  }

  private Call call(MetricRequest request) {
    return new Call(processes.get(place % processes.size()), (Record) request);
  }

  private Call own() {
    asked = Asked.OWN;
    openAt = processes.get(place % processes.size());
    return call(new MetricRequest.Own(leads, query == 0, leaseMicros, tables(queries.get(query))));
  }

  private Call since() {
    asked = Asked.SINCE;
    return call(new MetricRequest.Since(leads, at(tables(queries.get(query)))));
  }

  private String table(long key) {
    return tables.get((int) Math.floorMod(key, (long) tables.size()));
  }

  private SortedSet<String> tables(List<MicroOp> ops) {
    SortedSet<String> used = new TreeSet<>();
    ops.forEach(op -> used.add(table(op.key())));
    return used;
  }

  private SortedMap<String, Position> at(SortedSet<String> of) {
    SortedMap<String, Position> at = new TreeMap<>();
    of.forEach(t -> at.put(t, positions.get(t)));
    return at;
  }

  // ---- what it is told -------------------------------------------------------------------------

  @Override
  public Next answered(Record response) {
    if (asked == Asked.RELEASE_LAST) {
      return anew();
    } else if (asked == Asked.RELEASE) {
      openAt = NOBODY;
      return Outcome.committed(List.copyOf(done), List.of());
    } else if (response instanceof MetricResponse.Unknown unknown) {
      openAt = NOBODY;
      return Outcome.unknown(transaction.ops(), List.of(), unknown.why());
    } else if (response instanceof MetricResponse.Failed failed) {
      openAt = NOBODY;
      place++;
      return attempts == MOST_ATTEMPTS ? Outcome.aborted(transaction, failed.why()) : anew();
    } else if (response instanceof MetricResponse.Refused refused) {
      return Outcome.aborted(transaction, refused.why());
    }
    return switch (asked) {
      case FORWARD -> {
        apply((MetricResponse.Lacking) response);
        yield own();
      }
      case OWN -> since();
      case SINCE -> {
        MetricResponse.Lacking lacking = (MetricResponse.Lacking) response;
        apply(lacking);
        yield lacking.more() ? since() : execute();
      }
      case KEEP -> own();
      case FIRST_HALF -> append(true);
      case APPEND -> appended(((MetricResponse.Appended) response).at());
      case CONFIRM -> over();
      default -> throw new IllegalStateException(asked + " was answered by " + response);
    };
  }

  private Next execute() {
    queries.get(query).forEach(op -> done.add(run(op)));
    query++;
    if (query < queries.size()) {
      asked = Asked.KEEP;
      return number % 2 == 0 ? call(new MetricRequest.Keep(leads)) : own();
    } else if (changed.isEmpty()) {
      asked = Asked.CONFIRM;
      return call(new MetricRequest.Confirm(leads));
    }
    return append(number % 3 > 0);
  }

  /** A row is a list for APPEND, else one number. */
  private MicroOp run(MicroOp op) {
    List<Long> row = changed.getOrDefault(op.key(), row(op.key()));
    return switch (op.kind()) {
      case READ -> new MicroOp(MicroOp.Kind.READ, op.key(), content(row));
      case ADD -> {
        long sum = (row.isEmpty() ? 0 : row.get(1)) + (Long) op.value();
        changed.put(op.key(), List.of(0L, sum));
        yield MicroOp.write(op.key(), sum);
      }
      case WRITE -> {
        changed.put(op.key(), List.of(0L, (Long) op.value()));
        yield op;
      }
      case APPEND -> {
        List<Long> longer = new ArrayList<>(row.isEmpty() ? List.of(1L) : row);
        longer.add((Long) op.value());
        changed.put(op.key(), longer);
        yield op;
      }
    };
  }

  private List<Long> row(long key) {
    return rows.getOrDefault(table(key), Map.of()).getOrDefault(key, List.of());
  }

  private static Object content(List<Long> row) {
    if (row.isEmpty()) {
      return null;
    }
    return row.get(0) == 1 ? List.copyOf(row.subList(1, row.size())) : row.get(1);
  }

  /** The commit point; the text goes in two halves now and then. */
  private Call append(boolean last) {
    String text = text();
    int half = text.length() / 2;
    String part =
        last ? asked == Asked.FIRST_HALF ? text.substring(half) : text : text.substring(0, half);
    asked = last ? Asked.APPEND : Asked.FIRST_HALF;
    SortedSet<String> of = new TreeSet<>();
    changed.keySet().forEach(key -> of.add(table(key)));
    return call(new MetricRequest.Append(leads, of, part, last));
  }

  /** Rows as they are afterwards: {@code key=number,number;}. */
  private String text() {
    StringBuilder text = new StringBuilder();
    changed.forEach(
        (key, row) -> {
          text.append(key).append('=');
          row.forEach(n -> text.append(n).append(','));
          text.append(';');
        });
    return text.toString();
  }

  private Call appended(Position at) {
    changed.forEach((key, row) -> put(key, row));
    changed.keySet().forEach(key -> positions.put(table(key), at));
    return over();
  }

  private Call over() {
    committed = true;
    asked = Asked.RELEASE;
    return call(new MetricRequest.Release(leads));
  }

  private void put(long key, List<Long> row) {
    rows.computeIfAbsent(table(key), t -> new HashMap<>()).put(key, List.copyOf(row));
  }

  private void apply(MetricResponse.Lacking lacking) {
    for (MetricResponse.Missing missing : lacking.records()) {
      for (String row : missing.redo().split(";", -1)) {
        int equals = row.indexOf('=');
        if (equals > 0) {
          long key = Long.parseLong(row.substring(0, equals));
          if (missing.tables().containsKey(table(key))) {
            put(key, numbers(row.substring(equals + 1)));
          }
        }
      }
      positions.putAll(missing.tables());
    }
  }

  private static List<Long> numbers(String text) {
    List<Long> numbers = new ArrayList<>();
    for (String number : text.split(",", -1)) {
      if (!number.isEmpty()) {
        numbers.add(Long.valueOf(number));
      }
    }
    return numbers;
  }

  // ---- silence ---------------------------------------------------------------------------------

  /** Its rows and positions stay. */
  @Override
  public boolean goesOn() {
    return true;
  }

  @Override
  public Outcome timedOut() {
    if (committed) {
      return Outcome.committed(List.copyOf(done), List.of());
    }
    return asked == Asked.APPEND
        ? Outcome.unknown(transaction.ops(), List.of(), "no answer in time")
        : Outcome.aborted(transaction, "no answer in time");
  }
}
