-------------------------- MODULE TimestampBatching --------------------------
(***************************************************************************)
(* K2-TB: how coordinators turn one timestamp of a TrueTime oracle into a  *)
(* batch of transaction timestamps (K2, sections 4.1 to 4.4).              *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - oracle servers that answer with the upper end of an interval of      *)
(*    width at most 2*Epsilon around the real time (4.2);                  *)
(*  - ordinary servers whose clocks only measure intervals and run fast or *)
(*    slow by at most Drift/Nominal (2.2, 4.2);                            *)
(*  - requests and replies that are lost, duplicated, delayed or reordered *)
(*    (3): both sets only grow and any member may be handled at any time,  *)
(*    any number of times, or never;                                       *)
(*  - coordinators that restart and forget (5.3).                          *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - an oracle out of its bound stops answering (2.2);                    *)
(*  - a clock is monotonic while its server is up.                         *)
(*                                                                         *)
(* Out of scope                                                            *)
(*  - what transactions do between their timestamp and their end (Mvto).   *)
(*                                                                         *)
(* Readings of the prose (figure 6, pseudocode, is not in the text)        *)
(*  - the batch holds base, base+Step, … below base+TTL (TSCount is        *)
(*    TTL \div Step where Step divides TTL);                               *)
(*  - the text does not say to which request a reply belongs: as published *)
(*    any reply is installed with the TTL of the newest request.           *)
(*                                                                         *)
(* Real time is counted in ticks; a local clock in units of which Nominal  *)
(* make one tick.                                                          *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* @type: Set(Str);
    Coordinators,
    \* @type: Set(Int);
    Oracles,
    \* @type: Set(Str);
    Txns,
    \* Half the widest interval an oracle may report, in ticks.
    \* @type: Int;
    Epsilon,
    \* How long a batch may be used, and how far its timestamps reach, in ticks.
    \* @type: Int;
    TTL,
    \* Distance between two timestamps of a batch, in ticks (TBNanoSecStep).
    \* @type: Int;
    Step,
    \* Units of a perfect local clock in one tick.
    \* @type: Int;
    Nominal,
    \* Largest error of a local clock in one tick, in its units: D = Drift/Nominal.
    \* @type: Int;
    Drift,
    \* How far a local clock may move in one tick: a set within Nominal-Drift .. Nominal+Drift.
    \* @type: Set(Int);
    Advances,
    \* How far ahead of real time an oracle's answer may be: a set within 0 .. 2*Epsilon.
    \* @type: Set(Int);
    Errors,
    \* Deviations from the published protocol, see below.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* TieReply       a reply counts only for the request it answers, once.    *)
(* DriftMargin    the TTL is counted by the slowest clock allowed.         *)
(* NameIssuer     a timestamp carries its coordinator and its incarnation, *)
(*                and a coordinator never issues one twice.                *)
(***************************************************************************)
AllRepairs == {"TieReply", "DriftMargin", "NameIssuer"}

VARIABLES
    \* Real time, which no server reads: the yardstick of every claim.
    \* @type: Int;
    now,
    \* Local clocks, which decide when a TTL or a commit wait is over.
    \* @type: Str -> Int;
    clock,
    \* How often each coordinator has restarted: volatile state is younger.
    \* @type: Str -> Int;
    incarnation,
    \* Requests sent so far, to give each a number.
    \* @type: Str -> Int;
    sent,
    \* The request a coordinator waits for: when its TTL began.
    \* @type: Str -> { id: Int, local: Int, real: Int };
    pending,
    \* The batch in use; used counts the timestamps taken from it.
    \* @type: Str -> { up: Int, oracle: Int, local: Int, real: Int, used: Int };
    batch,
    \* The newest timestamp a coordinator issued since it started.
    \* @type: Str -> Int;
    last,
    \* Requests in the network.
    \* @type: Set({ coordinator: Str, id: Int, real: Int });
    requests,
    \* Replies in the network; since is the real time of the request, for proofs only.
    \* @type: Set({ coordinator: Str, id: Int, oracle: Int, up: Int, since: Int });
    replies,
    \* What happened to each transaction: where, when, with which timestamp.
    \* @type: Str -> { phase: Str, coordinator: Str, incarnation: Int, begun: Int, ts: Int, oracle: Int, local: Int, real: Int, ended: Int };
    txn

\* @type: <<Int, Str -> Int, Str -> Int, Str -> Int, Str -> { id: Int, local: Int, real: Int }, Str -> { up: Int, oracle: Int, local: Int, real: Int, used: Int }, Str -> Int, Set({ coordinator: Str, id: Int, real: Int }), Set({ coordinator: Str, id: Int, oracle: Int, up: Int, since: Int }), Str -> { phase: Str, coordinator: Str, incarnation: Int, begun: Int, ts: Int, oracle: Int, local: Int, real: Int, ended: Int }>>;
vars == <<now, clock, incarnation, sent, pending, batch, last, requests, replies, txn>>

