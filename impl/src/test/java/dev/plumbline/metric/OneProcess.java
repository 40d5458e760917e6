package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A process, and a store that obliges it. */
final class OneProcess {
  private static final MetricConfig CONFIG =
      new MetricConfig(
          List.of("whole", "whole2", "whole3"), 1_000, 1_000, 1_000, 1_000, 10, List.of());

  final MetricProcess process =
      new MetricProcess(
          new MetricProcess.Parts(CONFIG, "m1", 1, "locks", List.of("r"), Optional.empty()));

  /** What the process has asked the lock service for. */
  final List<MetricMessage.Acquire> acquired = new ArrayList<>();

  /** Which requests were answered, in order, and the last answer. */
  final List<Long> answered = new ArrayList<>();

  Record answer;

  /** What it persisted. */
  final List<Record> disk = new ArrayList<>();

  /** How long each timer was set for last. */
  final Map<Timer, Long> timers = new HashMap<>();

  /** What the store has. */
  final SortedMap<String, Value> stored = new TreeMap<>();

  private final Deque<Message> sent = new ArrayDeque<>();
  private boolean step;
  private long references;

  private final NoEffects effects =
      new NoEffects() {
        @Override
        public void persist(Record record) {
          disk.add(record);
        }

        @Override
        public void send(String to, Message message) {
          sent.add(message);
        }

        @Override
        public void setTimer(Timer timer, long delayMicros) {
          step |= timer instanceof MetricTimer.Step;
          timers.put(timer, delayMicros);
        }

        @Override
        public void reply(long requestId, Record response) {
          answered.add(requestId);
          answer = response;
        }
      };

  void give(Input input) {
    process.handle(input, ClockReading.local(1), effects);
  }

  /**
   * Goes on until it has nothing to do, or has answered so often.
   *
   * @param deadlock whether locks of tables are answered by a deadlock
   */
  void run(int answers, boolean deadlock) {
    for (int i = 0; i < 1_000 && answered.size() < answers; i++) {
      if (!sent.isEmpty()) {
        oblige(sent.remove(), deadlock);
      } else if (step) {
        step = false;
        give(new Input.TimerFired(new MetricTimer.Step()));
      }
    }
  }

  private void hears(MetricMessage message) {
    give(new Input.Deliver("r", message));
  }

  private void oblige(Message message, boolean deadlock) {
    if (message instanceof MetricMessage.Acquire acquire) {
      acquired.add(acquire);
      hears(
          deadlock && acquire.key().startsWith("table")
              ? new MetricMessage.Deadlock(acquire.key(), acquire.request())
              : new MetricMessage.Granted(acquire.key(), acquire.request(), ++references, false));
    } else if (message instanceof MetricMessage.Put put) {
      stored.put(put.key(), put.value());
      hears(new MetricMessage.Stored(put.key(), put.operation()));
    } else if (message instanceof MetricMessage.Get get) {
      Value value = stored.getOrDefault(get.key(), Value.NONE);
      hears(new MetricMessage.Newest(get.key(), get.operation(), new Stamp(1, 1), value));
    }
  }
}
