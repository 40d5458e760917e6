---------------------------- MODULE EpochFailover ----------------------------
(***************************************************************************)
(* K2-VCR when data nodes fail: EpochVisibility with nodes that are        *)
(* recovered from shared storage (5.3, 6.3).                               *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - a data node is recovered at any time, any number of times: its read  *)
(*    trackers are gone, its log (writes, intents, cuts) is in storage;    *)
(*  - the repairs of both, ReadFloor (Mvto) and CloseEpochs.               *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - what EpochVisibility assumes;                                        *)
(*  - the lease protocol: the old owner has stopped before the new one     *)
(*    starts; and the floor is good (RecoveryFloor): no read that was      *)
(*    served is above it.                                                  *)
(*                                                                         *)
(* Out of scope: failures of coordinators and recorders (Mvto).            *)
(*                                                                         *)
(* Readings: 6.3 puts epoch cuts into the node's log, and says nothing of  *)
(* a node that is recovered. It takes its epoch from that log (EpochFrom = *)
(* "log"), or counts from the first epoch again ("nothing").               *)
(***************************************************************************)
EXTENDS EpochVisibility

CONSTANTS
    \* "log" or "nothing": where a recovered node has its epoch from.
    \* @type: Str;
    EpochFrom

(***************************************************************************)
(* ReadFloor   a recovered node's read trackers start at a floor.          *)
(***************************************************************************)
AllFailoverRepairs == AllRepairs \union {"ReadFloor"}

RecoverNode(n, floor) ==
    /\ IF "ReadFloor" \in Repairs THEN \A k \in Keys : Home[k] = n => tracker[k] <= floor
                                  ELSE floor = 0
    /\ tracker' = [k \in Keys |-> IF Home[k] = n THEN floor ELSE tracker[k]]
    /\ epoch' = IF EpochFrom = "log" THEN epoch ELSE [epoch EXCEPT ![n] = 1]
    /\ UNCHANGED <<now, replayed, ts, txn, first, versions, record, told, seen>>

FailoverNext ==
    \/ Next
    \/ \E n \in Nodes, floor \in 0 .. now + Lead : RecoverNode(n, floor)

FailoverSpec == Init /\ [][FailoverNext]_vars

-----------------------------------------------------------------------------
(* Claims, beside those of EpochVisibility                                 *)

\* Invariant 5.1 at the primaries: a read misses no committed version below its timestamp.
PrimaryOrderInv == \A t \in Txns : \A q \in txn[t].reads : \A u \in Txns \ {t} :
    (record[u].status = "committed" /\ q[1] \in txn[u].writes /\ ts[u] < ts[t]) => ts[u] <= TsOf(q[2])

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A write is accepted by a recovered node, and a replica reader sees it.
SeenAfterFloorReach == \E r \in Readers : \E q \in txn[r].reads :
    q[2] # NoTxn /\ \A t \in All : ts[t] # tracker[q[1]] /\ tracker[q[1]] # 0
=============================================================================
