package dev.plumbline.dast;

import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * One shard's part of a stored procedure (section 3.1): known beforehand, deterministic.
 *
 * @param name unique in its procedure
 * @param inputs names of values that pieces on other shards give
 * @param outputs names of values that it gives to others
 * @param demand what it can be asked for
 * @param body what it does
 */
public record Piece(
    String name, List<String> inputs, List<String> outputs, Demand demand, Body body) {

  public Piece {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** A piece that takes any steps. */
  public Piece(String name, List<String> inputs, List<String> outputs, Body body) {
    this(name, inputs, outputs, steps -> "", body);
  }

  /** What a client may ask of a piece. */
  @FunctionalInterface
  public interface Demand {

    /** Why these steps cannot be run, or empty. The same at every node: nothing else is known. */
    String objection(List<Step> steps);
  }

  /** A piece's code. On steps that are taken it fails on no state. */
  @FunctionalInterface
  public interface Body {

    /**
     * Runs on the state of one shard.
     *
     * @param store a key's value; empty if it was never written
     * @param steps what the transaction asks of this shard
     * @param inputs the values of {@link Piece#inputs}
     */
    Effect run(LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs);
  }

  /**
   * What a piece did.
   *
   * @param applied whether its writes count; false is a conditional abort
   * @param seen for each step the value read or written, or what was found if a step did not suit
   * @param writes new values by key; empty if not applied
   * @param outputs the values of {@link Piece#outputs}
   */
  public record Effect(
      boolean applied,
      List<List<Long>> seen,
      Map<Long, List<Long>> writes,
      Map<String, Long> outputs) {}
}
