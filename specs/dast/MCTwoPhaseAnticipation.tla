----------------------- MODULE MCTwoPhaseAnticipation -----------------------
(* Deployments and workloads for checking TwoPhaseAnticipation. Nodes are    *)
(* numbered 1, 2, …, managers 8 and 9; region A hosts shard X, B hosts Y.    *)
EXTENDS TwoPhaseAnticipation, TLC

\* One node a region.
RegionSmall == 1 :> "A" @@ 8 :> "A" @@ 2 :> "B" @@ 9 :> "B"
ReplicasSmall == "X" :> {1} @@ "Y" :> {2}
\* One region, one shard, two replicas.
RegionOne == 1 :> "A" @@ 2 :> "A" @@ 8 :> "A"
ReplicasOne == "X" :> {1, 2}
\* Two replicas in region B, both needed: a harsher majority than 2f+1 has.
RegionTwo == RegionSmall @@ 3 :> "B"
ReplicasTwo == "X" :> {1} @@ "Y" :> {2, 3}
\* f = 1 in region B.
RegionThree == RegionTwo @@ 4 :> "B"
ReplicasThree == "X" :> {1} @@ "Y" :> {2, 3, 4}
\* A second shard in region B.
ReplicasZ == "X" :> {1} @@ "Y" :> {2} @@ "Z" :> {3}
\* Region B alone, with two shards.
ReplicasYZ == "Y" :> {2} @@ "Z" :> {3}
\* A third region.
RegionABC == 1 :> "A" @@ 7 :> "A" @@ 2 :> "B" @@ 8 :> "B" @@ 3 :> "C" @@ 9 :> "C"
ReplicasABC == "X" :> {1} @@ "Y" :> {2} @@ "Z" :> {3}

\* A transaction of coordinator c on shards S that writes all it accesses.
Simple(c, S) == [coord |-> c, shards |-> S, writes |-> S, deps |-> {}, cond |-> ""]
Dependent(c, S, from, to) == [Simple(c, S) EXCEPT !.deps = {<<from, to>>}]
X == {"X"}
Y == {"Y"}
XY == {"X", "Y"}

\* A CRT from A, and an IRT in B.
CrtAndIrt == 1 :> Simple(1, XY) @@ 2 :> Simple(2, Y)
\* The same, the CRT has one piece, in B.
RemoteAndIrt == 1 :> Simple(1, Y) @@ 2 :> Simple(2, Y)
\* The same, B's piece needs A's value.
DependentAndIrt == 1 :> Dependent(1, XY, "X", "Y") @@ 2 :> Simple(2, Y)
\* A's piece needs B's value, which follows B's vote on one link.
BackAndIrt == 1 :> Dependent(1, XY, "Y", "X") @@ 2 :> Simple(2, Y)
BackAlone == 1 :> BackAndIrt[1]
\* A CRT whose writes depend on A's value, with an IRT that changes it.
CondAndIrt == 1 :> [Dependent(1, XY, "X", "Y") EXCEPT !.cond = "X"] @@ 2 :> Simple(1, X)
CondAlone == 1 :> CondAndIrt[1]
OneIrt == 1 :> Simple(1, X)
\* An IRT of each replica of a shard.
IrtOfEach == 1 :> Simple(1, X) @@ 2 :> Simple(2, X)
\* Two IRTs of two shards, one of each node.
IrtsOfBoth == 1 :> Simple(2, {"Y", "Z"}) @@ 2 :> Simple(3, {"Y", "Z"})
RemoteCrt == 1 :> Simple(1, Y)
\* One IRT in each region (Fig. 4).
CrtAndTwoIrts == 1 :> Simple(1, XY) @@ 2 :> Simple(1, X) @@ 3 :> Simple(2, Y)
\* The same, the CRT's piece in B needs A's value.
DependentAndTwoIrts == 1 :> DependentAndIrt[1] @@ 2 :> Simple(1, X) @@ 3 :> Simple(2, Y)
\* The same, A's value decides whether the CRT's writes are applied.
CondAndTwoIrts == 1 :> CondAndIrt[1] @@ 2 :> Simple(1, X) @@ 3 :> Simple(2, Y)
\* Two CRTs from one node.
TwoCrts == 1 :> Simple(1, XY) @@ 2 :> Simple(1, XY)
\* Two CRTs from either side.
TwoCrtsCrossed == 1 :> Dependent(1, XY, "X", "Y") @@ 2 :> Dependent(2, XY, "Y", "X")
TwoCrtsAndIrt == TwoCrtsCrossed @@ 3 :> Simple(2, Y)
\* The IRT at node 3, the CRT's participant is node 2.
CrtAndIrtBeside == 1 :> Dependent(1, XY, "X", "Y") @@ 2 :> Simple(3, {"Z"})
\* A CRT of region B, coordinated from A, and an IRT beside it.
RemoteAndIrtBeside == 1 :> Simple(1, Y) @@ 2 :> Simple(3, {"Z"})
ThreeRegions == 1 :> Dependent(1, XY, "X", "Y") @@ 2 :> Simple(3, {"Z"})

