---------------------------- MODULE TraceEpochCut ----------------------------
(***************************************************************************)
(* Steps EpochCut along a log: the data nodes' share of it, with oracles'  *)
(* answers to them. Times, nodes and requests are as in                    *)
(* TraceTimestampBatching; attempts are reused names.                      *)
(*                                                                         *)
(* What events say: docs/mapping.md. due is measured by local, cutAt is at *)
(* of CutEpoch, which no machine reads.                                    *)
(*                                                                         *)
(* Property 6.1 is judged in real time, at each cut.                       *)
(*                                                                         *)
(* The core module leaves out, and a log may show:                         *)
(*  - A node takes a timestamp for another purpose, the floor of its read  *)
(*    trackers (CutBegin).                                                 *)
(*  - A role's epoch is in its log: a node that takes the role over goes   *)
(*    on with it (CutRestartCoordinator). The node it replaces may be      *)
(*    running still, but its log refuses every cut.                        *)
(*  - A first start leaves no event. The first epoch began at real time 0, *)
(*    so the timer is over no earlier than the drift bound allows, counted *)
(*    back from the node's first event (CutStart).                         *)
(*                                                                         *)
(* Not compared: that a timer goes off in time, since none has to.         *)
(***************************************************************************)
EXTENDS EpochCut, TraceTimestampBatching

CONSTANT
    \* The role that each node plays.
    RoleOf

\* A wait that is over already has no length.
CutWaitAtLeast(n) == IF n <= 0 THEN 0 ELSE TraceWaitAtLeast(n)

CutStart(node, at, local) ==
    /\ cut' = [cut EXCEPT ![node].due = local - at - ((at \div 1000) * DriftPpm) \div 1000 - 3
                                     + WaitAtLeast(Interval)]
    /\ UNCHANGED vars

CutTick(c, at, local, ticks, units) == TraceTick(c, at, local, ticks, units) /\ UNCHANGED cut

CutBeforeEach(node, at, local, ticks, units) == CutTick(node, at, local, ticks, units)

CutRequestBatch(c, id) == TraceRequestBatch(c, id) /\ UNCHANGED cut

CutOracleReply(o, q, up) == TraceOracleReply(o, q, up) /\ UNCHANGED cut

CutInstallBatch(r) == TraceInstallBatch(r) /\ UNCHANGED cut

CutShown(node, pendingLogged, batchLogged, lastLogged) ==
    Shown(node, pendingLogged, batchLogged, lastLogged) /\ UNCHANGED cut

CutAssignShown(node, pendingLogged, batchLogged, lastLogged, coordinator, incarnationLogged, borrowed) ==
    /\ AssignShown(node, pendingLogged, batchLogged, lastLogged, coordinator, incarnationLogged, borrowed)
    /\ UNCHANGED cut

CutAssign(t, n, oracle) == TraceAssign(t, n, oracle) /\ UNCHANGED cut

CutBegin(t, c) == Begin(t, c) /\ UNCHANGED cut

CutRestartCoordinator(c) ==
    LET same == {n \in Coordinators : RoleOf[n] = RoleOf[c]} IN
    /\ RestartCoordinator(c)
    /\ \E n \in same :
        /\ \A m \in same : cut[m].epoch <= cut[n].epoch
        /\ cut' = [cut EXCEPT ![c] = [epoch |-> cut[n].epoch, attempt |-> "", due |-> clock[c],
                                      cutAt |-> cut[n].cutAt]]

TraceTimerExpires(t, c, named, epoch) ==
    /\ RoleOf[c] = named
    /\ cut[c].epoch = epoch
    /\ TimerExpires(t, c)

TraceTooEarly(t, c, named, epoch) ==
    /\ RoleOf[c] = named
    /\ cut[c].epoch = epoch
    /\ TooEarly(t, c)

TraceCutEpoch(t, c, named, epoch) ==
    /\ RoleOf[c] = named
    /\ CutEpoch(t, c)
    /\ cut'[c].epoch = epoch
    /\ Promised(epoch - 1) < now

CutForget(gone) == Forget(gone) /\ UNCHANGED cut
=============================================================================
