-------------------- MODULE MCTwoPhaseAnticipationReplicas --------------------
(* 2f+1 replicas a shard with f = 1: three, of which a majority is two.      *)
EXTENDS MCTwoPhaseAnticipation

\* Region B alone.
RegionB == 2 :> "B" @@ 3 :> "B" @@ 4 :> "B" @@ 9 :> "B"
ReplicasB == "Y" :> {2, 3, 4}

IrtOfB == 1 :> Simple(2, Y)

\* A clock is heard when it tells of a transaction, or is the first to pass a committed one that waits for it.
Heard ==
    \A n \in Node : \A x \in Peers(n) : max'[n][x] # max[n][x] =>
        \/ known'[n] # known[n] \/ told'[n] # told[n]
        \/ \E t \in ReadyQ(n) :
             /\ known[n][t].phase = "committed"
             /\ ~Less(known[n][t].at, max[n][x]) /\ Less(known[n][t].at, max'[n][x])
\* A clock goes on by two units at most from one reading to the next.
Slow == \A p \in DOMAIN last : last'[p][1] <= last[p][1] + 2

\* For random behaviours: most of Next's steps are clock messages without which the next one says more.
SampledSpec == Init /\ [][Next /\ Heard /\ Slow /\ vars' # vars]_vars

\* All transactions were executed by all replicas, and answered.
AllRanReach == \A t \in Txn : txn[t].phase = "done" /\ \A n \in Participants(t) : InLog(n, t)
=============================================================================
