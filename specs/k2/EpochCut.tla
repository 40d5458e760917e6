------------------------------- MODULE EpochCut -------------------------------
(***************************************************************************)
(* How a node decides that an epoch is over (K2, section 6.3, steps 1 to 8 *)
(* of Figure 12, which is not in the text).                                *)
(*                                                                         *)
(* Modelled: a node that counts the interval with its own clock, asks for  *)
(* a K2-TB timestamp, compares it with the promised end of the epoch,      *)
(* waits out the timestamp's uncertainty and cuts. The node takes the      *)
(* timestamp exactly as a transaction does, and its commit wait is the     *)
(* waiting out: the steps of TimestampBatching are reused, each attempt    *)
(* being one of Txns. One cut ends every epoch whose promised end lies     *)
(* before the timestamp, so a node that was away has one to make.          *)
(*                                                                         *)
(* Assumed, not checked: epochs are counted from real time 0.              *)
(* Out of scope: what the cut is for (EpochVisibility).                    *)
(* Readings: the first epoch begins at real time 0 on every node (6.3).    *)
(* The text ends one epoch a cut, and sets a timer that is over already    *)
(* where the next one has ended too: the same epochs, a cut for each.      *)
(***************************************************************************)
EXTENDS TimestampBatching

CONSTANTS
    \* Length of an epoch, in ticks.
    \* @type: Int;
    Interval,
    \* Does the timer keep its length? If not it may go off at any time, and only the
    \* comparison with the timestamp protects the epoch's end.
    \* @type: Bool;
    TimerKept,
    \* Does the node compare the timestamp with the promised end (6.3, step 4)?
    \* @type: Bool;
    Compared

VARIABLES
    \* The node's epoch, its timer and the attempt under way ("" for none); cutAt is
    \* the real time of its last cut.
    \* @type: Str -> { epoch: Int, due: Int, attempt: Str, cutAt: Int };
    cut

cutVars == <<vars, cut>>

\* The promised end of epoch n.
Promised(n) == n * Interval

\* The epoch that begins with a cut: the first whose promised end is not before the
\* timestamp. A node that does not compare ends its epoch whatever the timestamp is.
After(n, ts) ==
    LET ceiling == (ts + Interval - 1) \div Interval IN
    IF ceiling > n THEN ceiling ELSE n + 1

CutInit ==
    /\ Init
    /\ cut = [c \in Coordinators |-> [epoch |-> 1, due |-> WaitAtLeast(Interval), attempt |-> "", cutAt |-> 0]]

\* The timer is over: the node asks for a timestamp.
TimerExpires(t, c) ==
    /\ cut[c].attempt = ""
    /\ TimerKept => clock[c] >= cut[c].due
    /\ Begin(t, c)
    /\ cut' = [cut EXCEPT ![c].attempt = t]

\* The timestamp is not after the promised end: another, shorter wait.
TooEarly(t, c) ==
    /\ cut[c].attempt = t /\ t # ""
    /\ txn[t].phase = "running"
    /\ txn[t].ts <= Promised(cut[c].epoch)
    /\ cut' = [cut EXCEPT ![c].attempt = "",
                          ![c].due = clock[c] + WaitAtLeast(Promised(cut[c].epoch) - txn[t].ts)]
    /\ UNCHANGED vars

\* The timestamp is after the promised end and its uncertainty has been waited out. What
\* was written since the last cut is in the first of the epochs that end; the others are empty.
CutEpoch(t, c) ==
    /\ cut[c].attempt = t /\ t # ""
    /\ txn[t].phase = "running"
    /\ Compared => txn[t].ts > Promised(cut[c].epoch)
    /\ End(t)
    /\ LET next == After(cut[c].epoch, txn[t].ts) IN
       cut' = [cut EXCEPT ![c] = [epoch |-> next, attempt |-> "", cutAt |-> now,
                                  due |-> clock[c] + WaitAtLeast(Promised(next) - txn[t].ts)]]

\* The node restarts: its epoch is in its log, its timer and its attempt are gone.
RestartNode(c) ==
    /\ RestartCoordinator(c)
    /\ cut' = [cut EXCEPT ![c].attempt = "", ![c].due = clock[c]]

CutNext ==
    \/ \E advance \in [Coordinators -> Advances] : Tick(advance) /\ UNCHANGED cut
    \/ \E c \in Coordinators : RequestBatch(c) /\ UNCHANGED cut
    \/ \E o \in Oracles, q \in requests, error \in Errors : OracleReply(o, q, error) /\ UNCHANGED cut
    \/ \E r \in replies : InstallBatch(r) /\ UNCHANGED cut
    \/ \E t \in Txns : Assign(t) /\ UNCHANGED cut
    \/ \E t \in Txns, c \in Coordinators : TimerExpires(t, c)
    \/ \E t \in Txns, c \in Coordinators : TooEarly(t, c)
    \/ \E t \in Txns, c \in Coordinators : CutEpoch(t, c)
    \/ \E c \in Coordinators : RestartNode(c)

CutSpec == CutInit /\ [][CutNext]_cutVars

\* Property 6.1: a node cuts an epoch after its promised end. Of several at once, the last
\* ends last.
Prop61Inv == \A c \in Coordinators : cut[c].epoch > 1 => Promised(cut[c].epoch - 1) < cut[c].cutAt

\* A node cuts, and goes on to cut again.
CutsMade == Cardinality({t \in Txns : txn[t].phase = "ended"})
SecondCutReach == \E c \in Coordinators : cut[c].epoch > 2 /\ CutsMade = 2

\* A node ends two epochs with its first cut.
TwoAtOnceReach == \E c \in Coordinators : cut[c].epoch > 2 /\ CutsMade = 1

TooEarlyReach == \E c \in Coordinators : cut[c].attempt = "" /\ cut[c].epoch = 1
                    /\ \E t \in Txns : txn[t].phase = "running"
=============================================================================
