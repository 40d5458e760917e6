/**
 * DAST (Decentralized Anticipate and Stretch): intra-region transactions (IRTs) at the newest
 * timestamp, cross-region ones (CRTs) at an anticipated one, executed in timestamp order.
 *
 * <p>The machines follow {@code specs/dast/TwoPhaseAnticipation.tla} with all of its repairs; each
 * handler is named like its action. {@link dev.plumbline.dast.ReplaceableNode} and {@link
 * dev.plumbline.dast.ReplaceableManager} put section 4.4 around them, after {@code
 * specs/dast/Failover.tla} with all of its repairs.
 */
package dev.plumbline.dast;
