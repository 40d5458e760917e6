---------------------- MODULE EpochVisibilityContracts ----------------------
(***************************************************************************)
(* What the steps of EpochVisibility owe each other. The paper claims none *)
(* of this but Property 6.1; mutants of the module that leave its claims   *)
(* intact are caught here. For the repaired protocol only.                 *)
(***************************************************************************)
EXTENDS MCEpochVisibility

Status(t) == record[t].status
KeysRead(t) == {r[1] : r \in txn[t].reads}

\* Property 6.1, which this module takes from EpochCut.
CutStep == [][\A n \in Nodes : epoch'[n] # epoch[n] => now > epoch[n] * Interval]_vars

\* The replicas replay what was cut.
ReplayedInv == \A n \in Nodes : replayed[n] < epoch[n]

\* Who has begun has a timestamp, keeps it, and shares it with nobody. Its recorder does not move.
TimestampInv == \A t, u \in All :
    /\ (ts[t] # 0) <=> (txn[t].phase # "idle")
    /\ (t # u /\ ts[t] # 0) => ts[t] # ts[u]
OnceStep == [][
    /\ \A t \in All : ts[t] # 0 => ts'[t] = ts[t]
    /\ \A t \in Txns : first[t] # NoKey => first'[t] = first[t]]_vars

\* Nothing is read from a later transaction.
NotLaterInv == \A t \in All : \A r \in txn[t].reads : r[2] # NoTxn => ts[r[2]] < ts[t]

\* What was read or written stays so, and each key is read once, before it is written.
ReadsStep == [][\A t \in All :
    /\ txn[t].reads \subseteq txn'[t].reads /\ txn[t].writes \subseteq txn'[t].writes
    /\ \A r \in txn'[t].reads \ txn[t].reads : r[1] \notin KeysRead(t) \union txn[t].writes]_vars

\* The tracker of a key is the newest reader at its primary.
TrackerInv == \A k \in Keys :
    LET readers == {t \in Txns : k \in KeysRead(t)} IN
    /\ \A t \in readers : ts[t] <= tracker[k]
    /\ tracker[k] = 0 \/ \E t \in readers : ts[t] = tracker[k]

\* A write is refused only below the tracker.
RefusedStep == [][\A t \in Txns : (Status(t) # "aborted" /\ record'[t].status = "aborted" /\ Status(t) = "none") =>
    \E k \in Keys \ txn[t].writes : ts[t] < tracker[k]]_vars

\* A key has one version of a writer, and of those that wrote it.
VersionInv == \A k \in Keys : \A v \in versions[k] :
    /\ k \in txn[v.writer].writes
    /\ \A w \in versions[k] : w.writer = v.writer => w = v

\* A transaction that has written has a record at its first key.
RecordInv == \A t \in Txns :
    /\ (txn[t].writes = {}) <=> (first[t] = NoKey)
    /\ txn[t].writes # {} => first[t] \in txn[t].writes /\ Status(t) # "none"
    /\ \A k \in txn[t].writes : \E v \in versions[k] : v.writer = t

\* Record and coordinator agree: an aborted transaction is over, a committed one
\* does nothing more, and nothing is over undecided.
OverInv == \A t \in Txns :
    /\ Status(t) = "aborted" => txn[t].phase = "done"
    /\ Status(t) = "committed" => txn[t].phase \in {"committing", "done"}
    /\ (txn[t].phase = "done" /\ Status(t) \notin {"committed", "aborted"}) => txn[t].writes = {} /\ txn[t].reads # {}
    /\ txn[t].phase = "committing" => Status(t) = "committed"

\* 6.4: a replica answers when it has replayed what was logged until the reader's timestamp.
CoveredStep == [][\A r \in Readers : \A q \in txn'[r].reads \ txn[r].reads :
    replayed[Home[q[1]]] * Interval >= ts[r]]_vars

\* 6.3 as repaired: the commit epoch is the last one that a write was logged in.
CommitEpochInv == \A t \in Txns : Status(t) = "committed" => record[t].epoch = MaxOf(Proposed(t))

\* Property 4.1, right half, which this module takes from TimestampBatching; a client
\* is told once, and what it is told is over.
ToldInv == \A i \in DOMAIN told :
    /\ \A j \in DOMAIN told : told[i] = told[j] => i = j
    /\ txn[told[i]].phase = "done"
    /\ told[i] \in Txns => Status(told[i]) # "aborted"
ToldStep == [][\A t \in All : (t \notin Told /\ t \in Told' /\ txn[t].phase # "snapshot") => ts[t] < now]_vars

\* Nobody waits for more than is decided below its own timestamp, and a replica's reader for the replay.
Decided(k, n) == \A v \in versions[k] : ts[v.writer] < n => Status(v.writer) \in {"committed", "aborted"}
CanInv ==
    /\ \A n \in Nodes : /\ (now > epoch[n] * Interval => ENABLED Cut(n))
                        /\ (replayed[n] + 1 < epoch[n] => ENABLED Replay(n))
    /\ \A t \in Txns : txn[t].phase = "running" =>
        /\ \A k \in Keys \ txn[t].writes : /\ ENABLED PrimaryWrite(t, k)
                                           /\ (k \notin KeysRead(t) /\ Decided(k, ts[t])) => ENABLED PrimaryRead(t, k)
        /\ (Status(t) = "pending" => ENABLED Commit(t))
    /\ \A r \in Readers, k \in Keys :
        (/\ txn[r].phase \in {"running", "snapshot"} /\ k \notin KeysRead(r) /\ Decided(k, ts[r])
         /\ replayed[Home[k]] * Interval >= ts[r]) => ENABLED ReplicaRead(r, k)
=============================================================================
