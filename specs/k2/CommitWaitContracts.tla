------------------------- MODULE CommitWaitContracts -------------------------
(***************************************************************************)
(* What the steps of CommitWait owe each other. The paper claims none of   *)
(* this; mutants of the module that leave its claims intact are caught     *)
(* here.                                                                   *)
(***************************************************************************)
EXTENDS MCCommitWait

IsTold(t) == \E i \in DOMAIN told : told[i] = t
Goes(t) == ts[t] # 0 /\ t \notin decided /\ ~IsTold(t)
At(w) == IF w = NoTxn THEN 0 ELSE ts[w]

\* A timestamp is given once, is no other's, and lies ahead of real time, by no more than the lead.
StampStep == [][\A t \in Txns : ts'[t] # ts[t] =>
    ts[t] = 0 /\ ts'[t] \in now + 1 .. now + Lead /\ \A u \in Txns : ts[u] # ts'[t]]_vars

\* A transaction reads the newest version below its timestamp, when that is decided, once a key and
\* not what it wrote; nobody forgets what was read.
ReadStep == [][\A t \in Txns :
    /\ txn[t].reads \subseteq txn'[t].reads
    /\ \A r \in txn'[t].reads \ txn[t].reads :
        /\ Goes(t) /\ r[1] \notin txn[t].writes /\ \A q \in txn[t].reads : q[1] # r[1]
        /\ r[2] = NoTxn \/ (r[2] \in decided /\ r[1] \in txn[r[2]].writes /\ ts[r[2]] < ts[t])
        /\ \A u \in Txns : r[1] \in txn[u].writes /\ ts[u] < ts[t] => ts[u] <= At(r[2])
        /\ tracker'[r[1]] >= ts[t]]_vars

\* A tracker rises, to the timestamp of who reads.
TrackerStep == [][\A k \in Keys : tracker'[k] # tracker[k] =>
    /\ tracker'[k] > tracker[k]
    /\ \E t \in Txns : ts[t] = tracker'[k] /\ \E r \in txn'[t].reads \ txn[t].reads : r[1] = k]_vars

\* A transaction that may write does so at or above the tracker, once a key.
WriteStep == [][\A t \in Txns :
    /\ txn[t].writes \subseteq txn'[t].writes
    /\ \A k \in txn'[t].writes \ txn[t].writes : Goes(t) /\ t \notin ReadOnly /\ ts[t] >= tracker[k]]_vars

\* What was decided has written, and has waited where it has to.
DecideStep == [][decided \subseteq decided' /\ \A t \in decided' \ decided :
    Goes(t) /\ txn[t].writes # {} /\ (WaitBefore = "decision" => now > ts[t])]_vars

\* A client is told once: of a write that was decided and has waited, or of reads alone.
TellStep == [][told' # told => \E t \in Txns :
    /\ told' = Append(told, t) /\ ~IsTold(t)
    /\ \/ t \in decided /\ now > ts[t]
       \/ t \in ReadOnly /\ Goes(t) /\ txn[t].reads # {} /\ (ReadersWait => now > ts[t])]_vars

\* Who reads waits for what is decided below its timestamp alone, and who has waited goes on.
CanInv == \A t \in Txns :
    /\ Goes(t) => \A k \in Keys \ txn[t].writes :
        /\ ((\A q \in txn[t].reads : q[1] # k) /\ (\A u \in Txns : (k \in txn[u].writes /\ ts[u] < ts[t]) => u \in decided))
           => ENABLED Read(t, k)
        /\ (t \notin ReadOnly /\ ts[t] >= tracker[k]) => ENABLED Write(t, k)
    /\ (Goes(t) /\ now > ts[t]) => /\ (txn[t].writes # {} => ENABLED Decide(t))
                                 /\ ((t \in ReadOnly /\ txn[t].reads # {}) => ENABLED TellReader(t))
    /\ (t \in decided /\ ~IsTold(t) /\ now > ts[t]) => ENABLED TellWriter(t)
=============================================================================
