------------------------ MODULE TraceTimestampBatching ------------------------
(***************************************************************************)
(* Steps TimestampBatching along a log. All times are microseconds: a tick *)
(* is one, and local clocks count them too, so that nothing exceeds 32     *)
(* bits. Coordinators are nodes (two nodes of one role may run at once);   *)
(* transactions are reused numbers; requests are numbered by node.         *)
(*                                                                         *)
(* What events say: docs/mapping.md. now is their at, which no machine     *)
(* reads; clock is their local.                                            *)
(*                                                                         *)
(* The state in the log is that after the event, and is compared with the  *)
(* specification's after the step (Shown).      A transaction whose client *)
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

BeforeEach(node, at, local, ticks, units) == TraceTick(node, at, local, ticks, units)

TraceRequestBatch(c, id) == RequestBatch(c) /\ id = sent[c] + 1

\* Messages of a log have no real times.
TraceOracleReply(o, q, up) == \E x \in requests :
    x.coordinator = q.coordinator /\ x.id = q.id /\ OracleReply(o, x, up - now)

TraceInstallBatch(r) == \E x \in replies :
    /\ x.coordinator = r.coordinator /\ x.id = r.id /\ x.oracle = r.oracle /\ x.up = r.up
    /\ InstallBatch(x)

TraceAssign(t, n, oracle) ==
    /\ txn[t].begun < n
    /\ NextTs(txn[t].coordinator) = n
    /\ batch[txn[t].coordinator].oracle = oracle
    /\ Assign(t)

TraceEnd(t) ==
    /\ txn[t].ts < now
    /\ End(t)

\* The state that an event logged is the specification's: of the pending request and of the
\* batch, if there are any.
Shown(node, pendingLogged, batchLogged, lastLogged) ==
    /\ IF DOMAIN pendingLogged = {}
       THEN pending[node].id = 0
       ELSE pending[node].id = pendingLogged.id /\ pending[node].local = pendingLogged.local
    /\ IF DOMAIN batchLogged = {}
       THEN batch[node].up = -1
       ELSE /\ DOMAIN batchLogged = {"up", "oracle", "local", "used"}
            /\ \A f \in DOMAIN batchLogged : batch[node][f] = batchLogged[f]
    /\ last[node] = lastLogged
    /\ UNCHANGED vars

\* A timestamp's issuer is in it, or not, as published. No other process has issued one that
\* names the same. A role that moved to another node has a higher incarnation than that node has
\* restarted.
AssignShown(node, pendingLogged, batchLogged, lastLogged, coordinator, incarnationLogged, borrowed) ==
    /\ IF "NameIssuer" \in Repairs
       THEN coordinator # 0 /\ incarnationLogged > incarnation[node] /\ ~borrowed
       ELSE coordinator = 0 /\ incarnationLogged = 0
    /\ Shown(node, pendingLogged, batchLogged, lastLogged)

\* What is told or cut has ended.
Ended(t) == txn[t].phase = "ended" /\ UNCHANGED vars

Forget(gone) ==
    /\ txn' = [t \in Txns |-> IF t \in gone THEN NotBegun ELSE txn[t]]
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, batch, last, requests, replies>>
=============================================================================
