package dev.plumbline.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What makes no sense is refused, and says why; what does not suit a row has no effect. */
class RefusedRequestsTest {
  private static final List<String> TABLES = List.of("T1", "T2");
  private static final RequestId ID = new RequestId("c1", 1);
  private static final MetricConfig CONFIG =
      new MetricConfig(TABLES, 1_000, 1_000, 1_000, 1_000, 10, List.of());

  private static Statement statement(Statement.Kind kind, String table, String row, long value) {
    return new Statement(kind, table, row, value);
  }

  private static Statement read(String table, String row) {
    return statement(Statement.Kind.READ, table, row, 0);
  }

  private static String wrong(RequestId id, Statement... statements) {
    return new MetricRequest.Transact(id, List.of(new Query(List.of(statements)))).wrong(TABLES);
  }

  @Test
  void requestsThatMakeNoSenseAreRefused() {
    assertThat(wrong(ID, read("T1", "k1"))).isEmpty();
    assertThat(wrong(ID)).contains("a query a statement");
    assertThat(new MetricRequest.Transact(ID, List.of()).wrong(TABLES))
        .contains("a query at least");
    assertThat(wrong(ID, read("T3", "k1"))).isEqualTo("there is no table T3; there are T1, T2");
    assertThat(wrong(ID, read("T1", ""))).contains("1 to 256 characters");
    assertThat(wrong(ID, read("T1", "k".repeat(257)))).contains("1 to 256 characters");
    assertThat(wrong(RequestId.NONE, read("T1", "k1"))).contains("a client's name");
    assertThat(wrong(new RequestId("c 1", 1), read("T1", "k1"))).contains("a client's name");
    assertThat(wrong(new RequestId("c1", 0), read("T1", "k1"))).contains("a number from 1 on");
    assertThat(wrong(ID, Collections.nCopies(1_001, read("T1", "k")).toArray(Statement[]::new)))
        .isEqualTo("a transaction has 1000 statements at most, not 1001");
  }

  @Test
  void aStatementThatDoesNotSuitItsRowIsRefused() {
    MemoryDatabase db = new MemoryDatabase();
    db.begin();
    db.execute(statement(Statement.Kind.APPEND, "T1", "list", 1));
    db.execute(statement(Statement.Kind.WRITE, "T1", "number", Long.MAX_VALUE));
    assertThatThrownBy(() -> db.execute(statement(Statement.Kind.ADD, "T1", "list", 1)))
        .isInstanceOf(LocalDatabase.Refused.class)
        .hasMessage("row list of T1 is a list");
    assertThatThrownBy(() -> db.execute(statement(Statement.Kind.APPEND, "T1", "number", 1)))
        .isInstanceOf(LocalDatabase.Refused.class)
        .hasMessage("row number of T1 is a number");
    assertThatThrownBy(() -> db.execute(statement(Statement.Kind.ADD, "T1", "number", 1)))
        .isInstanceOf(LocalDatabase.Refused.class)
        .hasMessage("row number of T1 would overflow");
    assertThat(db.execute(read("T1", "list"))).containsExactly(Statement.LIST, 1L);
  }

  /** A process with the whole store beside it, which does at once what it is asked. */
  private static final class Beside extends NoEffects {
    final MetricProcess process =
        new MetricProcess(
            new MetricProcess.Parts(CONFIG, "m", 1, "locks", List.of("r"), Optional.empty()));
    final StoreReplica replica = new StoreReplica(CONFIG, "r");
    final LockService locks = new LockService(CONFIG);
    final List<Record> replies = new ArrayList<>();
    private final List<Runnable> todo = new ArrayList<>();
    private long requests;

    Beside() {
      give(new Input.Start(1, List.of()));
    }

    private void give(Input input) {
      process.handle(input, ClockReading.local(1), this);
      while (!todo.isEmpty()) {
        todo.remove(0).run();
      }
    }

    @Override
    public void send(String to, Message message) {
      Input input = new Input.Deliver("m", message);
      NoEffects back =
          new NoEffects() {
            @Override
            public void send(String other, Message answer) {
              todo.add(
                  () ->
                      process.handle(
                          new Input.Deliver(to, answer), ClockReading.local(1), Beside.this));
            }
          };
      todo.add(() -> (to.equals("r") ? replica : locks).handle(input, ClockReading.local(1), back));
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      if (timer instanceof MetricTimer.Step) {
        todo.add(() -> process.handle(new Input.TimerFired(timer), ClockReading.local(1), this));
      }
    }

    @Override
    public void reply(long requestId, Record response) {
      replies.add(response);
    }

    void ask(String client, Statement... statements) {
      give(
          new Input.ClientRequest(
              ++requests,
              new MetricRequest.Transact(
                  new RequestId(client, requests), List.of(new Query(List.of(statements))))));
    }

    Record last() {
      return replies.get(replies.size() - 1);
    }
  }

  @Test
  void aTransactionWithSuchAStatementHasNoEffect() {
    Beside all = new Beside();
    all.ask("c1", statement(Statement.Kind.APPEND, "T1", "k", 7));
    assertThat(all.last()).isInstanceOf(MetricResponse.Done.class);
    all.ask(
        "c1",
        statement(Statement.Kind.APPEND, "T1", "k", 8),
        statement(Statement.Kind.ADD, "T1", "k", 1));
    assertThat(all.last()).isEqualTo(new MetricResponse.Refused("row k of T1 is a list"));
    all.ask("c1", read("T1", "k"));
    assertThat(((MetricResponse.Done) all.last()).results())
        .containsExactly(List.of(Statement.LIST, 7L));
  }

  @Test
  void aProcessTakesSoManyRequestsAndNoMore() {
    MetricProcess alone =
        new MetricProcess(
            new MetricProcess.Parts(CONFIG, "m", 1, "locks", List.of("r"), Optional.empty()));
    List<Record> replies = new ArrayList<>();
    NoEffects effects =
        new NoEffects() {
          @Override
          public void reply(long requestId, Record response) {
            replies.add(response);
          }
        };
    alone.handle(new Input.Start(1, List.of()), ClockReading.local(1), effects);
    for (int i = 1; i <= 1_001; i++) {
      Query query = new Query(List.of(read("T1", "k")));
      MetricRequest request = new MetricRequest.Transact(new RequestId("c" + i, 1), List.of(query));
      alone.handle(new Input.ClientRequest(i, (Record) request), ClockReading.local(1), effects);
    }
    assertThat(alone.waiting()).isEqualTo(1_000);
    assertThat(replies).containsExactly(new MetricResponse.Failed("1000 requests wait already"));
  }
}
