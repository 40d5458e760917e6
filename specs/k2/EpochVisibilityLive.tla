-------------------------- MODULE EpochVisibilityLive --------------------------
(***************************************************************************)
(* EpochVisibility with fairness: is a reader at a replica answered in the *)
(* end (K2, section 6.4)? Time goes on past the end of every epoch that is *)
(* asked for, nodes cut, logs are replayed, and a transaction that wrote   *)
(* is decided: it commits, or its coordinator is suspected. Clients may    *)
(* ask or not, and stop at any time.                                       *)
(***************************************************************************)
EXTENDS MCEpochVisibility

\* The horizon: everybody begins by BeginBy, so that no epoch that is asked for ends after MaxTime.
LiveNext ==
    /\ Next
    /\ now' <= MaxTime
    /\ ts' # ts => now <= BeginBy
    /\ \A t \in Txns : Cardinality(txn'[t].reads) + Cardinality(txn'[t].writes) <= MaxOps

TimeGoesOn == WF_vars(now < MaxTime /\ Tick)
EpochsEnd == \A n \in Nodes : WF_vars(Cut(n))
LogsArrive == \A n \in Nodes : WF_vars(Replay(n))
TransactionsDecided == \A t \in Txns : WF_vars(Commit(t) \/ Abort(t))
ReplicasAnswer == \A r \in Readers, k \in Keys : WF_vars(ReplicaRead(r, k))

LiveSpec == Init /\ [][LiveNext]_vars
    /\ TimeGoesOn /\ EpochsEnd /\ LogsArrive /\ TransactionsDecided /\ ReplicasAnswer
\* For failures alone: a recorder may leave a transaction undecided for good.
UndecidedSpec == Init /\ [][LiveNext]_vars /\ TimeGoesOn /\ EpochsEnd /\ LogsArrive /\ ReplicasAnswer

\* 6.4: a reader at a replica is answered, whatever it reads.
ReaderAnsweredLive == \A r \in Readers, k \in Keys :
    (txn[r].phase \in {"running", "snapshot"}) ~> (txn[r].phase = "done" \/ \E q \in txn[r].reads : q[1] = k)
================================================================================
