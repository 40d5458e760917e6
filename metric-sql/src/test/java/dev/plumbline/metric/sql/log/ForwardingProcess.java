package dev.plumbline.metric.sql.log;

import dev.plumbline.metric.Position;
import java.util.Map;
import java.util.Set;

/** A process that another one stands behind. */
public class ForwardingProcess implements MetricProcess {
  private final MetricProcess p;

  protected ForwardingProcess(MetricProcess p) {
    this.p = p;
  }

  @Override
  public void own(String transaction, Set<String> tables) throws Nack {
    p.own(transaction, tables);
  }

  @Override
  public Lacking since(String transaction, Map<String, Position> positions) throws Nack {
    return p.since(transaction, positions);
  }

  @Override
  public Lacking since(Map<String, Position> positions) throws Nack {
    return p.since(positions);
  }

  @Override
  public Position append(String transaction, Set<String> changed, byte[] entry) throws Nack {
    return p.append(transaction, changed, entry);
  }

  @Override
  public void stop(String transaction) {
    p.stop(transaction);
  }

  @Override
  public void keep(String transaction) {
    p.keep(transaction);
  }

  @Override
  public void close() {
    p.close();
  }

  @Override
  public void confirm(String transaction) throws Nack {
    p.confirm(transaction);
  }

  @Override
  public void release(String transaction) {
    p.release(transaction);
  }
}
