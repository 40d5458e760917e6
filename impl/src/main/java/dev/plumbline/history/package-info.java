/**
 * Client histories: their formats, what makes one well formed, and judging it.
 *
 * <p>Terms, as the rest of the package uses them:
 *
 * <dl>
 *   <dt>operation
 *   <dd>one line of a history ({@link dev.plumbline.history.Op}): a client starts ({@code invoke})
 *       or ends ({@code ok}, {@code fail}, {@code info}) a transaction. {@code fail} means that it
 *       certainly had no effect, {@code info} that nobody knows.
 *   <dt>transaction
 *   <dd>an invocation with its completion ({@link dev.plumbline.history.ObservedTransaction}).
 *   <dt>micro-operation
 *   <dd>one read, append or write inside a transaction.
 *   <dt>real-time order
 *   <dd>transaction A is before B when A's completion stands before B's invocation in the history.
 *       An {@code info} transaction never ends, so it is before nothing.
 *   <dt>serial order
 *   <dd>the order of timestamps that the system itself claims its transactions took effect in.
 *   <dt>snapshot read
 *   <dd>a read-only transaction that asked for the state as of a stated timestamp: the effect of
 *       every transaction up to and including it. It may be old, but must be exact.
 * </dl>
 */
package dev.plumbline.history;
