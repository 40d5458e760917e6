------------------------ MODULE MCTimestampBatching ------------------------
(* Bounds for checking TimestampBatching: horizon, requests, restarts.     *)
EXTENDS TimestampBatching

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* @type: Int;
    MaxRequests,
    \* @type: Int;
    MaxReplies,
    \* @type: Int;
    MaxRestarts

\* The bounds that stop the model; a state beyond them is not explored further.
Bounded ==
    /\ now <= MaxTime
    /\ \A c \in Coordinators : sent[c] <= MaxRequests /\ incarnation[c] <= MaxRestarts
    /\ Cardinality(replies) <= MaxReplies
    /\ \E t \in Txns : txn[t].phase # "ended"
=============================================================================
