------------------------------ MODULE TraceMvto ------------------------------
(***************************************************************************)
(* Steps Mvto along a log. Transactions are reused model values; time-     *)
(* stamps are the log's, numbered in their order.                          *)
(*                                                                         *)
(* What events say: docs/mapping.md. Begin says ts: n, oracle, coordinator *)
(* and incarnation.                                                        *)
(*                                                                         *)
(* The state in the log is that after the event, and is compared with the  *)
(* specification's after the step (Shows). Not compared:                  *)
(*  - what a replaced node that still runs believes: the specification has *)
(*    one state for both, the new node's. For the same reason held may     *)
(*    hold more than the new recorder does;                                *)
(*  - of a key's versions, all but the one that the step was about.        *)
(*                                                                         *)
(* Forgotten, since no later event of the log can tell the difference:     *)
(*  - a message that is not delivered again: msgs is read only by the      *)
(*    guard m \in msgs of a delivery (and by claims);                      *)
(*  - told and seen, which only Begin's guard on p and claims read; p = 0  *)
(*    always satisfies that guard. Invariant 4.1 is judged on logs by      *)
(*    TraceTimestampBatching;                                              *)
(*  - transactions that the log does not mention again, as Forget has it.  *)
(***************************************************************************)
EXTENDS Mvto, Extremes

CONSTANTS
    \* A member of Txns that stands for forgotten writers of committed versions.
    Old

TraceBegin(t, n) == \E p \in 0 .. Len(told) : Begin(t, n, p)

\* The log tells the floor that a recovered node starts from; what makes it safe is
\* that it is not below any read that the old node served. role is who logged it.
TraceRecoverDataNode(d, floor, role) ==
    /\ d = role
    /\ "ReadFloor" \in Repairs => \A k \in Keys : Home[k] = d => tracker[k] <= floor
    /\ RecoverDataNode(d, floor)

TraceReplaceRecorder(d, role) == d = role /\ ReplaceRecorder(d)

\* A reader at a replica asks for the decision on a writer (6.4). Replicas are
\* EpochVisibility's; here their PUSHWS comes from outside.
ReplicaPush(t, k) ==
    /\ ts[t] # 0 /\ k \in Keys
    /\ Send({Request("push", t, k)})
    /\ UNCHANGED <<coordinatorVars, dataNodeVars, recorderVars>>

\* A push that no data node sent.
ReplicaPushed(m) == ReplicaPush(m.t, m.k)

-----------------------------------------------------------------------------
(* Shows: the state that an event logged is the specification's            *)

TxnShows(t, shown, k) == txn[t] = shown /\ first[t] = k /\ UNCHANGED vars
BeginShows(t, txnLogged, firstLogged) == TxnShows(t, txnLogged, firstLogged)
IssueReadShows(t, txnLogged, firstLogged) == TxnShows(t, txnLogged, firstLogged)
IssueWriteShows(t, txnLogged, firstLogged) == TxnShows(t, txnLogged, firstLogged)
RequestCommitShows(t, txnLogged, firstLogged) == TxnShows(t, txnLogged, firstLogged)
RequestAbortShows(t, txnLogged, firstLogged) == TxnShows(t, txnLogged, firstLogged)
HandleReadReplyShows(m, txnLogged, firstLogged) == TxnShows(m.t, txnLogged, firstLogged)
HandleWriteReplyShows(m, txnLogged, firstLogged) == TxnShows(m.t, txnLogged, firstLogged)
HandleDecisionShows(m, txnLogged, firstLogged) == TxnShows(m.t, txnLogged, firstLogged)

\* Of a key's versions, the log has the one that the step was about.
Status(k, w) == LET of == {v \in versions[k] : v.writer = w} IN
                IF of = {} THEN "none" ELSE (CHOOSE v \in of : TRUE).status
KeyShows(k, n, version, waits) ==
    /\ tracker[k] = n
    /\ Status(k, version.writer) = version.status
    /\ {r \in waiting : r.k = k} = {[t |-> w.t, k |-> k, on |-> w.on] : w \in waits}
    /\ UNCHANGED vars
HandleReadShows(m, trackerLogged, version, waitingLogged) ==
    /\ Newest(versions[m.k], ts[m.t]).writer = version.writer
    /\ KeyShows(m.k, trackerLogged, version, waitingLogged)
HandleWriteShows(m, trackerLogged, version, waitingLogged) == KeyShows(m.k, trackerLogged, version, waitingLogged)
HandlePushReplyShows(m, trackerLogged, version, waitingLogged) == KeyShows(m.k, trackerLogged, version, waitingLogged)
HandleFinalizeShows(m, trackerLogged, version, waitingLogged) == KeyShows(m.k, trackerLogged, version, waitingLogged)

RecordShows(t, status, ks) ==
    /\ record[t] = status
    /\ \A k \in ks : [t |-> t, k |-> k] \in held
    /\ UNCHANGED vars
HandlePushShows(m, recordLogged, heldLogged) == RecordShows(m.t, recordLogged, heldLogged)
HandleCommitShows(m, recordLogged, heldLogged) == RecordShows(m.t, recordLogged, heldLogged)
HandleAbortShows(m, recordLogged, heldLogged) == RecordShows(m.t, recordLogged, heldLogged)
SuspectCoordinatorShows(t, recordLogged, heldLogged) == RecordShows(t, recordLogged, heldLogged)

-----------------------------------------------------------------------------
(***************************************************************************)
(* gone: transactions that no later event mentions. low: no later event    *)
(* handles a read with a smaller timestamp.                                *)
(*  - A read that waits for a transaction in gone is never woken.          *)
(*  - A version is never read again if a newer committed one is not above  *)
(*    the timestamp of every read to come; if its writer is in gone, no    *)
(*    write or decision refers to it either.                               *)
(*  - The oldest version left may be renamed to Old if it is committed and *)
(*    no later event mentions its writer: what is above it stays above it. *)
(*    A read that returned it would send a reply that names the writer,    *)
(*    and the log has none.                                                *)
(* \E x \in {e} has TLC evaluate e once, where it evaluates a LET's          *)
(* definition at each use.                                                 *)
(***************************************************************************)
Forget(gone, low) ==
    \E waits \in {{r \in waiting : r.on \notin gone}} :
    \E bound \in {IF waits = {} THEN low ELSE Least({low} \union {ts[r.t] : r \in waits})} :
    LET dead(v) == v.writer \in gone \union {NoTxn, Old}
        covers(u) == u.status = "committed" /\ TsOf(u.writer) <= bound
        newest(k) == {TsOf(u.writer) : u \in {x \in versions[k] : covers(x)}}
        left(k) == LET n == newest(k)
                       cover == IF n = {} THEN 0 ELSE Greatest(n) IN
                   {v \in versions[k] : ~(dead(v) /\ TsOf(v.writer) < cover)}
        renamed(vs) == LET oldest == Least({TsOf(u.writer) : u \in vs}) IN
                       {IF v.writer \in gone /\ v.status = "committed" /\ TsOf(v.writer) = oldest
                        THEN [v EXCEPT !.writer = Old] ELSE v : v \in vs} IN
    \E after \in {[k \in Keys |-> IF Cardinality(versions[k]) = 1 /\ \A v \in versions[k] : v.writer \notin gone
                                   THEN versions[k]
                                   ELSE LET vs == left(k) IN IF vs = {} THEN vs ELSE renamed(vs)]} :
    \E reset \in {gone \ (UNION {{v.writer : v \in after[k]} : k \in Keys}
                          \union {r.t : r \in waits} \union {r.on : r \in waits})} :
    /\ versions' = after
    /\ waiting' = waits
    /\ held' = {h \in held : h.t \notin gone}
    /\ ts' = [t \in Txns |-> IF t \in reset THEN 0 ELSE ts[t]]
    /\ txn' = [t \in Txns |-> IF t \in reset THEN Idle ELSE txn[t]]
    /\ first' = [t \in Txns |-> IF t \in reset THEN NoKey ELSE first[t]]
    /\ record' = [t \in Txns |-> IF t \in reset THEN "none" ELSE record[t]]
    /\ UNCHANGED <<tracker, expelled, msgs, told, seen>>

\* What Forget reset is free for another transaction.
Unused == {t \in Txns \ {Old} : ts[t] = 0 /\ record[t] = "none" /\ txn[t] = Idle
                                /\ \A r \in waiting : r.t # t /\ r.on # t}
                                \ UNION {{v.writer : v \in versions[k]} : k \in Keys}
=============================================================================
