/**
 * The deterministic simulator: one seed decides everything that happens.
 *
 * <p>Network, clocks, crashes, storage, workloads, traces, histories and shrinking are the
 * simulator's. What it runs is a {@link dev.plumbline.protocol.ProtocolSystem}.
 */
package dev.plumbline.sim;
