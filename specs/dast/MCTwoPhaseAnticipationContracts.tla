------------------- MODULE MCTwoPhaseAnticipationContracts -------------------
(* Small models that judge the mutants of TwoPhaseAnticipation, each for     *)
(* steps that the others do not take. Schedules use no operator that a       *)
(* mutant may change: a model stays the same when the module does not.       *)
EXTENDS MCTwoPhaseAnticipation, TwoPhaseAnticipationContracts

\* Which steps are looked at; a configuration names one of those below.
Schedule == TRUE

\* No clock message reaches anybody.
Silent == UNCHANGED max
\* A manager's clock is heard when a transaction waits for it, which is enough (see LazyManagers).
Waiting(n) == {t \in DOMAIN known[n] \ Ran(n) :
    known[n][t].phase = "committed" \/ (known[n][t].phase = "prepared" /\ ~Cross(t))}
AwaitedManagers ==
    \A n \in Node : \A x \in Near(n) \intersect Manager :
        max'[n][x] # max[n][x] => \E t \in Waiting(n) : ~Under(known[n][t].at, max[n][x])
\* The same, and a node's clock is heard when it tells of a transaction or a committed one waits.
Telling ==
    /\ AwaitedManagers
    /\ max' # max => \E n \in Node : max'[n] # max[n] /\
        (known'[n] # known[n] \/ told'[n] # told[n] \/ \E t \in Waiting(n) : known[n][t].phase = "committed")
\* The second transaction starts when node 1 has executed the first.
InTurn == AwaitedManagers /\ (txn[2].phase = "new" /\ txn'[2].phase # "new" => 1 \in Ran(1))
\* The second CRT starts when both nodes have executed the first; they are at times 1 and 3, region A's clocks stay at 2.
AfterBoth ==
    /\ AwaitedManagers
    /\ txn'[2].phase # "new" => 1 \in Ran(1) \intersect Ran(2)
    /\ \A m \in msgs' : m.type = "prep-crt" => m.ts[1] = IF m.t = 1 THEN 1 ELSE 3
    /\ \A p \in {1, 8} : last'[p][1] <= 2
\* The CRT starts after the IRT.
IrtFirst == AwaitedManagers /\ (txn'[1].phase # "new" => txn[2].phase # "new")
\* A CRT at time 1; clocks are heard when a committed transaction waits for them.
Late ==
    /\ \A n \in Node : \A x \in Near(n) : max'[n][x] # max[n][x] =>
        \E t \in Waiting(n) : known[n][t].phase = "committed" /\ ~Under(known[n][t].at, max[n][x])
    /\ \A m \in msgs' : m.type = "prep-crt" => m.ts[1] = 1
\* Nothing is executed or committed, managers read 0 and are not heard.
Undecided ==
    /\ log' = log /\ \A t \in Txn : txn'[t].phase \in {"new", "prepared"}
    /\ \A m \in Manager : last'[m][1] = 0
    /\ \A n \in Node : \A x \in Near(n) \intersect Manager : max'[n][x] = max[n][x]
\* The same, and node 3 alone hears clocks.
Beside == Undecided /\ \A n \in Node \ {3} : max'[n] = max[n]
\* Node 3 alone hears clocks, of nodes.
Watched == \A n \in Node : \A x \in Near(n) : max'[n][x] # max[n][x] => n = 3 /\ x \in Node
\* Clock messages sent apart: two, each a new reading; nothing is executed.
TwoClocks == log' = log /\ (clocks' # clocks => last' # last /\ Cardinality(clocks') <= 2)
\* The same, and only nodes of region B send them, the CRT gets no further than prepared.
TwoClocksOfB ==
    /\ TwoClocks
    /\ \A m \in clocks' : m.src \in Node /\ Region[m.src] = "B"
    /\ txn'[1].phase \in {"new", "prepared"}

\* Nothing is executed, nobody hears a clock, and managers read 0: how far transactions come by messages.
Messages ==
    /\ log' = log /\ max' = max
    /\ \A m \in Manager : last'[m][1] = 0

\* A CRT of node 1 and an IRT of node 2 on one shard.
BothOnY == 1 :> Simple(1, Y) @@ 2 :> Simple(2, Y)

\* Two CRTs of one node whose writes depend on the same value.
TwoConds == 1 :> CondAlone[1] @@ 2 :> CondAlone[1]
TwoRemotes == 1 :> Simple(1, Y) @@ 2 :> Simple(1, Y)
\* A CRT whose piece in Z takes the values of X, which decides, and of Y.
TwoInputs ==
    1 :> [Simple(1, {"X", "Y", "Z"}) EXCEPT !.writes = {"Z"}, !.deps = {<<"X", "Z">>, <<"Y", "Z">>}, !.cond = "X"]
TwoIrts == 1 :> Simple(1, X) @@ 2 :> Simple(1, X)
\* Two that write and one that reads.
Reader == TwoIrts @@ 3 :> [Simple(1, X) EXCEPT !.writes = {}]

RegionAlone == 1 :> "A" @@ 8 :> "A"
ReplicasAlone == "X" :> {1}
\* Two participants in region B and node 3 beside them.
ReplicasBeside == "X" :> {1} @@ "Y" :> {2, 4} @@ "Z" :> {3}
=============================================================================
