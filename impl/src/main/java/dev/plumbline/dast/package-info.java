/**
 * DAST (Decentralized Anticipate and Stretch): intra-region transactions (IRTs) at the newest
 * timestamp, cross-region ones (CRTs) at an anticipated one, executed in timestamp order.
 *
 * <p>The machines follow {@code specs/dast/TwoPhaseAnticipation.tla} with all of its repairs; each
 * handler is named like its action. Failover (section 4.4) is not implemented: a node that crashes
 * is not replaced.
 */
package dev.plumbline.dast;