NoRequest == [id |-> 0, local |-> 0, real |-> 0]
NoBatch == [up |-> -1, oracle |-> 0, local |-> 0, real |-> 0, used |-> 0]
NotBegun == [phase |-> "idle", coordinator |-> "", incarnation |-> 0, begun |-> 0, ts |-> 0,
             oracle |-> 0, local |-> 0, real |-> 0, ended |-> 0]

Init ==
    /\ now = 0
    /\ clock = [c \in Coordinators |-> 0]
    /\ incarnation = [c \in Coordinators |-> 0]
    /\ sent = [c \in Coordinators |-> 0]
    /\ pending = [c \in Coordinators |-> NoRequest]
    /\ batch = [c \in Coordinators |-> NoBatch]
    /\ last = [c \in Coordinators |-> -1]
    /\ requests = {}
    /\ replies = {}
    /\ txn = [t \in Txns |-> NotBegun]

-----------------------------------------------------------------------------
(* Time                                                                    *)

\* The local units in which a timer of n ticks must be set so that n ticks have
\* passed when it fires, whatever the clock does (the factor 1+D of 4.2).
WaitAtLeast(n) == n * (Nominal + Drift)

\* The local units after which at most n ticks have passed. The text counts the
\* TTL without a margin.
WaitAtMost(n) == n * (IF "DriftMargin" \in Repairs THEN Nominal - Drift ELSE Nominal)

CommitWait == WaitAtLeast(2 * (TTL + Epsilon))

\* One tick passes. advance tells how far each local clock moves.
\* @type: (Str -> Int) => Bool;
Tick(advance) ==
    /\ now' = now + 1
    /\ \A c \in Coordinators : advance[c] \in Nominal - Drift .. Nominal + Drift
    /\ clock' = [c \in Coordinators |-> clock[c] + advance[c]]
    /\ UNCHANGED <<incarnation, sent, pending, batch, last, requests, replies, txn>>

-----------------------------------------------------------------------------
(* Batches (4.3, TSBatch)                                                  *)

\* The coordinator starts the TTL and then asks an oracle. A newer request replaces
\* an older one, which may still be answered: this is also the retransmission.
RequestBatch(c) ==
    LET id == sent[c] + 1 IN
    /\ sent' = [sent EXCEPT ![c] = id]
    /\ pending' = [pending EXCEPT ![c] = [id |-> id, local |-> clock[c], real |-> now]]
    /\ requests' = requests \union {[coordinator |-> c, id |-> id, real |-> now]}
    /\ UNCHANGED <<now, clock, incarnation, batch, last, replies, txn>>

\* An oracle answers with the upper end of its interval, error ticks ahead of real time.
\* @type: (Int, { coordinator: Str, id: Int, real: Int }, Int) => Bool;
OracleReply(o, q, error) ==
    /\ q \in requests
    /\ error \in 0 .. 2 * Epsilon
    /\ replies' = replies \union {[coordinator |-> q.coordinator, id |-> q.id, oracle |-> o,
                                   up |-> now + error, since |-> q.real]}
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, batch, last, requests, txn>>

\* A reply arrives and becomes the batch in use.
\* @type: ({ coordinator: Str, id: Int, oracle: Int, up: Int, since: Int }) => Bool;
InstallBatch(r) ==
    LET c == r.coordinator IN
    /\ r \in replies
    /\ pending[c] # NoRequest
    /\ "TieReply" \in Repairs => r.id = pending[c].id
    /\ batch' = [batch EXCEPT ![c] = [up |-> r.up, oracle |-> r.oracle, local |-> pending[c].local,
                                      real |-> pending[c].real, used |-> 0]]
    /\ pending' = IF "TieReply" \in Repairs THEN [pending EXCEPT ![c] = NoRequest] ELSE pending
    /\ UNCHANGED <<now, clock, incarnation, sent, last, requests, replies, txn>>

\* The timestamp that the batch of c gives next.
NextTs(c) ==
    LET base == batch[c].up + TTL + batch[c].used * Step
    IN IF "NameIssuer" \in Repairs /\ base <= last[c] THEN last[c] + Step ELSE base

\* 4.3: the TTL has not expired and the batch is not used up.
Usable(c) ==
    /\ batch[c] # NoBatch
    /\ clock[c] - batch[c].local < WaitAtMost(TTL)
    /\ NextTs(c) < batch[c].up + 2 * TTL

-----------------------------------------------------------------------------
(* Transactions                                                            *)

\* A client hands its transaction to a coordinator.
Begin(t, c) ==
    /\ txn[t] = NotBegun
    /\ txn' = [txn EXCEPT ![t] = [NotBegun EXCEPT !.phase = "begun", !.coordinator = c,
                                  !.incarnation = incarnation[c], !.begun = now]]
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, batch, last, requests, replies>>

