------------------------- MODULE MCEpochVisibility -------------------------
(* Bounds for checking EpochVisibility: horizon, operations, kinds of read. *)
EXTENDS EpochVisibility, TLC

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* Reads and writes that one transaction may issue.
    \* @type: Int;
    MaxOps,
    \* Time does not pass this tick before every transaction and reader has begun.
    \* @type: Int;
    BeginBy,
    \* Kinds of reader: a subset of {"linearizable", "snapshot"}.
    \* @type: Set(Str);
    Kinds

OwnNode == [k \in Keys |-> k]

Bounded ==
    /\ now <= MaxTime
    /\ now > BeginBy => \A t \in All : ts[t] # 0
    /\ \A t \in Txns : Cardinality(txn[t].reads) + Cardinality(txn[t].writes) <= MaxOps
    /\ \E t \in All : txn[t].phase # "done"
    /\ "snapshot" \in Kinds \/ \A r \in Readers : txn[r].phase # "snapshot"
    /\ "linearizable" \in Kinds \/ \A r \in Readers : txn[r].phase # "running"

Symmetry == Permutations(Txns) \union Permutations(Readers) \union Permutations(Keys)
=============================================================================
