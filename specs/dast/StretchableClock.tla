--------------------------- MODULE StretchableClock ---------------------------
(***************************************************************************)
(* DAST's dclock: are its timestamps unique, does it never go back, and    *)
(* does a stretched clock stay below the CRT that it waits for while       *)
(* others can still be passed (paper, sections 3.2, 4.2, 4.3; Algorithm 1, *)
(* lines 4 to 9)?                                                          *)
(*                                                                         *)
(* Modelled: system clocks that advance on their own, and may be set back  *)
(* (Steps); the calibration offset; waitQ as a set of timestamps that      *)
(* enter and leave; calibration inside a region and, by half a round trip, *)
(* across regions; CreateTs.                                               *)
(*                                                                         *)
(* Assumed, not checked: a node has one thread that calls CreateTs.        *)
(* Out of scope: who puts what into waitQ (TwoPhaseAnticipation).          *)
(*                                                                         *)
(* Readings: the paper writes timestamps <<time, nid, frac>>, gives the    *)
(* format of hybrid logical clocks as their model, and doesn't say how     *)
(* they are compared. Order "listed" compares the fields as written,       *)
(* "fracFirst" compares time, frac, nid as hybrid logical clocks do.       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* Nodes of one region, by their nid.
    \* @type: Set(Int);
    Node,
    \* How far a system clock may move at once; negative when it is set back.
    \* @type: Set(Int);
    Steps,
    \* Distances from the present at which the anticipated timestamps of CRTs lie.
    \* @type: Set(Int);
    Ahead,
    \* The nid of the manager that anticipates.
    \* @type: Int;
    Manager,
    \* Half of a round trip across regions.
    \* @type: Int;
    HalfRtt,
    \* "listed" or "fracFirst".
    \* @type: Str;
    Order,
    \* Deviations from the published clock.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* Monotone    a timestamp that is not above the last one falls back like  *)
(*             a stretched one: last timestamp, next frac.                 *)
(* FreezeTime  the clock is stretched when its time reaches the time of    *)
(*             waitQ's head (published: when it passes the head).          *)
(* Follow      calibration raises the last timestamp as well, as far as    *)
(*             waitQ allows (published: the offset only).                  *)
(* Climb       a stretched clock goes up to just below waitQ's head        *)
(*             (published: it stays at its last timestamp). With           *)
(*             FreezeTime only.                                            *)
(***************************************************************************)
AllRepairs == {"Monotone", "FreezeTime", "Follow", "Climb"}

VARIABLES
    \* The system clock of each node.
    \* @type: Int -> Int;
    wall,
    \* How far a dclock's time is ahead of its system clock.
    \* @type: Int -> Int;
    offset,
    \* lastTs of each node.
    \* @type: Int -> <<Int, Int, Int>>;
    last,
    \* The timestamps in waitQ of each node.
    \* @type: Int -> Set(<<Int, Int, Int>>);
    waitQ,
    \* Whether each node's clock was below all of waitQ when the newest of it entered.
    \* @type: Int -> Bool;
    below,
    \* Every timestamp made so far.
    \* @type: Set(<<Int, Int, Int>>);
    made,
    \* Some timestamp was made a second time.
    \* @type: Bool;
    repeated,
    \* Some timestamp was not above its maker's one before.
    \* @type: Bool;
    fellBack

\* @type: <<Int -> Int, Int -> Int, Int -> <<Int, Int, Int>>, Int -> Set(<<Int, Int, Int>>), Int -> Bool, Set(<<Int, Int, Int>>), Bool, Bool>>;
vars == <<wall, offset, last, waitQ, below, made, repeated, fellBack>>

\* @type: (<<Int, Int, Int>>, <<Int, Int, Int>>) => Bool;
Less(a, b) ==
    \/ a[1] < b[1]
    \/ /\ a[1] = b[1]
       /\ IF Order = "listed"
          THEN a[2] < b[2] \/ (a[2] = b[2] /\ a[3] < b[3])
          ELSE a[3] < b[3] \/ (a[3] = b[3] /\ a[2] < b[2])

\* A clock at c must not be used because of the entry at of waitQ.
\* @type: (<<Int, Int, Int>>, <<Int, Int, Int>>) => Bool;
Passes(c, at) == IF "FreezeTime" \in Repairs THEN c[1] >= at[1] ELSE Less(at, c)

\* @type: (Int, <<Int, Int, Int>>) => Bool;
Held(n, c) == \E at \in waitQ[n] : Passes(c, at)

Init ==
    /\ wall = [n \in Node |-> 0]
    /\ offset = [n \in Node |-> 0]
    /\ last = [n \in Node |-> <<0, n, 0>>]
    /\ waitQ = [n \in Node |-> {}]
    /\ below = [n \in Node |-> TRUE]
    /\ made = {}
    /\ repeated = FALSE
    /\ fellBack = FALSE

-----------------------------------------------------------------------------

Tick(n, step) ==
    /\ wall[n] + step >= 0
    /\ wall' = [wall EXCEPT ![n] = @ + step]
    /\ UNCHANGED <<offset, last, waitQ, below, made, repeated, fellBack>>

\* The time of waitQ's head.
\* @type: Int => Int;
HeadTime(n) == CHOOSE t \in {at[1] : at \in waitQ[n]} : \A at \in waitQ[n] : t <= at[1]

\* Algorithm 1, lines 4 to 9.
CreateTs(n) ==
    LET clock == wall[n] + offset[n]
        \* @type: () => <<Int, Int, Int>>;
        now == IF "Climb" \in Repairs /\ Held(n, <<clock, n, 0>>) THEN <<HeadTime(n) - 1, n, 0>> ELSE <<clock, n, 0>>
        \* @type: () => <<Int, Int, Int>>;
        ts == IF Held(n, now) \/ ("Monotone" \in Repairs /\ ~Less(last[n], now))
              THEN <<last[n][1], n, last[n][3] + 1>> ELSE now
    IN  /\ last' = [last EXCEPT ![n] = ts]
        /\ made' = made \union {ts}
        /\ repeated' = (repeated \/ ts \in made)
        /\ fellBack' = (fellBack \/ ~Less(last[n], ts))
        /\ UNCHANGED <<wall, offset, waitQ, below>>

\* A CRT anticipated for `ahead` from now is known to node n (Algorithm 2, line 18).
Enter(n, ahead) ==
    LET \* @type: () => <<Int, Int, Int>>;
        at == <<wall[n] + ahead, Manager, 0>>
    IN  /\ waitQ' = [waitQ EXCEPT ![n] = @ \union {at}]
        /\ below' = [below EXCEPT ![n] =
                        (@ \/ waitQ[n] = {}) /\ Less(last[n], at) /\ ("FreezeTime" \in Repairs => last[n][1] < at[1])]
        /\ UNCHANGED <<wall, offset, last, made, repeated, fellBack>>

\* The CRT is committed and its inputs are there.
\* @type: (Int, <<Int, Int, Int>>) => Bool;
Leave(n, at) ==
    /\ at \in waitQ[n]
    /\ waitQ' = [waitQ EXCEPT ![n] = @ \ {at}]
    /\ UNCHANGED <<wall, offset, last, below, made, repeated, fellBack>>

\* A message of a region's node arrives with its clock (4.2): the dclock is to pass it. With Follow the
\* stretched clock passes it as well, as far as waitQ allows.
\* @type: (Int, <<Int, Int, Int>>) => Bool;
CalibrateBy(n, ts) ==
    LET \* @type: () => <<Int, Int, Int>>;
        up == <<ts[1], n, ts[3] + 1>>
    IN  /\ offset' = [offset EXCEPT ![n] = IF wall[n] + @ <= ts[1] THEN ts[1] + 1 - wall[n] ELSE @]
        /\ IF "Follow" \in Repairs /\ Less(last[n], ts) /\ ~Held(n, up)
           THEN last' = [last EXCEPT ![n] = up]
           ELSE UNCHANGED last
        /\ UNCHANGED <<wall, waitQ, below, made, repeated, fellBack>>
Calibrate(n, x) == x # n /\ CalibrateBy(n, last[x])

\* A message of another region arrives, sent at ts (4.3): the dclock passes ts and half a round trip.
CalibrateRemote(n, ts) ==
    /\ offset' = [offset EXCEPT ![n] = IF wall[n] + @ <= ts + HalfRtt THEN ts + HalfRtt + 1 - wall[n] ELSE @]
    /\ UNCHANGED <<wall, last, waitQ, below, made, repeated, fellBack>>

Next ==
    \/ \E n \in Node, step \in Steps : Tick(n, step)
    \/ \E n \in Node : CreateTs(n)
    \/ \E n \in Node, ahead \in Ahead : Enter(n, ahead)
    \/ \E n \in Node : \E at \in waitQ[n] : Leave(n, at)
    \/ \E n, x \in Node : Calibrate(n, x)
    \/ \E n \in Node, ts \in Ahead : CalibrateRemote(n, ts)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

\* 3.2: timestamps are unique.
UniqueInv == ~repeated

\* 4.2, Algorithm 1, line 8: a node's timestamps grow.
MonotonicInv == ~fellBack

\* 3.2, Algorithm 1, line 7: a clock that was below waitQ stays below it.
StretchInv == \A n \in Node : below[n] => \A at \in waitQ[n] : Less(last[n], at)

\* 4.2: a node whose clock is stretched can still pass whatever others of the region stamp before the
\* same CRTs. Two nodes wait for the same CRTs, and the one has heard the other's clock.
PassesStep ==
    [][\A n, x \in Node : Calibrate(n, x) /\ waitQ[n] = waitQ[x] /\ below[n] /\ below[x] =>
          \/ Less(last[x], last'[n])
          \/ ~Held(n, <<wall[n] + offset'[n], n, 0>>)
          \/ \E k \in 1 .. 1 + last[x][3] - last[n][3] : Less(last[x], <<last[n][1], n, last[n][3] + k>>)]_vars

-----------------------------------------------------------------------------
(* Reachability                                                            *)

StretchedReach == \E n \in Node : last[n][3] > 0 /\ waitQ[n] # {} /\ below[n]
ResumedReach == \E n \in Node : last[n][3] = 0 /\ last[n][1] > 1 /\ waitQ[n] = {}
                              /\ \E ts \in made : ts[2] = n /\ ts[3] > 0
=============================================================================
