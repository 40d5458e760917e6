--------------------------- MODULE MCFailoverSampled ---------------------------
(* Random behaviours of Failover with everything in them: a removal, an      *)
(* addition, two managers, a CRT. A random step does mostly what nothing     *)
(* comes of; the steps looked at here lead somewhere.                        *)
EXTENDS MCFailover

\* A clock goes on by two readings at most, unless a view changes.
Slow == Now' = Now /\ view' = view => \A p \in DOMAIN last : last'[p] <= last[p] + CreateTs(5, 2)
\* A manager goes through with what it proposed, unless it is replaced; a new one is not replaced before its view.
Patient ==
    /\ leader' # leader => prop[leader].kind # "manager"
    /\ \A m \in Manager : prop'[m] # prop[m] =>
        prop[m].kind = "" \/ leader' # leader \/ Now' # Now \/ prop'[m].answers # prop[m].answers

SampledSpec == Init /\ [][Next /\ LazyNews /\ Slow /\ Patient /\ vars' # vars]_vars

\* A new replica executes an IRT after a removal, the CRT is decided in the other region, a client has its answer.
AllTogetherReach ==
    /\ \E v \in 1 .. Now : decided[v].kind = "remove"
    /\ AddedAndExecutedReach
    /\ crt[Remote] \in {"committed", "aborted"}
    /\ \E t \in Irt : irt[t].phase = "done"
=============================================================================
