/**
 * What a protocol participant is: a pure deterministic state machine and the runtime around it.
 *
 * <p><b>Writing a machine.</b> Implement {@link dev.plumbline.machine.Machine#handle}: switch on
 * the {@link dev.plumbline.machine.Input}, check it, change fields, call {@link
 * dev.plumbline.machine.Effects}. One handler per action of the specification, named like it and
 * marked {@link dev.plumbline.machine.SpecAction}. Messages, timers, requests, responses and
 * durable records are Java records. No thread, I/O, system clock, random number or mutable static;
 * only collections whose iteration order is defined ({@code TreeMap}, {@code LinkedHashMap}, {@code
 * ArrayList}, …).
 *
 * <p><b>Names.</b> A participant has a <em>role</em> (the specification's process name, such as
 * {@code dn1}); messages go to roles and come from roles. The node that presently plays the role is
 * the runtime's business, and a sender's view of it may be stale for a while.
 *
 * <p><b>Durable state and fencing.</b> Every role has one log in storage that outlives its nodes.
 * Whoever starts a role opens its log: the opening gets a fencing epoch higher than all before, and
 * {@link dev.plumbline.machine.Input.Start} hands over the epoch and the records. From then on
 * appends by earlier openings are refused. A refused instance is stopped on the spot: the step that
 * tried to append releases nothing, and what still arrives for it is forwarded to the new owner. An
 * instance that appends nothing is not stopped; if answering from memory after a takeover would be
 * wrong, the machine needs a lease. A lease needs no further interface: append a renewal every so
 * often and answer only within the lease's length of the last renewal's {@link
 * dev.plumbline.machine.ClockReading#localMicros}; a new owner (epoch above 1) waits that length,
 * stretched by the drift bound, after its start.
 *
 * <p><b>Crashes.</b> A crash drops the machine object, its timers and its queue. A step cut short
 * by a crash releases no message, timer or reply; all of its records survive, or none.
 *
 * <p><b>Clocks.</b> Every step sees a {@link dev.plumbline.machine.ClockReading}.
 */
package dev.plumbline.machine;
