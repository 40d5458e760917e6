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

Ops(t) == Cardinality(txn[t].reads) + Cardinality(txn[t].writes)

Bounded ==
    /\ now <= MaxTime
    /\ now > BeginBy => \A t \in All : ts[t] # 0
    /\ \A t \in Txns : Ops(t) <= MaxOps
    /\ \E t \in All : txn[t].phase # "done"
    /\ "snapshot" \in Kinds \/ \A r \in Readers : txn[r].phase # "snapshot"
    /\ "linearizable" \in Kinds \/ \A r \in Readers : txn[r].phase # "running"

\* One transaction begins after the other's client was told: the runs that real-time
\* order is about, at a fraction of the states.
OneAfterTheOther ==
    /\ \A t, u \in Txns : (t # u /\ ts[t] # 0 /\ ts[u] # 0) => (<<t, u>> \in Before \/ <<u, t>> \in Before)
    /\ \A n \in Nodes : epoch[n] <= 3

\* Transactions that do not write the same key: the runs in which only reads order them.
OneWriterPerKey == \A t, u \in Txns : t # u => txn[t].writes \intersect txn[u].writes = {}

\* Three operations in all, by writers of different keys that commit: enough for one that
\* reads from another.
ThreeOperations ==
    /\ OneWriterPerKey
    /\ \A t \in Txns : record[t].status # "aborted"
    /\ \A t, u \in Txns : t # u => Ops(t) + Ops(u) <= 3

Symmetry == Permutations(Txns) \union Permutations(Readers) \union Permutations(Keys)
=============================================================================
