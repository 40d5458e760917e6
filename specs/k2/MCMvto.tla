------------------------------- MODULE MCMvto -------------------------------
(* Bounds for checking Mvto: operations per transaction, placement of keys. *)
EXTENDS Mvto, TLC

CONSTANTS
    \* Reads and writes that one transaction may issue.
    \* @type: Int;
    MaxOps,
    \* Transactions that only read.
    \* @type: Set(TXN);
    ReadOnly

\* Every key on a node of its own.
OwnNode == [k \in Keys |-> k]

Ops(t) == Cardinality(txn[t].reads) + Cardinality(txn[t].writes)
          + (IF txn[t].reading = NoKey THEN 0 ELSE 1)
Bounded == \A t \in Txns : Ops(t) <= MaxOps /\ (t \in ReadOnly => txn[t].writes = {})

\* The other transactions only write, and first a key of which nothing but its name sets
\* it apart: enough for a read that waits.
WritersDoNotRead == \A t \in Txns \ ReadOnly :
    /\ txn[t].reads = {} /\ txn[t].reading = NoKey
    /\ first[t] \in {NoKey, CHOOSE k \in Keys : TRUE}

\* Readers take that key first, and nobody is suspected who lives: enough for a writer that
\* is refused there and lost.
ReadersStartThere == \A t \in Txns :
    /\ t \in ReadOnly => \/ txn[t].reading \in {NoKey, CHOOSE k \in Keys : TRUE}
                        \/ txn[t].reads # {}
    /\ record[t] = "aborted" => txn[t].phase = "lost"

\* A transaction reads or writes, never both: enough for one that sees half of another.
ReadsOrWrites == \A t \in Txns :
    txn[t].writes = {} \/ (txn[t].reads = {} /\ txn[t].reading = NoKey)

Symmetry == Permutations(Txns) \union Permutations(Keys)
=============================================================================