(* Transactions whose shards are found by a first read (4.1): 1 reads X, and 2 is issued if that was the initial      *)
(* value, so that it writes Y where X still has it. 3 changes X.                                                      *)
FirstRead == 1 :> [Simple(1, X) EXCEPT !.writes = {}]
             @@ 2 :> [Dependent(1, XY, "X", "Y") EXCEPT !.cond = "X", !.writes = Y]
             @@ 3 :> Simple(1, X)
\* The same without the condition.
FirstReadBare == [FirstRead EXCEPT ![2].cond = ""]

\* The client issues 2 when it has read the initial value.
FoundByRead ==
    /\ txn'[2].phase # "new" => txn[1].phase = "done" /\ \A s \in Plan[1].shards : <<s, Nobody>> \in txn[1].reads
    \* A change before the first read is what that read returns, and 2 is not issued.
    /\ txn'[3].phase # "new" => txn[1].phase = "done"

\* As clients see it, the first read and what it leads to are one transaction, if that is not to be tried again.
Whole(t) == IF t = 2 /\ txn[2].writes # {} THEN txn[1].reads \union txn[2].reads ELSE txn[t].reads
FirstReadInv == txn[2].phase = "done" =>
    SerializableIn(Done \ {1}, Begun \ Done, [t \in Txn |-> Whole(t)], [t \in Txn |-> Written(t)], Nobody,
                   {p \in RealTime : 1 \notin {p[1], p[2]}})
\* It has to be tried again.
AgainReach == txn[2].phase = "done" /\ txn[2].writes = {}

