------------------------ MODULE TraceTimestampBatching ------------------------
(***************************************************************************)
(* Steps TimestampBatching along a log. All times are microseconds: a tick *)
(* is one, and local clocks count them too, so that nothing exceeds 32     *)
(* bits. Coordinators are nodes (two nodes of one role may run at once);   *)
(* transactions are reused numbers; requests are numbered by node.         *)
(*                                                                         *)
(*  spec field         log field                     code field            *)
(*  now                at                            (none: no machine     *)
(*                                                     reads it)           *)
(*  clock[c]           local                         ClockReading          *)
(*  incarnation[c]     action RestartCoordinator     TimestampSource       *)
(*  sent[c], pending   args.id of RequestBatch         .pending            *)
(*  batch[c]           args.r of InstallBatch          .batch              *)
(*  last[c]            args.n of Assign                .last               *)
(*  requests           args.q of OracleReply         (network)             *)
(*  replies            args.r of InstallBatch        (network)             *)
(*  txn[t].ts, oracle  args.n, args.oracle of Assign Transaction.ts        *)
(*  pending, batch,    state of each action          TimestampSource       *)
(*  last                                                                   *)
(*                                                                         *)
(* The state in the log is that after the event, and is compared with the  *)
(* specification's after the step (TraceShows). A transaction whose client *)
(* is told, or whose epoch is cut, must have ended (Ended).                *)
(*                                                                         *)
(* Property 4.1 is judged here in real time, as conjuncts of TraceAssign   *)
(* and TraceEnd. Forgotten: messages that no later event delivers, and     *)
(* transactions that no later event mentions; both are read only by the    *)
(* actions that name them, and by claims.                                  *)
(***************************************************************************)
EXTENDS TimestampBatching

CONSTANT
    \* Bound of a local clock's rate error, parts per million.
    DriftPpm

\* n * DriftPpm / 10^6, rounded up; the product itself may exceed 32 bits.
Error(n) ==
    LET x == (n \div 1000) * DriftPpm IN
    x \div 1000 + (1000 * (x % 1000) + (n % 1000) * DriftPpm + 999999) \div 1000000
TraceWaitAtLeast(n) == n + Error(n)
TraceWaitAtMost(n) == IF "DriftMargin" \in Repairs THEN n - Error(n) ELSE n

\* Real time goes on to at, and c's clock is seen to show local. Since the event
\* of c before, ticks of real time and units of its clock have passed: as many as
\* the drift bound allows, readings being whole.
TraceTick(c, at, local, ticks, units) ==
    /\ at >= now
    /\ units - ticks <= Error(ticks) + 3
    /\ ticks - units <= Error(ticks) + 3
    /\ now' = at
    /\ clock' = IF c \in Coordinators THEN [clock EXCEPT ![c] = local] ELSE clock
    /\ UNCHANGED <<incarnation, sent, pending, batch, last, requests, replies, txn>>

TraceRequestBatch(c, id) == RequestBatch(c) /\ id = sent[c] + 1

TraceOracleReply(o, c, id, up) == \E q \in requests :
    q.coordinator = c /\ q.id = id /\ OracleReply(o, q, up - now)

TraceInstallBatch(c, id, o, up) == \E r \in replies :
    r.coordinator = c /\ r.id = id /\ r.oracle = o /\ r.up = up /\ InstallBatch(r)

TraceAssign(t, n, o) ==
    /\ txn[t].begun < n
    /\ NextTs(txn[t].coordinator) = n
    /\ batch[txn[t].coordinator].oracle = o
    /\ Assign(t)

TraceEnd(t) ==
    /\ txn[t].ts < now
    /\ End(t)

\* The state that an event logged is the specification's: of the pending request, if
\* there is one (id # 0), and of the batch, if there is one (up # -1).
TraceShows(c, id, since, up, o, local, used, newest) ==
    /\ pending[c].id = id
    /\ id # 0 => pending[c].local = since
    /\ batch[c].up = up
    /\ up # -1 => /\ batch[c].oracle = o
                 /\ batch[c].local = local
                 /\ batch[c].used = used
    /\ last[c] = newest
    /\ UNCHANGED vars

\* A timestamp's issuer is in it, or not, as published. A role that moved to another
\* node has a higher incarnation than that node has restarted.
Named(c, issuer, i) ==
    /\ IF "NameIssuer" \in Repairs THEN issuer # 0 /\ i > incarnation[c] ELSE issuer = 0 /\ i = 0
    /\ UNCHANGED vars

\* What is told or cut has ended.
Ended(t) == txn[t].phase = "ended" /\ UNCHANGED vars

Forget(gone) ==
    /\ txn' = [t \in Txns |-> IF t \in gone THEN NotBegun ELSE txn[t]]
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, batch, last, requests, replies>>
=============================================================================
