/**
 * The runtime: one process for one role, hosting the same machine as the simulator.
 *
 * <p>{@link dev.plumbline.node.NodeRuntime} feeds the machine, {@link dev.plumbline.node.Transport}
 * and {@link dev.plumbline.node.Link} carry frames, {@link dev.plumbline.node.DurableLog} keeps
 * what the machine persists, {@link dev.plumbline.node.TraceFiles} what it traces, and {@link
 * dev.plumbline.node.Admin} shows how things stand. No class here knows a protocol; {@code
 * docs/node.md} describes configuration, frames and metrics.
 */
package dev.plumbline.node;
