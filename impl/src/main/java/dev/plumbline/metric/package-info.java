/**
 * Metric's machines: the entry-consistent store ({@link dev.plumbline.metric.LockService}, {@link
 * dev.plumbline.metric.StoreReplica} and, inside a Metric process, {@link
 * dev.plumbline.metric.StoreClient}), and the Metric process ({@link
 * dev.plumbline.metric.MetricProcess}) with its local database.
 *
 * <p>The store is the specification's module {@code EntryConsistency}, own() is {@code Ownership},
 * and what a process does with a transaction is {@code RedoLog}. The lock service is one role with
 * a durable log that another node may take over, which is the specifications' assumption of a
 * linearizable lock service; the runtime's fencing is what makes it so.
 */
package dev.plumbline.metric;
