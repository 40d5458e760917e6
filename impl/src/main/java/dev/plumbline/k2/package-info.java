/**
 * K2: timestamp batching (section 4), multi-version timestamp ordering (section 5) and reads at
 * replicas (section 6) as pure machines.
 *
 * <p>Participants: {@link dev.plumbline.k2.Oracle}, {@link dev.plumbline.k2.Coordinator}, {@link
 * dev.plumbline.k2.DataNode} with its {@link dev.plumbline.k2.Recorder}, and {@link
 * dev.plumbline.k2.Replica}. Handlers are named like the actions of {@code specs/k2}. Times are
 * microseconds. A step is at most one action of each module, except that a decision that several
 * readers waited for is one {@code Mvto} action and several {@code EpochVisibility.PrimaryRead}s.
 *
 * <p>What specifications keep in shared storage (versions, transaction records, epochs) is
 * persisted; read trackers, waiting reads, held requests and batches are volatile. Messages that
 * the specifications never lose are sent again by coordinators until answered.
 */
package dev.plumbline.k2;
