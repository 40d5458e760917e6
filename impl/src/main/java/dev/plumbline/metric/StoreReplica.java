package dev.plumbline.metric;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A replica of the store: keeps of each key the write with the highest stamp. */
public class StoreReplica implements Machine {
  private final MetricConfig config;
  private final String name;
  private final SortedMap<String, Kept> kept = new TreeMap<>();

  private static final class Kept {
    Stamp stamp = Stamp.ZERO;
    Value value = Value.NONE;
    long promised;
  }

  public StoreReplica(MetricConfig config, String name) {
    this.config = config;
    this.name = name;
  }

  @Override
  public final void handle(Input input, ClockReading clock, Effects effects) {
    if (input instanceof Input.Start start) {
      start.durable().forEach(this::recall);
    } else if (input instanceof Input.Deliver deliver) {
      if (deliver.message() instanceof MetricMessage.Put put) {
        put(deliver.from(), put, effects);
      } else if (deliver.message() instanceof MetricMessage.Get get) {
        get(deliver.from(), get, effects);
      }
    }
  }

  /** Takes back what an earlier life persisted. */
  protected void recall(Record record) {
    if (record instanceof MetricRecord.Wrote wrote) {
      Kept at = at(wrote.key());
      at.stamp = wrote.stamp();
      at.value = wrote.value();
      at.promised = wrote.promised();
    } else if (record instanceof MetricRecord.Promised promised) {
      at(promised.key()).promised = promised.reference();
    }
  }

  private Kept at(String key) {
    return kept.computeIfAbsent(key, k -> new Kept());
  }

  /** Whether a reference is too small by now (repair {@code fence}). */
  protected boolean refuses(long promised, long reference) {
    return config.repaired(MetricConfig.FENCE) && promised > reference;
  }

  private void put(String from, MetricMessage.Put put, Effects effects) {
    Kept at = at(put.key());
    if (refuses(at.promised, put.reference())) {
      effects.send(from, new MetricMessage.Refused(put.key(), put.operation(), at.promised));
    } else {
      storeWrite(from, at, put, effects);
    }
  }

  @SpecAction("EntryConsistency.StoreWrite")
  private void storeWrite(String from, Kept at, MetricMessage.Put put, Effects effects) {
    if (newer(put.stamp(), at.stamp)) {
      at.stamp = put.stamp();
      at.value = put.value();
      if (config.repaired(MetricConfig.FENCE) && config.repaired(MetricConfig.REF_STAMP)) {
        at.promised = Math.max(at.promised, put.reference());
      }
      effects.persist(new MetricRecord.Wrote(put.key(), at.stamp, at.value, at.promised));
    }
    effects.send(from, new MetricMessage.Stored(put.key(), put.operation()));
    if (effects.tracing()) {
      effects.trace(
          "EntryConsistency.StoreWrite",
          Map.of("key", put.key(), "r", name, "stamp", put.stamp().words()));
    }
  }

  /** Whether a write replaces what is there. */
  protected boolean newer(Stamp arrived, Stamp there) {
    return arrived.compareTo(there) > 0;
  }

  private void get(String from, MetricMessage.Get get, Effects effects) {
    Kept at = at(get.key());
    if (get.reference() == 0) {
      effects.send(from, new MetricMessage.Newest(get.key(), get.operation(), at.stamp, at.value));
    } else if (refuses(at.promised, get.reference())) {
      effects.send(from, new MetricMessage.Refused(get.key(), get.operation(), at.promised));
    } else {
      readReply(from, at, get, effects);
    }
  }

  @SpecAction("EntryConsistency.ReadReply")
  private void readReply(String from, Kept at, MetricMessage.Get get, Effects effects) {
    if (get.promise() && config.repaired(MetricConfig.FENCE) && at.promised < get.reference()) {
      at.promised = get.reference();
      effects.persist(new MetricRecord.Promised(get.key(), at.promised));
    }
    effects.send(from, new MetricMessage.Newest(get.key(), get.operation(), at.stamp, at.value));
    if (effects.tracing()) {
      effects.trace(
          "EntryConsistency.ReadReply",
          Map.of("key", get.key(), "r", name, "c", from, "ref", get.reference()),
          Map.of("stamp", at.stamp.words(), "promised", at.promised));
    }
  }

  public final MetricConfig config() {
    return config;
  }

  public final String name() {
    return name;
  }

  /** The stamp of the newest write of a key. */
  public final Stamp stamp(String key) {
    return kept.containsKey(key) ? kept.get(key).stamp : Stamp.ZERO;
  }

  /** The newest write of a key. */
  public final Value value(String key) {
    return kept.containsKey(key) ? kept.get(key).value : Value.NONE;
  }

  /** The reference of a key below which it refuses. */
  public final long promised(String key) {
    return kept.containsKey(key) ? kept.get(key).promised : 0;
  }
}