(* A manager's clock message carries its clock and nothing else, and a later one carries at least as much:  *)
(* it is enough to take it when a transaction waits for it. Every behaviour has an equivalent one like that. *)
HereTable == [n \in Node |-> ManagerOf(Region[n])]
LazyManagers ==
    \A n \in Node : max'[n][HereTable[n]] # max[n][HereTable[n]] =>
        \E t \in ReadyQ(n) : ~Less(known[n][t].at, max[n][HereTable[n]])
\* The same for all clock messages. That leaves behaviours out: for checks that look for one only.
AwaitedClocks ==
    \A n \in Node : \A x \in Peers(n) : max'[n][x] # max[n][x] => \E t \in ReadyQ(n) : ~Less(known[n][t].at, max[n][x])
\* Two replicas: the CRT reaches node 3 alone, the IRT goes from node 2 to 3 by clock messages alone.
CopiesStory ==
    /\ AwaitedClocks
    /\ known'[2][1] = Unknown
    /\ \A m \in msgs' : m.type # "ack"
\* For reachable states and failures: the change (3) is done before what the first read found (2) begins, and clocks
\* are heard when somebody waits.
FoundStory ==
    /\ FoundByRead /\ AwaitedClocks
    /\ txn'[2].phase # "new" => txn[3].phase = "done"
    /\ txn'[1].ts[1] = 0 /\ txn'[3].ts[1] <= 1
    /\ txn[2].phase = "new" => \A p \in Node \union Manager : last'[p][1] <= 2
\* f = 1 in region B. Nodes 3 and 4 have heard each other's clock before they vote for the CRT (1); node 3 alone gets its
\* commit, executes it and the client is answered. Then the IRT (2) begins at node 2, which has nothing of the CRT, and
\* node 4 executes it.
StaleStory ==
    /\ txn'[2].phase # "new" => txn[1].phase = "done"
    /\ \A n \in Node : \A x \in Peers(n) : max'[n][x] # max[n][x] =>
        \/ {n, x} = {3, 4} /\ known[x][1].phase = "none" /\ msgs = {}
        \/ ~(n = 4 /\ x = 3) /\ \E t \in ReadyQ(n) : ~Less(known[n][t].at, max[n][x])
    /\ known'[2][1] = Unknown /\ known'[4][1].phase # "committed"
    /\ known'[3][2] = Unknown
    /\ last'[1][1] = 0 /\ \A p \in {3, 4, 9} : last'[p][1] # 2
    /\ txn'[1].phase # "new" => max[3][4][1] = 3 /\ max[4][3][1] = 3
    /\ \A m \in msgs' \ msgs : m.type = "vote" => m.src \in {3, 4}
    /\ txn'[1].ts # txn[1].ts => known[3][1].phase = "prepared" /\ known[4][1].phase = "prepared"
    /\ \A n \in Node : log'[n] # log[n] => n = 3 \/ (n = 4 /\ InLog(3, 1))
\* Node 3 gets no message about the CRT, but what node 2 tells it.
MissedStory ==
    /\ AwaitedClocks
    /\ known'[3][1] # known[3][1] => max'[3][2] # max[3][2]
    /\ \A m \in msgs' : m.type = "vote" => m.src = 2
\* The same, and the IRT starts when node 2 has executed the CRT.
MissedFirstStory == MissedStory /\ (txn'[2].phase # "new" => InLog(2, 1))
\* Node 2 votes with a timestamp of its own, and node 3 gets no message about the CRT but node 2's clock while it is at
\* the commit timestamp; then the IRT.
RangeStory ==
    /\ \A n \in Node : \A x \in Peers(n) : max'[n][x] # max[n][x] =>
        (n = 3 /\ x = 2) \/ \E t \in ReadyQ(n) : ~Less(known[n][t].at, max[n][x])
    /\ known'[3][1] # known[3][1] => max'[3][2] # max[3][2]
    /\ \A m \in msgs' : m.type = "vote" => m.src = 2 /\ m.ts[2] = 2
    /\ txn'[1].ts # txn[1].ts => txn'[1].ts[2] = 2
    /\ max'[3][2] # max[3][2] => txn[2].phase # "new" \/ last'[2][1] = 1 \/ last'[2] = txn[1].ts
    /\ txn[2].phase = "new" /\ txn'[2].phase # "new" => max[3][2] = txn[1].ts
\* The story of Fig. 4, as far as clients decide: T3 after T2, T2 after the CRT has been executed in A.
Fig4Story ==
    /\ LazyManagers
    /\ txn[2].phase = "new" /\ txn'[2].phase # "new" => InLog(1, 1)
    /\ txn[3].phase = "new" /\ txn'[3].phase # "new" => txn[2].phase = "done"
\* The same for all clocks: taken when it tells of a transaction or one waits for it.
LazyClocks ==
    /\ LazyManagers
    /\ max' # max => \E n \in Node : max'[n] # max[n] /\
        (known'[n] # known[n] \/ told'[n] # told[n] \/ \E t \in ReadyQ(n) : known[n][t].phase = "committed")
\* Few enough clock messages to store every step: two, each a new reading, once the CRT holds node 2's clock; the
\* CRT gets no further, and the IRT starts when node 3 has heard.
SentStory ==
    /\ clocks' # clocks => last' # last /\ Cardinality(clocks') <= 2 /\ known[2][1].phase = "prepared"
    /\ txn'[1].phase \in {"new", "prepared"}
    /\ txn'[2].phase # "new" => max[3][2] # <<0, 2, 0>>
\* Clocks = "sent": at most three clock messages, each a new reading; a manager's is taken when a transaction waits for
\* it.
FewClocks ==
    /\ LazyManagers
    /\ clocks' # clocks => last' # last /\ Cardinality(clocks') <= 3
=============================================================================
