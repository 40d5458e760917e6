package dev.plumbline.sim;

import dev.plumbline.history.ClaimedTimestamp;
import dev.plumbline.history.HistoryRecorder;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A client: runs one transaction at a time, records it, asks again after a timeout if that is safe,
 * and gives up after the last. After an unknown outcome it goes on as a new process.
 */
final class SimClient {
  private static final int MOST_TIMES_AGAIN = 2;

  private final Simulator sim;
  private final HistoryRecorder recorder;
  private final RunConfig config;
  private final Topology topology;
  private final String region;
  private final int processStep;
  private final long timeoutMicros;
  private int process;
  private ClientDriver driver;
  private Transaction transaction;
  private Consumer<ClientDriver.Outcome> whenDone;
  private long attempt;

  SimClient(
      Simulator sim,
      HistoryRecorder recorder,
      RunConfig config,
      Topology topology,
      String region,
      int process,
      int processStep,
      long timeoutMicros) {
    this.sim = sim;
    this.recorder = recorder;
    this.config = config;
    this.topology = topology;
    this.region = region;
    this.process = process;
    this.processStep = processStep;
    this.timeoutMicros = timeoutMicros;
    this.driver = newDriver();
  }

  /** Runs a transaction; {@code done} gets its outcome. */
  void run(Transaction next, Consumer<ClientDriver.Outcome> done) {
    transaction = next;
    whenDone = done;
    long running = ++attempt;
    ClientDriver.Call call = driver.begin(next);
    List<dev.plumbline.history.ObservedMicroOp> ops = recorded(next.ops());
    switch (next.kind()) {
      case REPLICA_LINEARIZABLE -> recorder.invokeLinearizableRead(process, nanos(), ops);
      case REPLICA_SNAPSHOT ->
          recorder.invokeSnapshotRead(process, nanos(), ops, new ClaimedTimestamp(driver.asked()));
      case READ_WRITE, READ_ONLY -> recorder.invoke(process, nanos(), ops, driver.visit());
    }
    ask(call, running);
    giveUpLater(running, MOST_TIMES_AGAIN);
  }

  private void giveUpLater(long running, int timesAgain) {
    sim.events()
        .at(
            sim.events().now() + timeoutMicros,
            () -> {
              if (running == attempt && transaction != null) {
                Optional<ClientDriver.Call> again = driver.again();
                if (again.isPresent() && timesAgain > 0) {
                  ask(again.get(), running);
                  giveUpLater(running, timesAgain - 1);
                } else {
                  ClientDriver.Outcome outcome = driver.timedOut();
                  renew();
                  end(outcome);
                }
              }
            });
  }

  private void ask(ClientDriver.Call call, long running) {
    sim.call(
        region,
        call.role(),
        call.request(),
        response -> {
          if (running != attempt || transaction == null) {
            return;
          }
          ClientDriver.Next next;
          try {
            next = driver.answered(response);
          } catch (RuntimeException e) {
            sim.failed("the client of process " + process, response, e);
            return;
          }
          if (next instanceof ClientDriver.Call again) {
            ask(again, running);
          } else {
            end((ClientDriver.Outcome) next);
          }
        });
  }

  private void end(ClientDriver.Outcome outcome) {
    switch (outcome.kind()) {
      case COMMITTED -> recorder.ok(process, nanos(), recorded(outcome.ops()), timestamp(outcome));
      case ABORTED -> recorder.fail(process, nanos(), outcome.error());
      case UNKNOWN -> {
        recorder.info(
            process, nanos(), recorded(outcome.ops()), timestamp(outcome), outcome.error());
        process += processStep;
        renew();
      }
    }
    transaction = null;
    whenDone.accept(outcome);
  }

  private void renew() {
    if (!driver.goesOn()) {
      driver = newDriver();
    }
  }

  private ClientDriver newDriver() {
    return config.protocol().client(process, process, region, topology, config.settings());
  }

  private long nanos() {
    return sim.events().now() * 1000;
  }

  private static ClaimedTimestamp timestamp(ClientDriver.Outcome outcome) {
    return outcome.timestamp().isEmpty() ? null : new ClaimedTimestamp(outcome.timestamp());
  }

  private static List<dev.plumbline.history.ObservedMicroOp> recorded(List<MicroOp> ops) {
    return ops.stream().map(SimClient::recorded).toList();
  }

  private static dev.plumbline.history.ObservedMicroOp recorded(MicroOp op) {
    return switch (op.kind()) {
      case READ -> new dev.plumbline.history.ObservedMicroOp.Read(op.key(), op.value());
      case WRITE -> new dev.plumbline.history.ObservedMicroOp.Write(op.key(), (Long) op.value());
      case APPEND -> new dev.plumbline.history.ObservedMicroOp.Append(op.key(), (Long) op.value());
      case ADD -> new dev.plumbline.history.ObservedMicroOp.Write(op.key(), null);
    };
  }
}
