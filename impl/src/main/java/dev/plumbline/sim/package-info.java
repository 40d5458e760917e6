/**
 * The deterministic simulator: one seed decides everything that happens.
 *
 * <p>A protocol plugs in with one class, {@link dev.plumbline.sim.ProtocolSystem}, found by {@link
 * java.util.ServiceLoader}. It says which nodes there are ({@link dev.plumbline.sim.Topology}),
 * makes their machines, and gives each client a {@link dev.plumbline.sim.ClientDriver} that turns
 * generic transactions into the protocol's requests. Network, clocks, crashes, storage, workloads,
 * traces, histories and shrinking are the simulator's.
 */
package dev.plumbline.sim;
