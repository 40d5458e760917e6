---------------------------- MODULE RecoveryFloor ----------------------------
(***************************************************************************)
(* K2: how a recovered data node obtains the floor of its read trackers    *)
(* (5.3, and the repair ReadFloor of Mvto, which assumes a good one).      *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - a data node that serves one key, with a read tracker that it keeps   *)
(*    in memory; what is written is in shared storage;                     *)
(*  - it is suspected, rightly or not, and goes on serving until its lease *)
(*    ends; the new node serves after that lease and a commit wait;        *)
(*  - the new node asks for a timestamp, as a transaction would, and       *)
(*    starts its tracker there;                                            *)
(*  - transactions whose timestamps lie ahead of real time, and which stay *)
(*    in flight as long as they like. The new node is suspected as well.   *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - Property 4.1 (TimestampBatching): a timestamp lies after the real    *)
(*    time at which it is asked for, and at most Lead, the commit wait,    *)
(*    ahead of that at which it is given;                                  *)
(*  - the lease protocol (5.3: orthogonal): the new node knows a time at   *)
(*    which the old one serves no more.                                    *)
(*                                                                         *)
(* Out of scope: several keys (a floor is one for all keys of a node);     *)
(* decisions: every write here is committed, and a read waits for none.    *)
(*                                                                         *)
(* Readings: none. The floor is a repair: the text has none.               *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    \* @type: Set(TXN);
    Txns,
    \* Stands for the initial value.
    \* @type: TXN;
    NoTxn,
    \* How far ahead of real time a timestamp may be when it is given; the commit wait.
    \* @type: Int;
    Lead,
    \* For how long at most a suspected node goes on serving.
    \* @type: Int;
    Lease,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* ReadFloor       the new node's tracker starts at the floor, not at zero.*)
(* FloorAfterLease the floor is asked for when the old lease is over.      *)
(* FloorAfterWait  it is asked for after a commit wait as well.            *)
(***************************************************************************)
AllRepairs == {"ReadFloor", "FloorAfterLease", "FloorAfterWait"}

VARIABLES
    \* Real time, in ticks.
    \* @type: Int;
    now,
    \* The timestamp of each transaction, 0 before it has one.
    \* @type: TXN -> Int;
    ts,
    \* The writers whose versions are in shared storage.
    \* @type: Set(TXN);
    versions,
    \* What each transaction read, itself where it read nothing.
    \* @type: TXN -> TXN;
    read,
    \* The read tracker of the node that serves, or served last. Volatile.
    \* @type: Int;
    tracker,
    \* When the lease of a suspected node ends, -1 where none is suspected.
    \* @type: Int;
    leaseEnd,
    \* The floor that the new node was given, 0 before.
    \* @type: Int;
    floor

vars == <<now, ts, versions, read, tracker, leaseEnd, floor>>

Init ==
    /\ now = 0
    /\ ts = [t \in Txns |-> 0]
    /\ versions = {}
    /\ read = [t \in Txns |-> t]
    /\ tracker = 0
    /\ leaseEnd = -1
    /\ floor = 0

Tick ==
    /\ now' = now + 1
    /\ UNCHANGED <<ts, versions, read, tracker, leaseEnd, floor>>

\* No two timestamps are equal.
Fresh(n) == n \in now + 1 .. now + Lead /\ n # floor /\ \A t \in Txns : ts[t] # n

Begin(t, n) ==
    /\ ts[t] = 0 /\ Fresh(n)
    /\ ts' = [ts EXCEPT ![t] = n]
    /\ UNCHANGED <<now, versions, read, tracker, leaseEnd, floor>>

\* A node serves until it is suspected, and then to the end of its lease.
Serves == leaseEnd = -1 \/ now < leaseEnd

TsOf(t) == IF t = NoTxn THEN 0 ELSE ts[t]
Below(n) == {w \in versions : ts[w] < n} \union {NoTxn}
Newest(n) == CHOOSE w \in Below(n) : \A u \in Below(n) : TsOf(u) <= TsOf(w)

Read(t) ==
    /\ Serves
    /\ ts[t] # 0 /\ read[t] = t /\ t \notin versions
    /\ read' = [read EXCEPT ![t] = Newest(ts[t])]
    /\ tracker' = IF ts[t] > tracker THEN ts[t] ELSE tracker
    /\ UNCHANGED <<now, ts, versions, leaseEnd, floor>>

\* A write below the tracker is refused.
Write(t) ==
    /\ Serves
    /\ ts[t] # 0 /\ read[t] = t /\ t \notin versions
    /\ ts[t] >= tracker
    /\ versions' = versions \union {t}
    /\ UNCHANGED <<now, ts, read, tracker, leaseEnd, floor>>

\* The node is suspected, rightly or not; e is when its lease ends.
Suspect(e) ==
    /\ leaseEnd = -1
    /\ e \in now .. now + Lease
    /\ leaseEnd' = e
    /\ floor' = 0
    /\ UNCHANGED <<now, ts, versions, read, tracker>>

\* The new node asks for its floor.
TakeFloor(n) ==
    /\ leaseEnd # -1 /\ floor = 0 /\ Fresh(n)
    /\ "FloorAfterLease" \in Repairs => now >= leaseEnd
    /\ "FloorAfterWait" \in Repairs => now >= leaseEnd + Lead
    /\ floor' = n
    /\ UNCHANGED <<now, ts, versions, read, tracker, leaseEnd>>

\* The new node begins to serve, after the old lease and a commit wait in any case.
TakeOver ==
    /\ leaseEnd # -1 /\ now >= leaseEnd + Lead
    /\ "ReadFloor" \in Repairs => floor # 0
    /\ tracker' = IF "ReadFloor" \in Repairs THEN floor ELSE 0
    /\ leaseEnd' = -1
    /\ UNCHANGED <<now, ts, versions, read, floor>>

Next ==
    \/ Tick
    \/ \E t \in Txns, n \in now + 1 .. now + Lead : Begin(t, n)
    \/ \E t \in Txns : Read(t)
    \/ \E t \in Txns : Write(t)
    \/ \E e \in now .. now + Lease : Suspect(e)
    \/ \E n \in now + 1 .. now + Lead : TakeFloor(n)
    \/ TakeOver

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

\* Invariant 5.1: a read misses no version below its timestamp.
ReadOrderInv == \A t \in Txns : read[t] # t =>
    \A w \in versions : ts[w] < ts[t] => ts[w] <= TsOf(read[t])

\* What Mvto assumes: no read that was served is above the floor of the node that serves.
GoodFloorInv == ("ReadFloor" \in Repairs /\ floor # 0) => \A t \in Txns : read[t] # t =>
    (leaseEnd # -1 => ts[t] <= floor)

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A read is served by a suspected node, and the new node accepts a write above it.
LateReadReach == leaseEnd = -1 /\ floor # 0 /\ tracker = floor
                 /\ \E t, w \in Txns : read[t] # t /\ ts[t] > now - Lead - 1 /\ w \in versions /\ ts[w] > floor
\* A new node refuses a write that no read forbids: the price of a floor.
RefusedReach == leaseEnd = -1 /\ \E t \in Txns : ts[t] # 0 /\ ts[t] < tracker /\ tracker = floor
=============================================================================