\* The coordinator takes a timestamp from its batch; the commit wait starts here.
Assign(t) ==
    LET c == txn[t].coordinator
        ts == NextTs(c) IN
    /\ txn[t].phase = "begun"
    /\ txn[t].incarnation = incarnation[c]
    /\ Usable(c)
    /\ txn' = [txn EXCEPT ![t].phase = "running", ![t].ts = ts, ![t].oracle = batch[c].oracle,
                          ![t].local = clock[c], ![t].real = now]
    /\ batch' = [batch EXCEPT ![c].used = (ts - (batch[c].up + TTL)) \div Step + 1]
    /\ last' = [last EXCEPT ![c] = ts]
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, requests, replies>>

\* The commit wait is over and the client is told.
End(t) ==
    LET c == txn[t].coordinator IN
    /\ txn[t].phase = "running"
    /\ txn[t].incarnation = incarnation[c]
    /\ clock[c] - txn[t].local >= CommitWait
    /\ txn' = [txn EXCEPT ![t].phase = "ended", ![t].ended = now]
    /\ UNCHANGED <<now, clock, incarnation, sent, pending, batch, last, requests, replies>>

\* A coordinator fails and starts again, with nothing of what it held. Its
\* transactions never end. Request numbers go on: they carry the incarnation.
RestartCoordinator(c) ==
    /\ incarnation' = [incarnation EXCEPT ![c] = @ + 1]
    /\ pending' = [pending EXCEPT ![c] = NoRequest]
    /\ batch' = [batch EXCEPT ![c] = NoBatch]
    /\ last' = [last EXCEPT ![c] = -1]
    /\ UNCHANGED <<now, clock, sent, requests, replies, txn>>

Next ==
    \/ \E advance \in [Coordinators -> Advances] : Tick(advance)
    \/ \E c \in Coordinators : RequestBatch(c)
    \/ \E o \in Oracles, q \in requests, error \in Errors : OracleReply(o, q, error)
    \/ \E r \in replies : InstallBatch(r)
    \/ \E t \in Txns, c \in Coordinators : Begin(t, c)
    \/ \E t \in Txns : Assign(t)
    \/ \E t \in Txns : End(t)
    \/ \E c \in Coordinators : RestartCoordinator(c)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

HasTs(t) == txn[t].phase \in {"running", "ended"}

\* Property 4.1, left half: abs(start) < ts.
StartBeforeTsInv == \A t \in Txns : HasTs(t) => txn[t].begun < txn[t].ts

\* Property 4.1, right half: ts < abs(end).
TsBeforeEndInv == \A t \in Txns : txn[t].phase = "ended" => txn[t].ts < txn[t].ended

Prop41Inv == StartBeforeTsInv /\ TsBeforeEndInv

\* Invariant 4.1: real-time order implies timestamp order.
Inv41Inv == \A t, u \in Txns :
    txn[t].phase = "ended" /\ HasTs(u) /\ txn[t].ended < txn[u].begun => txn[t].ts < txn[u].ts

\* 4.3: timestamps are totally ordered, the oracle's id breaking ties; with the
\* repair the issuer breaks them.
\* @type: (Str) => <<Int, Int, Str, Int>>;
Key(t) == IF "NameIssuer" \in Repairs
          THEN <<txn[t].ts, txn[t].oracle, txn[t].coordinator, txn[t].incarnation>>
          ELSE <<txn[t].ts, txn[t].oracle, "", 0>>
TotalOrderInv == \A t, u \in Txns : HasTs(t) /\ HasTs(u) /\ t # u => Key(t) # Key(u)

-----------------------------------------------------------------------------
(* Reachability: the model is not vacuous                                  *)

TwoFromOneBatchReach == \E t, u \in Txns : t # u /\ HasTs(t) /\ HasTs(u)
    /\ txn[t].coordinator = txn[u].coordinator /\ txn[t].ts # txn[u].ts
    /\ \E c \in Coordinators : batch[c].used = 2
EqualTsReach == \E t, u \in Txns : t # u /\ HasTs(t) /\ HasTs(u) /\ txn[t].ts = txn[u].ts
OrderedPairReach == \E t, u \in Txns :
    txn[t].phase = "ended" /\ HasTs(u) /\ txn[t].ended < txn[u].begun
\* A newer batch begins below what was already issued.
OverlapReach == \E c \in Coordinators :
    batch[c] # NoBatch /\ batch[c].up + TTL + batch[c].used * Step <= last[c] /\ Usable(c)
ExpiredReach == \E c \in Coordinators : batch[c] # NoBatch /\ ~Usable(c) /\ batch[c].used = 0
=============================================================================
