---------------------------- MODULE MCOwnership ----------------------------
\* Bounds Ownership: workloads, and how many entries the redo log may get.
EXTENDS Ownership, TLC

CONSTANT
  \* Highest number of redo-log entries.
  \* @type: Int;
  MaxEntries

OneTableOrder == <<"T1">>
TwoTableOrder == <<"T1", "T2">>
ThreeTableOrder == <<"T1", "T2", "T3">>

T1 == {"T1"}
T2 == {"T2"}
Both == {"T1", "T2"}

\* One transaction on one table at each of two processes.
OneTable == 1 :> << <<T1>> >> @@ 2 :> << <<T1>> >>
\* Two transactions at the first process.
OneTableTwice == 1 :> << <<T1>>, <<T1>> >> @@ 2 :> << <<T1>> >>
\* Three processes.
OneTableThree == 1 :> << <<T1>> >> @@ 2 :> << <<T1>> >> @@ 3 :> << <<T1>> >>
\* Both tables in one query.
BothTables == 1 :> << <<Both>> >> @@ 2 :> << <<Both>> >>
\* Three tables, each in two of three queries: an entry holds tables that different processes come to in turn.
Ring == 1 :> << <<{"T1", "T3"}>>, <<{"T1", "T2"}>> >> @@ 2 :> << <<{"T2", "T3"}>> >>
\* Overlapping tables.
Overlap == 1 :> << <<Both>>, <<T1>> >> @@ 2 :> << <<T2>> >>
\* Two queries of one transaction, and another process that uses one of the tables.
TwoQueries == 1 :> << <<T1, T2>> >> @@ 2 :> << <<T1>> >>
\* Two queries of one transaction, and another process that uses both tables in one.
TwoQueriesAndBoth == 1 :> << <<T1, T2>> >> @@ 2 :> << <<Both>> >>
\* Two queries in opposite orders.
Crossed == 1 :> << <<T1, T2>> >> @@ 2 :> << <<T2, T1>> >>

\* A transaction uses tables of an own() before it and acquires another one; the next uses both of the first.
Apart == 1 :> << <<Both>>, <<T1, {"T3"}>>, <<Both>> >> @@ 2 :> << <<Both>> >>

\* A table that was owned since an earlier transaction is taken back in the middle of a later one.
Retaken == 1 :> << <<Both>>, <<T1, {"T2", "T3"}>> >> @@ 2 :> << <<T2>> >>

\* Three processes have committed, two of them from what another wrote.
ChainReach == Cardinality(Completed) = 3 /\ Cardinality({i \in Completed : \A r \in hist[i].reads : r[2] # 0}) = 2
\* A process was preempted or crashed between two tables of one query: one of them has moved to its entry, the
\* other has not, and somebody has committed both since.
HalfMoved(e) == \E T, U \in Tables : prev[e][T] # NoEntry /\ T \in tset[e] /\ U \notin tset[e]
HalfMovedReach == \E e \in Entries : HalfMoved(e) /\ \A p \in Procs : mine[p] # e
    /\ \E i \in Completed : \E f \in Entries : \E T \in tset[f] : prev[f][T] = e /\ Cardinality(hist[i].writes) = 2

\* MET-ATOMIC (claimed, 3.2): when own() has succeeded, all tables that its process owns are in one entry, to which
\* it commits.
OneEntryInv == \A p \in Procs : pc[p] \in {"populate", "execute", "commit", "idle"} =>
  Cardinality({via[p][T] : T \in Owned(p)}) <= 1

\* Constraint: process 2 begins when process 1 has lost a lock.
AfterExpiry == faults.expiries > 0 \/ pc[2] = "idle"

\* Constraint: process 1 loses no lock in its first transaction.
LaterExpiry == faults.expiries > 0 => next[1] > 1

Bound == Cardinality(Entries) <= MaxEntries
===============================================================================
