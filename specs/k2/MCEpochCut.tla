----------------------------- MODULE MCEpochCut -----------------------------
(* Bounds for checking EpochCut.                                           *)
EXTENDS EpochCut

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* @type: Int;
    MaxRequests,
    \* @type: Int;
    MaxReplies

\* A request is sent only for an attempt that needs it: fewer idle requests.
Bounded ==
    /\ now <= MaxTime
    /\ \A c \in Coordinators : sent[c] <= MaxRequests /\ cut[c].epoch <= 3
    /\ Cardinality(replies) <= MaxReplies
=============================================================================
