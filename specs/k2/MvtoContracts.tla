---------------------------- MODULE MvtoContracts ----------------------------
(***************************************************************************)
(* What coordinators, data nodes and recorders of Mvto owe each other. The *)
(* paper claims none of this; mutants of the module that leave its claims  *)
(* intact are caught here. For the repaired protocol only.                 *)
(***************************************************************************)
EXTENDS MCMvto

Sent(type, t, k) == \E m \in msgs : m.type = type /\ m.t = t /\ m.k = k
KeysRead(t) == {r[1] : r \in txn[t].reads}
Phase(t) == txn[t].phase

\* Constraint: who only reads reads one key.
OneRead == \A t \in ReadOnly : Cardinality(txn[t].reads) <= 1 /\ (txn[t].reads # {} => txn[t].reading = NoKey)
\* Constraint: a transaction never begins, so that a floor may be above all timestamps.
OneStaysAway == ts[CHOOSE t \in Txns \ ReadOnly : TRUE] = 0
\* Constraint: the others ask to write, then who only reads begins, with a later timestamp; nothing is decided before it
\* has asked.
ReadersComeBetween == \A t \in ReadOnly, u \in Txns \ ReadOnly :
    /\ ts[t] # 0 => txn[u].writes # {} /\ ts[u] < ts[t]
    /\ record[u] \in Decided => \E k \in Keys : Sent("read", t, k)

\* Constraint: one writes all keys; when they are acknowledged the others begin, and each asks for a key of its own before
\* anything is decided.
EachAsks ==
    /\ \A t \in ReadOnly, u \in Txns \ ReadOnly :
        /\ ts[t] # 0 => txn[u].acked = Keys /\ ts[u] < ts[t]
        /\ record[u] \in Decided => \E k \in Keys : Sent("read", t, k)
    /\ \A t, u \in ReadOnly, k \in Keys : Sent("read", t, k) /\ Sent("read", u, k) => t = u

-----------------------------------------------------------------------------
(* Messages                                                                *)

\* What was sent can be handled, by data nodes and recorders whenever it comes, by a coordinator that waits for it.
CanInv == \A m \in msgs :
    CASE m.type = "read"       -> ENABLED HandleRead(m)
      [] m.type = "write"      -> ENABLED HandleWrite(m)
      [] m.type = "push"       -> ENABLED HandlePush(m)
      [] m.type = "commit"     -> ENABLED HandleCommit(m)
      [] m.type = "abort"      -> ENABLED HandleAbort(m)
      [] m.type = "pushReply"  -> ENABLED HandlePushReply(m)
      [] m.type = "finalize"   -> ENABLED HandleFinalize(m)
      [] m.type = "readReply"  -> Phase(m.t) = "running" /\ txn[m.t].reading = m.k => ENABLED HandleReadReply(m)
      [] m.type = "writeReply" -> Phase(m.t) = "running" /\ m.k \notin txn[m.t].acked => ENABLED HandleWriteReply(m)
      [] m.type = "decision"   -> Phase(m.t) \in {"committing", "aborting"} => ENABLED HandleDecision(m)

-----------------------------------------------------------------------------
(* Coordinators                                                            *)

\* Who has begun has a timestamp.
BegunInv == \A t \in Txns : (ts[t] # 0) <=> (Phase(t) # "idle")

\* A transaction runs, is then being decided, and is over; its coordinator may fail.
PhaseStep == [][\A t \in Txns : Phase(t) # txn'[t].phase => <<Phase(t), txn'[t].phase>> \in
    {<<"idle", "running">>, <<"running", "done">>, <<"running", "committing">>, <<"running", "aborting">>,
     <<"committing", "done">>, <<"aborting", "done">>,
     <<"running", "lost">>, <<"committing", "lost">>, <<"aborting", "lost">>}]_vars

\* Only while it runs it reads and writes; nothing that it did is forgotten.
WorkStep == [][\A t \in Txns :
    LET done(x) == <<x.reads, x.writes, x.acked>> IN
    /\ Phase(t) # "running" => done(txn'[t]) = done(txn[t])
    /\ txn[t].reads \subseteq txn'[t].reads
    /\ txn[t].writes \subseteq txn'[t].writes /\ txn[t].acked \subseteq txn'[t].acked]_vars

\* One read at a time, of a key neither read nor written, and none in a transaction
\* that no longer runs.
ReadingInv == \A t \in Txns : txn[t].reading # NoKey =>
    /\ Phase(t) = "running"
    /\ txn[t].reading \notin KeysRead(t) \union txn[t].writes
    /\ Sent("read", t, txn[t].reading)

\* A read is asked for, and goes on until it is answered.
ReadStep == [][\A t \in Txns :
    /\ (txn[t].reading # NoKey /\ txn'[t].reading = NoKey /\ txn'[t].phase = "running")
       => txn[t].reading \in {r[1] : r \in txn'[t].reads}
    /\ \A k \in Keys : (~Sent("read", t, k) /\ Sent("read", t, k)') => txn'[t].reading = k]_vars

\* A read's value is one that a data node returned; a write is acknowledged by one.
AnsweredInv == \A t \in Txns :
    /\ \A r \in txn[t].reads : ReadReply(t, r[1], r[2]) \in msgs
    /\ \A k \in txn[t].acked : k \in txn[t].writes /\ Message("writeReply", t, k, NoTxn, "ok") \in msgs

\* A transaction gives up because a write was refused or its client wants it.
AbortingInv == \A t \in Txns : Phase(t) = "aborting" =>
    "abort" \in Faults \/ \E k \in txn[t].writes : Message("writeReply", t, k, NoTxn, "refused") \in msgs

\* Commit and abort go to the recorder at the first key written, from a transaction
\* that no longer runs.
RequestInv == \A m \in msgs : m.type \in {"commit", "abort"} =>
    /\ m.k = first[m.t] /\ m.k \in txn[m.t].writes
    /\ Phase(m.t) \in {"committing", "aborting", "done", "lost"}

\* Clients are told once, when it is over, and only of something done; then all its writes are finalized.
ToldOnceInv == \A i \in DOMAIN told :
    /\ \A k \in txn[told[i].t].writes : Message("finalize", told[i].t, k, NoTxn, told[i].outcome) \in msgs
    /\ \A j \in DOMAIN told : told[i].t = told[j].t => i = j
    /\ Phase(told[i].t) = "done"
    /\ txn[told[i].t].reads # {} \/ txn[told[i].t].writes # {}

-----------------------------------------------------------------------------
(* Data nodes                                                              *)

\* A writer has one version of a key, and it wrote that key.
VersionInv == \A k \in Keys : \A v \in versions[k] : v.writer # NoTxn =>
    /\ k \in txn[v.writer].writes
    /\ \A u \in versions[k] : u.writer = v.writer => u = v

\* What is committed was decided so, and is never taken away.
CommittedInv == \A k \in Keys : \A v \in versions[k] :
    (v.writer # NoTxn /\ v.status = "committed") => record[v.writer] = "committed"
KeptStep == [][\A k \in Keys : \A v \in versions[k] : v.status = "committed" => v \in versions'[k]]_vars

\* A value returned to a reader is committed at its data node, and older. (A read that
\* is handled again may find the reader's own write, which it asks for no more.)
ReplyInv == \A m \in msgs : (m.type = "readReply" /\ m.v \notin {NoTxn, m.t}) =>
    ts[m.v] < ts[m.t] /\ [writer |-> m.v, status |-> "committed"] \in versions[m.k]

\* A write that was acknowledged is there until its transaction is aborted.
IntentInv == \A t \in Txns : record[t] # "aborted" =>
    \A k \in txn[t].acked : \E v \in versions[k] : v.writer = t

\* A write is refused because of a later reader, and leaves no intent.
RefusalStep == [][\A m \in msgs' \ msgs : (m.type = "writeReply" /\ m.s = "refused") => ts[m.t] < tracker[m.k]]_vars
RefusedInv == \A m \in msgs : (m.type = "writeReply" /\ m.s = "refused") =>
    \A v \in versions[m.k] : v.writer # m.t

\* A read waits for an intent, whose recorder was asked, and no write may come in below it.
WaitingInv == \A r \in waiting :
    /\ Sent("push", r.on, r.k)
    /\ [writer |-> r.on, status |-> "intent"] \in versions[r.k]
    /\ ts[r.t] <= tracker[r.k]

\* Who has read below a tracker once is protected for good, recovery of the data node included.
TrackerStep == [][\A k \in Keys : tracker[k] <= tracker'[k]]_vars

\* A tracker is raised by a read, which is answered or waits ...
TrackerInv == "datanode" \in Faults \/ \A k \in Keys : tracker[k] # 0 =>
    \E t \in Txns : /\ ts[t] = tracker[k] /\ Sent("read", t, k)
                    /\ Sent("readReply", t, k) \/ \E r \in waiting : r.t = t /\ r.k = k
\* ... until it is answered.
WaitingStep == [][\A r \in waiting :
    \/ "datanode" \in Faults
    \/ Sent("readReply", r.t, r.k)'
    \/ \E q \in waiting' : q.t = r.t /\ q.k = r.k]_vars

-----------------------------------------------------------------------------
(* Recorders                                                               *)

\* A question is held while its transaction has a record and no decision, and was asked ...
HeldInv == \A h \in held : record[h.t] = "pending" /\ Sent("push", h.t, h.k)
\* ... and is answered when there is one; a recorder that takes over has none.
HeldStep == [][\A h \in held \ held' : "recorder" \in Faults \/
    (record'[h.t] \in Decided /\ \E m \in msgs' : m.type = "pushReply" /\ m.t = h.t /\ m.k = h.k)]_vars
\* A record is created by the first write of its transaction, or for a question that is then held.
RecordStep == [][\A t \in Txns : (record[t] = "none" /\ record'[t] = "pending") =>
    \/ versions' # versions /\ \E v \in versions'[first[t]] : v.writer = t
    \/ \E h \in held' : h.t = t]_vars

\* Only what was asked is answered, and with what was decided.
DecisionInv == \A m \in msgs :
    /\ m.type = "pushReply" => Sent("push", m.t, m.k) /\ m.s = record[m.t]
    /\ m.type \in {"decision", "finalize"} => m.s = record[m.t]

\* Nothing is decided that nobody asked for.
DecidedInv == \A t \in Txns :
    /\ record[t] = "committed" => \E m \in msgs : m.type = "commit" /\ m.t = t
    /\ record[t] = "aborted" => "suspicion" \in Faults \/ \E m \in msgs : m.type = "abort" /\ m.t = t
    /\ record[t] # "none" => txn[t].writes # {}
=============================================================================
