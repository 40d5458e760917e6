----------------------------- MODULE MCCommitWait -----------------------------
(* Bounds for checking CommitWait: the horizon, operations. *)
EXTENDS CommitWait, TLC

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* Reads and writes that one transaction may issue.
    \* @type: Int;
    MaxOps

Bounded ==
    /\ now <= MaxTime
    /\ \A t \in Txns : Cardinality(txn[t].reads) + Cardinality(txn[t].writes) <= MaxOps

Symmetry == Permutations(Txns \ ReadOnly) \union Permutations(ReadOnly) \union Permutations(Keys)
=============================================================================
