/**
 * What a protocol is to whatever runs it: the simulator, processes, and the judges of both.
 *
 * <p>A protocol registers one {@link dev.plumbline.protocol.ProtocolSystem}, found by {@link
 * java.util.ServiceLoader}. It says which nodes there are ({@link
 * dev.plumbline.protocol.Topology}), makes their machines, and gives each client a {@link
 * dev.plumbline.protocol.ClientDriver} that turns generic transactions into the protocol's
 * requests. It names the faults that it tolerates, its parameters, and what it promises. Nothing
 * here runs anything.
 */
package dev.plumbline.protocol;
