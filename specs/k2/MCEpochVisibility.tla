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

\* 6.2: a data node turns a write away for a read above it, never because it has cut an epoch. (What a transaction
\* has written already can also be given up for a failure, which looks the same: first writes alone.)
NoEpochRefusalStep == [][\A t \in Txns :
    (record[t].status = "none" /\ record'[t].status = "aborted") => \E k \in Keys : ts[t] < tracker[k]]_vars

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

\* Readers read when their view is cut everywhere: nothing is written there afterwards.
ReadersLast == \A r \in Readers : txn[r].reads # {} => \A n \in Nodes : epoch[n] > Ceiling(ts[r])

\* Transactions that do not write the same key: the runs in which only reads order them.
OneWriterPerKey == \A t, u \in Txns : t # u => txn[t].writes \intersect txn[u].writes = {}

\* Three operations in all, by writers of different keys that commit: enough for one that
\* reads from another.
ThreeOperations ==
    /\ OneWriterPerKey
    /\ \A t \in Txns : record[t].status # "aborted"
    /\ \A t, u \in Txns : t # u => Ops(t) + Ops(u) <= 3

\* No transaction at the primaries reads what another wrote, and none overwrites another:
\* what orders them is that one overwrites what another read.
OnlyReadWrite ==
    /\ ThreeOperations
    /\ \A t \in Txns : \A r \in txn[t].reads : r[2] = NoTxn
    /\ \A n \in Nodes : epoch[n] <= 2

\* A transaction at the primaries reads or writes, never both: writers are ordered only in that
\* one overwrites what another wrote. Three writes in all, and reads when they are decided.
OnlyWriteWrite ==
    /\ \A t \in Txns : record[t].status # "aborted" /\ (txn[t].reads = {} \/ txn[t].writes = {})
    /\ Cardinality(UNION {{<<t, k>> : k \in txn[t].writes} : t \in Txns}) <= 3
    /\ \A t, u \in All : (txn[t].writes # {} /\ txn[u].reads # {}) =>
        (ts[t] < ts[u] /\ record[t].status = "committed")
    /\ \A r \in Readers : txn[r].reads # {} => Cardinality({t \in Txns : txn[t].writes # {}}) = 2
    /\ \A t \in Txns : txn[t].reads # {} => \A r \in Readers : Cardinality(txn[r].reads) = 2
    /\ \A n \in Nodes : epoch[n] <= 2

\* Where everybody begins at time 0, what happens before the first cut may as well happen then, and
\* what is told may be told at the end: every behaviour has an equivalent one like that.
NothingBetween == now \in 1 .. MaxTime - 1 => now' # now

\* Timestamps are given in turn: enough where nothing else tells transactions apart.
InTurn == ts' # ts => {ts'[t] : t \in All} \ {0} = 1 .. Cardinality({t \in All : ts'[t] # 0})
FewSteps == NothingBetween /\ InTurn

\* The same in phases: everybody begins, writes are sent, time passes, writers commit, cuts are replayed,
\* replica readers read all keys and are told, and then readers at the primaries.
Committed == {t \in Txns : record[t].status = "committed"}
InPhases ==
    /\ FewSteps
    /\ first' # first => \A t \in All : ts[t] # 0
    /\ record' # record => Committed = {} \/ now = MaxTime
    /\ now' # now => Cardinality({t \in Txns : first[t] # NoKey}) = 2
    /\ now = 0 => \A t \in Txns : record'[t].status # "committed"
    /\ replayed' # replayed => Cardinality(Committed) = 2
    /\ \A t \in All : txn'[t].reads # txn[t].reads => Cardinality(Committed) = 2
    /\ told' # told => \A t \in All : txn'[t].phase # txn[t].phase => txn[t].reads = {} \/ Cardinality(txn[t].reads) = Cardinality(Keys)
    /\ \A t \in Txns : txn'[t].reads # txn[t].reads => \A r \in Readers : txn[r].phase = "done"

Symmetry == Permutations(Txns) \union Permutations(Readers) \union Permutations(Keys)
=============================================================================
