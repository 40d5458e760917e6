package dev.plumbline.sim;

import dev.plumbline.history.History;
import dev.plumbline.protocol.FaultPlan;
import java.util.List;
import java.util.SortedMap;

/**
 * What a run gave.
 *
 * @param config what was run
 * @param plan the faults
 * @param history what the clients did and saw
 * @param traces one node's NDJSON log by its id; empty if not traced
 * @param violations what the simulator itself found wrong: a machine that threw, a broken
 *     invariant, a read at the end that never succeeded
 * @param stats counts
 */
public record RunResult(
    RunConfig config,
    FaultPlan plan,
    History history,
    SortedMap<String, byte[]> traces,
    List<String> violations,
    RunStats stats) {}
