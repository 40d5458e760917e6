------------------------------ MODULE CommitWait ------------------------------
(***************************************************************************)
(* K2: who has to wait out the commit wait, and before what (4.4, 5.2):    *)
(* transactions that only read, at the primaries.                          *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - transactions that read and write at the primaries, by the rules of   *)
(*    Mvto in one step each; a transaction that only reads has no recorder;*)
(*  - the commit wait of a writer, before the decision or only before the  *)
(*    client is told; that of a reader, or none.                           *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - the left half of Property 4.1, and its bound (TimestampBatching): a  *)
(*    timestamp lies after the real time at which it is asked for, at most *)
(*    Lead ahead. The right half is what the wait is for.                  *)
(*                                                                         *)
(* Out of scope: failures (Mvto): none changes who waits.                  *)
(*                                                                         *)
(* Readings: 4.4 speaks of every transaction and of the time before it     *)
(* commits; 5.2 speaks of read-write transactions alone. WaitBefore and    *)
(* ReadersWait choose.                                                     *)
(***************************************************************************)
EXTENDS ClientHistory

CONSTANTS
    \* @type: Set(TXN);
    Txns,
    \* The transactions that only read.
    \* @type: Set(TXN);
    ReadOnly,
    \* @type: Set(KEY);
    Keys,
    \* Stands for the initial value of every key.
    \* @type: TXN;
    NoTxn,
    \* How far ahead of real time a timestamp may be when it is given.
    \* @type: Int;
    Lead,
    \* "decision" or "answer": what a writer does only after its commit wait.
    \* @type: Str;
    WaitBefore,
    \* Does a transaction that only reads wait before its client is told?
    \* @type: Bool;
    ReadersWait

VARIABLES
    \* Real time, in ticks.
    \* @type: Int;
    now,
    \* The timestamp of each transaction, 0 before it has one.
    \* @type: TXN -> Int;
    ts,
    \* What each transaction read and wrote.
    \* @type: TXN -> { reads: Set(<<KEY, TXN>>), writes: Set(KEY) };
    txn,
    \* Read tracker of each key.
    \* @type: KEY -> Int;
    tracker,
    \* The transactions that their recorders committed.
    \* @type: Set(TXN);
    decided,
    \* Clients that were told, in order.
    \* @type: Seq(TXN);
    told,
    \* How many were told before this one's client began.
    \* @type: TXN -> Int;
    seen

vars == <<now, ts, txn, tracker, decided, told, seen>>

Told == {told[i] : i \in DOMAIN told}

Init ==
    /\ now = 0
    /\ ts = [t \in Txns |-> 0]
    /\ txn = [t \in Txns |-> [reads |-> {}, writes |-> {}]]
    /\ tracker = [k \in Keys |-> 0]
    /\ decided = {}
    /\ told = << >>
    /\ seen = [t \in Txns |-> 0]

Tick ==
    /\ now' = now + 1
    /\ UNCHANGED <<ts, txn, tracker, decided, told, seen>>

Begin(t, n) ==
    /\ ts[t] = 0 /\ \A u \in Txns : ts[u] # n
    /\ ts' = [ts EXCEPT ![t] = n]
    /\ seen' = [seen EXCEPT ![t] = Len(told)]
    /\ UNCHANGED <<now, txn, tracker, decided, told>>

Running(t) == ts[t] # 0 /\ t \notin decided /\ t \notin Told
TsOf(w) == IF w = NoTxn THEN 0 ELSE ts[w]
Below(k, n) == {w \in Txns : k \in txn[w].writes /\ ts[w] < n} \union {NoTxn}

\* The newest version below the timestamp, once it is decided.
Read(t, k) ==
    LET w == CHOOSE w \in Below(k, ts[t]) : \A u \in Below(k, ts[t]) : TsOf(u) <= TsOf(w) IN
    /\ Running(t) /\ k \notin txn[t].writes /\ \A r \in txn[t].reads : r[1] # k
    /\ w # NoTxn => w \in decided
    /\ txn' = [txn EXCEPT ![t].reads = @ \union {<<k, w>>}]
    /\ tracker' = [tracker EXCEPT ![k] = IF ts[t] > @ THEN ts[t] ELSE @]
    /\ UNCHANGED <<now, ts, decided, told, seen>>

\* A write below the read tracker is refused, and its transaction gets no further.
Write(t, k) ==
    /\ Running(t) /\ t \notin ReadOnly /\ k \notin txn[t].writes
    /\ ts[t] >= tracker[k]
    /\ txn' = [txn EXCEPT ![t].writes = @ \union {k}]
    /\ UNCHANGED <<now, ts, tracker, decided, told, seen>>

\* 5.2, phase 2: the recorder stores the decision, and readers may see it.
Decide(t) ==
    /\ Running(t) /\ txn[t].writes # {}
    /\ WaitBefore = "decision" => now > ts[t]
    /\ decided' = decided \union {t}
    /\ UNCHANGED <<now, ts, txn, tracker, told, seen>>

\* The client of a transaction that wrote is told.
TellWriter(t) ==
    /\ t \in decided /\ t \notin Told
    /\ now > ts[t]
    /\ told' = Append(told, t)
    /\ UNCHANGED <<now, ts, txn, tracker, decided, seen>>

\* The client of a transaction that only read is told; no recorder knows of it.
TellReader(t) ==
    /\ t \in ReadOnly /\ Running(t) /\ txn[t].reads # {}
    /\ ReadersWait => now > ts[t]
    /\ told' = Append(told, t)
    /\ UNCHANGED <<now, ts, txn, tracker, decided, seen>>

Next ==
    \/ Tick
    \/ \E t \in Txns, n \in now + 1 .. now + Lead : Begin(t, n)
    \/ \E t \in Txns, k \in Keys : Read(t, k)
    \/ \E t \in Txns, k \in Keys : Write(t, k)
    \/ \E t \in Txns : Decide(t)
    \/ \E t \in Txns : TellWriter(t)
    \/ \E t \in Txns : TellReader(t)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

Before == UNION {{<<told[i], u>> : i \in 1 .. seen[u]} : u \in Txns}

\* 3: strict serializability, as clients see it.
StrictSerializabilityInv == Told # {} =>
    StrictSerializable(Told, decided \ Told, [t \in Txns |-> txn[t].reads], [t \in Txns |-> txn[t].writes],
                       NoTxn, Before)

\* Invariant 4.1, which readers that do not wait give up.
RealTimeInv == \A p \in Before : ts[p[1]] < ts[p[2]]

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A reader's client is told before the reader's timestamp has come.
EarlyReach == \E i \in DOMAIN told : told[i] \in ReadOnly /\ ts[told[i]] >= now
\* One transaction reads from another, and a third begins after that and has a smaller timestamp.
OvertakenReach == \E t, u \in Txns : <<t, u>> \in Before /\ ts[u] < ts[t] /\ txn[u].reads \union {} # {}
                                     /\ \E r \in txn[t].reads : r[2] # NoTxn
=============================================================================
