----------------------------- MODULE MCRedoLog -----------------------------
\* Bounds RedoLog: workloads.
EXTENDS RedoLog, TLC

CONSTANT
  \* Highest number of redo-log entries.
  \* @type: Int;
  MaxEntries

Update == [reads |-> {"x"}, writes |-> {"x"}]
Reader == [reads |-> {"x"}, writes |-> {}]
Transfer == [reads |-> {"x", "y"}, writes |-> {"x", "y"}]
Snapshot == [reads |-> {"x", "y"}, writes |-> {}]

\* One update.
OneUpdate == <<Update>>
\* Two updates of one record.
TwoUpdates == <<Update, Update>>
\* An update and a read-only transaction.
UpdateAndRead == <<Update, Reader>>
\* Two updates and a read-only transaction.
TwoUpdatesAndRead == <<Update, Update, Reader>>
\* Two updates of one record, and one of that and another.
UpdatesAndTransfer == <<Update, Update, Transfer>>
\* An update of each of two records, and one of both.
Apart == <<Update, [reads |-> {"y"}, writes |-> {"y"}], Transfer>>
\* Three updates.
ThreeUpdates == <<Update, Update, Update>>
\* Two records, updated together and alone, and read together.
TwoTables == <<Transfer, Update, Snapshot>>
\* Two records, updated together and one of them alone.
TransferAndUpdate == <<Transfer, Update>>
\* An update of one of two records that are read together.
UpdateAndSnapshot == <<Update, Snapshot>>
\* Two updates of x, and a request that reads x and writes y.
Leftovers == <<Update, Update, [reads |-> {"x"}, writes |-> {"y"}]>>
\* Each reads what the other writes: write skew when only modified tables are locked.
Skew == <<[reads |-> {"x", "y"}, writes |-> {"x"}], [reads |-> {"x", "y"}, writes |-> {"y"}]>>

Bound == Len(log) <= MaxEntries

\* Constraint: a request is sent when the one before has its answer.
InTurn == \A r, s \in Requests : r < s /\ client[s].status # "new" => client[r].status \notin {"new", "waiting"}

\* MET-DUR as a property of steps: what a quorum has is in the log for good, answered or not, whoever fails.
LoggedStaysStep == [][\A e \in DOMAIN log :
  LET n == Len(log[e].queue)
  IN  Len(log'[e].queue) >= n /\ SubSeq(log'[e].queue, 1, n) = log[e].queue]_vars

\* "Failures are infrequent enough": clients retry only what is lost, and only locks whose holder has
\* forgotten them are taken away.
FewFailures ==
  /\ \A r \in Requests : client'[r].att > client[r].att => client[r].att = 0 \/ Stuck(r)
  /\ faults'.expiries > faults.expiries =>
       \A e \in DOMAIN log : log'[e].lock # log[e].lock => Orphaned(e)
LiveNext == Next /\ FewFailures
LiveSpec == Init /\ [][LiveNext]_vars /\ Fairness
===============================================================================
