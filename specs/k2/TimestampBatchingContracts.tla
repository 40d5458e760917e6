--------------------- MODULE TimestampBatchingContracts ---------------------
(***************************************************************************)
(* What the parts of TimestampBatching owe each other, step by step. The   *)
(* paper claims none of this; mutants of the module that leave its claims  *)
(* intact are caught here. For the repaired protocol only.                 *)
(***************************************************************************)
EXTENDS MCTimestampBatching

Started(t) == txn[t].phase # "idle"

\* A transaction that began knows where; one that has not is blank; only one that
\* ended has an end.
PhaseInv == \A t \in Txns :
    /\ Started(t) => txn[t].coordinator \in Coordinators
    /\ txn[t].phase = "idle" => txn[t] = NotBegun
    /\ txn[t].ended # 0 => txn[t].phase = "ended"

\* What was sent may be handled later: that a message is lost means that it never is.
NetworkStep == [][requests \subseteq requests' /\ replies \subseteq replies']_vars

\* A request that is waited for is the newest and was sent.
PendingInv == \A c \in Coordinators : pending[c] # NoRequest =>
    /\ pending[c].id = sent[c]
    /\ \E q \in requests : q.coordinator = c /\ q.id = pending[c].id

\* Asking means waiting for the answer to this request, whose number is new.
AskStep == [][\A c \in Coordinators : sent'[c] # sent[c] => sent'[c] = sent[c] + 1 /\ pending'[c].id = sent'[c]]_vars

\* A batch comes from an answer to the request that was waited for, and uses it up.
InstallStep == [][\A c \in Coordinators :
    LET installed == batch'[c] \notin {batch[c], NoBatch} /\ batch'[c].used = 0
        answered == pending[c] # NoRequest /\ pending'[c] = NoRequest /\ incarnation'[c] = incarnation[c] IN
    /\ installed => answered
    /\ answered => /\ batch'[c].local = pending[c].local
                   /\ \E r \in replies : /\ r.coordinator = c /\ r.id = pending[c].id
                                         /\ r.up = batch'[c].up /\ r.oracle = batch'[c].oracle]_vars

\* A transaction is begun once, at the present incarnation of its coordinator, and
\* then given a timestamp and ended, in this order.
LifeStep == [][\A t \in Txns : txn'[t] # txn[t] =>
    /\ <<txn[t].phase, txn'[t].phase>> \in {<<"idle", "begun">>, <<"begun", "running">>, <<"running", "ended">>}
    /\ txn'[t].incarnation = incarnation[txn'[t].coordinator]
    /\ txn'[t].begun = IF Started(t) THEN txn[t].begun ELSE now]_vars

\* A coordinator that takes a timestamp gives it to a transaction of its own, with
\* the oracle of its batch.
TakeStep == [][\A c \in Coordinators : (last'[c] # last[c] /\ incarnation'[c] = incarnation[c]) =>
    \E t \in Txns : /\ txn[t].phase = "begun" /\ txn'[t].phase = "running"
                    /\ txn'[t].coordinator = c /\ txn'[t].ts = last'[c]
                    /\ txn'[t].oracle = batch[c].oracle]_vars

\* What is volatile does not outlive a restart.
ForgetStep == [][\A c \in Coordinators : incarnation'[c] # incarnation[c] =>
    pending'[c] = NoRequest /\ batch'[c] = NoBatch /\ last'[c] = -1]_vars

\* A coordinator asks again when it likes, takes the answer that it waits for, and goes on with its transactions.
CanInv ==
    /\ \A c \in Coordinators : ENABLED RequestBatch(c)
    /\ \A r \in replies : pending[r.coordinator].id = r.id => ENABLED InstallBatch(r)
    /\ \A t \in Txns : (Started(t) /\ txn[t].incarnation = incarnation[txn[t].coordinator]) =>
        LET c == txn[t].coordinator
            left == WaitAtMost(TTL) - (clock[c] - batch[c].local) IN
        /\ (txn[t].phase = "begun" /\ batch[c].up >= 0 /\ left > 0 /\ NextTs(c) < batch[c].up + 2 * TTL) => ENABLED Assign(t)
        /\ (txn[t].phase = "running" /\ clock[c] - txn[t].local >= CommitWait) => ENABLED End(t)
=============================================================================
