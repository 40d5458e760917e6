------------------------- MODULE ParticipantFailover -------------------------
(***************************************************************************)
(* DAST's views in a region that only takes part in a CRT (paper, sections *)
(* 4.3 to 4.5; Algorithms 2 to 4): does the CRT survive changes of members *)
(* there, while its coordinator, in another region, is well?               *)
(*                                                                         *)
(* Modelled: the replicas of one shard in one region, all its members; a   *)
(* CRT that a coordinator elsewhere sends them, with votes, the commit and *)
(* what members tell each other of it; one IRT of the region; execution by *)
(* PCT; removal of members, and new replicas with a checkpoint.            *)
(*                                                                         *)
(* A change of the view is one step here, answered by all members who stay *)
(* (Failover has its steps). A timestamp is a time: the CRT's is CrtAt,    *)
(* the IRT's IrtAt. A clock message is one step; it carries what its       *)
(* sender has of both transactions (4.2, 4.3).                             *)
(*                                                                         *)
(* Channels: votes and the commit are late as long as one likes, or lost.  *)
(*                                                                         *)
(* Assumed, not checked: 4.6's timing condition for the first prepare (a   *)
(* member whose clock has passed CrtAt does not vote; TwoPhaseAnticipation *)
(* has what happens without); a new replica's clock starts above what was  *)
(* executed, and a removal commits the IRTs of those who stay (repairs     *)
(* AddVote and ReportOwn of Failover).                                     *)
(*                                                                         *)
(* Out of scope: the steps of a change of the view (Failover); failures of *)
(* the CRT's own region.                                                   *)
(*                                                                         *)
(* Readings: a checkpoint is the state that was executed (Algorithm 4,     *)
(* line 11), and the IRTs that wait; CRTs that wait are not in it.         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    \* The members at the start.
    \* @type: Set(Int);
    Member,
    \* Nodes that may be added.
    \* @type: Set(Int);
    Spare,
    \* Votes that the coordinator needs of this shard: f+1.
    \* @type: Int;
    Majority,
    \* The coordinator of the IRT.
    \* @type: Int;
    IrtCoord,
    \* The CRT's timestamp, anticipated and committed.
    \* @type: Int;
    CrtAt,
    \* The IRT's timestamp, later than the CRT's.
    \* @type: Int;
    IrtAt,
    \* Readings of clocks.
    \* @type: Set(Int);
    Times,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* ReportPart  members report the CRTs that they take part in when a view  *)
(*             changes; everybody who stays, and who is added, has them.   *)
(* ViewVotes   a vote counts with votes of the same view alone; members    *)
(*             vote again in a new view.                                   *)
(***************************************************************************)
AllRepairs == {"ReportPart", "ViewVotes"}
ASSUME Repairs \subseteq AllRepairs

VARIABLES
    \* The members of the present view.
    \* @type: Set(Int);
    members,
    \* How often the view has changed.
    \* @type: Int;
    view,
    \* Each node's clock.
    \* @type: Int -> Int;
    clock,
    \* maxTs.
    \* @type: Int -> (Int -> Int);
    max,
    \* The CRT at each node: none, prepared, committed.
    \* @type: Int -> Str;
    crt,
    \* Votes that were sent: node and view.
    \* @type: Set(<<Int, Int>>);
    votes,
    \* Has the coordinator committed?
    \* @type: Bool;
    decided,
    \* Has the IRT a timestamp?
    \* @type: Bool;
    stamped,
    \* The IRT at each node: none, prepared, committed.
    \* @type: Int -> Str;
    irt,
    \* What each node has executed, in order: "crt", "irt".
    \* @type: Int -> Seq(Str);
    log

vars == <<members, view, clock, max, crt, votes, decided, stamped, irt, log>>
Node == Member \union Spare

Init ==
    /\ members = Member
    /\ view = 0
    /\ clock = [n \in Node |-> 0]
    /\ max = [n \in Node |-> [x \in Node |-> 0]]
    /\ crt = [n \in Node |-> "none"]
    /\ votes = {}
    /\ decided = FALSE
    /\ stamped = FALSE
    /\ irt = [n \in Node |-> "none"]
    /\ log = [n \in Node |-> <<>>]

Executed(n, t) == \E i \in DOMAIN log[n] : log[n][i] = t
\* A clock stays below a CRT that is prepared (4.2, 4.3), or where it was when a change of the view brought the CRT.
May(n, time) == time >= clock[n] /\ (crt[n] = "prepared" => time < CrtAt \/ time = clock[n])
Better(a, b) == IF a = "committed" \/ b = "none" THEN a ELSE b

\* Algorithm 2, lines 17 to 20; with ViewVotes again in every view.
Prepare(n) ==
    /\ n \in members
    /\ \/ crt[n] = "none" /\ clock[n] < CrtAt
       \/ crt[n] = "prepared" /\ "ViewVotes" \in Repairs
    /\ <<n, view>> \notin votes
    /\ crt' = [crt EXCEPT ![n] = "prepared"]
    /\ votes' = votes \union {<<n, view>>}
    /\ UNCHANGED <<members, view, clock, max, decided, stamped, irt, log>>

\* Line 7: the coordinator has votes of a majority.
Decide ==
    /\ ~decided
    /\ IF "ViewVotes" \in Repairs
       THEN \E v \in 0 .. view : Cardinality({p \in votes : p[2] = v}) >= Majority
       ELSE Cardinality({p[1] : p \in votes}) >= Majority
    /\ decided' = TRUE
    /\ UNCHANGED <<members, view, clock, max, crt, votes, stamped, irt, log>>

\* Lines 21 to 26. The commit may reach a node that never had the CRT.
HandleCommit(n) ==
    /\ decided /\ n \in members /\ crt[n] # "committed"
    /\ crt' = [crt EXCEPT ![n] = "committed"]
    /\ UNCHANGED <<members, view, clock, max, votes, decided, stamped, irt, log>>

\* Algorithm 1, for the one IRT.
CoordIrt ==
    /\ IrtCoord \in members /\ ~stamped /\ IrtAt > clock[IrtCoord] /\ May(IrtCoord, IrtAt)
    /\ stamped' = TRUE
    /\ clock' = [clock EXCEPT ![IrtCoord] = IrtAt]
    /\ irt' = [irt EXCEPT ![IrtCoord] = "prepared"]
    /\ UNCHANGED <<members, view, max, crt, votes, decided, log>>

\* Nobody takes what a node that was removed asks for.
PrepareIrt(n) ==
    /\ stamped /\ {n, IrtCoord} \subseteq members /\ irt[n] = "none"
    /\ irt' = [irt EXCEPT ![n] = "prepared"]
    /\ UNCHANGED <<members, view, clock, max, crt, votes, decided, stamped, log>>

CommitIrt ==
    /\ irt[IrtCoord] = "prepared"
    /\ Cardinality({n \in members \union {IrtCoord} : irt[n] # "none"}) >= Majority
    /\ irt' = [irt EXCEPT ![IrtCoord] = "committed"]
    /\ UNCHANGED <<members, view, clock, max, crt, votes, decided, stamped, log>>

\* x's clock, now at time, reaches n, with x's IRT and the CRTs that x has committed (4.3).
Announce(x, n, time) ==
    /\ x \in members /\ n \in members /\ x # n
    /\ May(x, time) /\ time > max[n][x]
    /\ clock' = [clock EXCEPT ![x] = time]
    /\ max' = [max EXCEPT ![n][x] = time]
    /\ irt' = [irt EXCEPT ![n] = IF x = IrtCoord THEN Better(irt[x], @) ELSE @]
    /\ crt' = [crt EXCEPT ![n] = IF crt[x] = "committed" THEN "committed" ELSE @]
    /\ UNCHANGED <<members, view, votes, decided, stamped, log>>

TsOf(t) == IF t = "crt" THEN CrtAt ELSE IrtAt
Phase(n, t) == IF t = "crt" THEN crt[n] ELSE irt[n]
\* The transactions that a node holds ready: a prepared CRT is in waitQ, not in readyQ.
Ready(n) == {t \in {"crt", "irt"} : ~Executed(n, t) /\ (Phase(n, t) = "committed" \/ (t = "irt" /\ irt[n] = "prepared"))}

\* Nothing is executed above a CRT that is prepared, whatever the clock shows.
Execute(n, t, time) ==
    /\ n \in members /\ t \in Ready(n) /\ Phase(n, t) = "committed"
    /\ \A u \in Ready(n) : TsOf(u) >= TsOf(t)
    /\ crt[n] = "prepared" => TsOf(t) < CrtAt
    /\ May(n, time) /\ time > TsOf(t)
    /\ \A x \in members \ {n} : max[n][x] > TsOf(t)
    /\ clock' = [clock EXCEPT ![n] = time]
    /\ log' = [log EXCEPT ![n] = Append(@, t)]
    /\ UNCHANGED <<members, view, max, crt, votes, decided, stamped, irt>>

\* What the members who stay report of the CRT, and have of it afterwards.
Reported(stay) == IF "ReportPart" \notin Repairs THEN "none"
                  ELSE IF \E n \in stay : crt[n] = "committed" THEN "committed"
                  ELSE IF \E n \in stay : crt[n] = "prepared" THEN "prepared" ELSE "none"

\* Algorithm 3: a member is suspected and removed. Its IRT is committed if somebody has it, and that of one who stays, too.
Remove(n) ==
    LET stay == members \ {n} IN
    /\ n \in members /\ stay # {}
    /\ members' = stay
    /\ view' = view + 1
    /\ crt' = [x \in Node |-> IF x \in stay THEN Better(crt[x], Reported(stay)) ELSE crt[x]]
    /\ irt' = [x \in Node |-> IF x \in stay /\ \E y \in stay : irt[y] # "none" /\ IrtCoord \in {n, y}
                              THEN "committed" ELSE irt[x]]
    /\ UNCHANGED <<clock, max, votes, decided, stamped, log>>

\* Algorithm 4: a new replica with a checkpoint of x, its clock above what was executed, and perhaps above a CRT that members
\* wait for, as theirs may be.
Add(n, x, time) ==
    /\ n \in Spare \ members /\ x \in members /\ log[n] = <<>> /\ crt[n] = "none"
    /\ \A y \in members : \A i \in DOMAIN log[y] : time > TsOf(log[y][i])
    /\ \A y \in members : time >= clock[y]
    /\ members' = members \union {n}
    /\ view' = view + 1
    /\ log' = [log EXCEPT ![n] = log[x]]
    /\ clock' = [clock EXCEPT ![n] = time]
    /\ max' = [y \in Node |-> IF y \in members THEN [max[y] EXCEPT ![n] = time] ELSE max[y]]
    /\ crt' = [y \in Node |-> IF y \in members \union {n} THEN Better(crt[y], Reported(members)) ELSE crt[y]]
    /\ irt' = [irt EXCEPT ![n] = irt[x]]
    /\ UNCHANGED <<votes, decided, stamped>>

Next ==
    \/ \E n \in Node : Prepare(n)
    \/ Decide
    \/ \E n \in Node : HandleCommit(n)
    \/ CoordIrt
    \/ \E n \in Node : PrepareIrt(n)
    \/ CommitIrt
    \/ \E x, n \in Node, time \in Times : Announce(x, n, time)
    \/ \E n \in Node, t \in {"crt", "irt"}, time \in Times : Execute(n, t, time)
    \/ \E n \in Node : Remove(n)
    \/ \E n \in Spare, x \in Node, time \in Times \union {0} : Add(n, x, time)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

\* Lemma 1 across changes of the view (4.5): who executes the IRT above a CRT that was committed has
\* executed the CRT before.
CrtFirstInv == \A n \in members : \A i \in DOMAIN log[n] :
    (decided /\ log[n][i] = "irt") => \E j \in 1 .. i - 1 : log[n][j] = "crt"

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A new replica executes the CRT before a later IRT.
AddedReach == \E n \in Spare \intersect members : log[n] = <<"crt", "irt">>
=============================================================================
