--------------------------- MODULE MCEpochFailover ---------------------------
(* Bounds for checking EpochFailover: horizon, operations, kinds of read, floors. *)
EXTENDS EpochFailover, TLC

CONSTANTS
    \* @type: Int;
    MaxTime,
    \* Reads and writes that one transaction may issue.
    \* @type: Int;
    MaxOps

OwnNode == [k \in Keys |-> k]

Ops(t) == Cardinality(txn[t].reads) + Cardinality(txn[t].writes)

\* Everybody begins at time 0; readers are linearizable.
Bounded ==
    /\ now <= MaxTime
    /\ now > 0 => \A t \in All : ts[t] # 0
    /\ \A t \in Txns : Ops(t) <= MaxOps
    /\ \E t \in All : txn[t].phase # "done"
    /\ \A r \in Readers : txn[r].phase # "snapshot"

\* The lowest floor that is good refuses the fewest writes, so it is taken alone.
LowestFloor == \A k \in Keys : tracker[k] \in {0} \union {ts[t] : t \in All}

\* Transactions write or read, never both, and commit: enough for one that sees half of another.
ReadsOrWrites ==
    /\ \A t \in Txns : txn[t].reads = {} \/ txn[t].writes = {}
    /\ \A t \in Txns : record[t].status # "aborted"
    /\ \A n \in Nodes : epoch[n] <= 2

\* The same where one of them writes at most and one reads at most: enough for one that reads around a recovery.
OneWriter ==
    /\ ReadsOrWrites
    /\ \A t, u \in Txns : t # u =>
        {} \in {txn[t].writes, txn[u].writes} /\ {} \in {txn[t].reads, txn[u].reads}

\* Timestamps are given in turn: enough where nothing else tells transactions apart.
InTurn == {ts[t] : t \in All} \ {0} = 1 .. Cardinality({t \in All : ts[t] # 0})

\* Everybody begins at time 0: what happens before the first cut may as well happen then, and what
\* is told may be told at the end. Every behaviour has an equivalent one like that.
NothingBetween == now \in 1 .. MaxTime - 1 => now' # now

Symmetry == Permutations(Txns) \union Permutations(Readers) \union Permutations(Keys)
=============================================================================
