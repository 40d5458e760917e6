----------------------------- MODULE MCEpochCut -----------------------------
(* Bounds for checking EpochCut.                                           *)
EXTENDS EpochCut

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* @type: Int;
    MaxRequests,
    \* @type: Int;
    MaxReplies,
    \* @type: Int;
    MaxRestarts

Bounded ==
    /\ now <= MaxTime
    /\ \A c \in Coordinators : sent[c] <= MaxRequests /\ incarnation[c] <= MaxRestarts
    /\ Cardinality(replies) <= MaxReplies

\* At most one batch is asked for in each attempt: two cuts at a fraction of the states.
BatchPerAttempt == \A c \in Coordinators :
    sent[c] <= Cardinality({t \in Txns : txn[t].phase # "idle"})
=============================================================================
