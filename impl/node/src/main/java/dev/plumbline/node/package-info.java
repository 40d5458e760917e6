/**
 * The runtime: a process of one node or several, each hosting the same machine as the simulator.
 *
 * <p>{@link dev.plumbline.node.Host} is the process; in each node {@link
 * dev.plumbline.node.NodeRuntime} feeds the machine, {@link dev.plumbline.node.Transport} and
 * {@link dev.plumbline.node.PeerLink} carry frames, {@link dev.plumbline.node.DurableLog} keeps
 * what the machine persists, {@link dev.plumbline.node.TraceFiles} what it traces, and {@link
 * dev.plumbline.node.Admin} shows how things stand. No class here knows a protocol; {@code
 * docs/node.md} describes configuration, frames and metrics.
 */
package dev.plumbline.node;
