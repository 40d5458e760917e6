------------------------------ MODULE MCFailover ------------------------------
\* Workloads for checking Failover.
EXTENDS Failover, TLC

NoIrts == [t \in {} |-> 0]
OneIrt == 1 :> 1
TwoIrts == 1 :> 1 @@ 2 :> 2
OtherIrts == 1 :> 1 @@ 2 :> 3
BothAtOne == 1 :> 1 @@ 2 :> 1

\* A clock message of a manager carries nothing but its clock: it is enough to take it when a transaction waits.
LazyManagers ==
    \A n \in Node : \A m \in Manager : max'[n][m] # max[n][m] => \E t \in ReadyQ(n) : max[n][m] <= irt[t].ts

\* The same for all clock messages. That leaves behaviours out: for checks that look for one only.
LazyClocks ==
    \A n \in Node, x \in Node \union Manager : max'[n][x] # max[n][x] => \E t \in ReadyQ(n) : max[n][x] <= irt[t].ts

\* A clock message that tells n nothing new, and that nothing waits for, says less than a later one; a removal looks at
\* no clock. Where nodes are only removed every behaviour has an equivalent one like that.
LazyNews ==
    \A n \in Node, x \in Node \union Manager : max'[n][x] # max[n][x] =>
        have'[n] # have[n] \/ \E t \in ReadyQ(n) : max[n][x] <= irt[t].ts

\* Others only ask whether a clock is past something: who has no IRT left to stamp may as well be at the last reading.
TopClocks ==
    \A p \in Node \union Manager : last'[p] # last[p] =>
        (\E t \in Irt : Coord[t] = p /\ irt[t].phase = "new") \/ last'[p] = CreateTs(p, Highest(Times))
AnyRemoval == LazyNews /\ TopClocks

\* Without IRTs nobody looks at the clocks of nodes. Every behaviour has an equivalent one like that.
ManagersTell == \A n, x \in Node : max'[n][x] = max[n][x]

Begins(t) == irt[t].phase = "new" /\ irt'[t].phase # "new"
Proposes(v) == prop[8].kind = "" /\ prop'[8].kind # "" /\ Now = v - 1

\* Clock messages are for n, which alone executes.
OnlyExecutes(n) ==
    \A x \in Node \ {n} : log'[x] = log[x] /\ (Now' = Now /\ view' = view => max'[x] = max[x])

\* Node 1 is suspected when node 2 has its IRT as committed and node 3 has nothing of it; then 3 goes on.
RemovalStory ==
    /\ LazyClocks
    /\ Begins(2) => view[3] = 1
    /\ Proposes(1) => have[2][1] = "committed"
    /\ have'[3][1] # "prepared"
    /\ OnlyExecutes(3)

\* Node 1 is suspected when node 2 has its IRT; then 4 joins, with a checkpoint from before the IRT; then 2 goes on.
JoinStory ==
    /\ LazyClocks
    /\ Begins(2) => view[4] = 2
    /\ Proposes(1) => have[2][1] = "prepared"
    /\ Proposes(2) => view[2] = 1
    /\ OnlyExecutes(4)

\* One member fails at a time. Node 2 acknowledges node 1's IRT and is removed; 4 comes in its place with a
\* checkpoint; node 1 executes, answers and is removed; then 3 goes on with an IRT that starts after the answer. No
\* message of node 1 gets through but the one that 2 acknowledges, and a view change is done before anything else goes
\* on but the commit.
Changing == prop[8].kind # "" \/ \E n \in MembersAt(Now) : view[n] < Now
ReplacedStory ==
    /\ ~Changing => LazyClocks
    /\ Changing => prop' # prop \/ view' # view \/ irt' # irt
    /\ ~Changing => \A n \in Node : max'[n] # max[n] =>
           (n = 1 /\ Now = 2 /\ irt[1].phase = "committed") \/ (n = 3 /\ irt[2].phase = "committed")
    /\ \A n \in {2, 3, 4} : max'[n][1] = max[n][1]
    /\ \A n \in {3, 4} : have'[n][1] # "prepared"
    /\ Proposes(1) => prop'[8].who = 2 /\ have[2][1] = "prepared"
    /\ Proposes(2) => prop'[8].kind = "add"
    /\ Proposes(3) => prop'[8].who = 1 /\ irt[1].phase = "done"
    /\ Begins(2) => Now = 3
    /\ log' # log /\ ~Changing => log'[1] # log[1] \/ log'[3] # log[3]

\* Member 2 is removed once it has the commit of node 1's CRT, node 4 comes in its place, and then node 1 is removed:
\* one member gone at a time. While a view changes, nothing else goes on but the other region and the coordinator's commit.
CrtReplacedStory ==
    /\ view' = view => ManagersTell
    /\ Changing => prop' # prop \/ view' # view \/ crt'[Remote] # crt[Remote] \/ crt'[1] # crt[1]
    /\ Proposes(1) => prop'[8].who = 2 /\ crt[2] = "committed"
    /\ Proposes(2) => prop'[8].kind = "add"
    /\ Proposes(3) => prop'[8].who = 1

\* The same for worlds that are drawn: whoever is suspected, whenever. Members answer one after the other, and take
\* views so: what one of them does changes nothing for the next. Who was removed does nothing that anybody hears of, but
\* for the coordinator.
CrtWorlds ==
    /\ view' = view => ManagersTell
    /\ Changing => prop' # prop \/ view' # view \/ crt'[Remote] # crt[Remote] \/ crt'[CrtCoord] # crt[CrtCoord]
    /\ prop'[8].kind = prop[8].kind => \A n \in DOMAIN prop'[8].answers \ DOMAIN prop[8].answers :
        \A x \in MembersAt(Now) \ {prop[8].who} : x < n => x \in DOMAIN prop[8].answers
    /\ Now' = Now => \A n \in Node : view'[n] # view[n] => \A x \in MembersAt(Now) : x < n => view[x] = Now
    /\ \A n \in Node \ (MembersAt(Now) \union {CrtCoord}) : Now' = Now => crt'[n] = crt[n]

\* What a manager anticipates is above all that anybody has accepted, removed or not.
AssignedStep == [][\A n \in Node : anticipated'[n] # anticipated[n] => \A x \in Node : anticipated'[n] > anticipated[x]]_vars

\* 3.1, 4.3: whoever removes the coordinator of a CRT that the other region waits for knows of it, so that it is decided.
RememberedStep == [][
    Now' # Now /\ decided'[Now'].kind = "remove" /\ decided'[Now'].who = CrtCoord /\ crt[Remote] = "prepared" =>
        \E v \in DOMAIN decided' : decided'[v].aborted \/ decided'[v].committed]_vars

\* For failures alone: a member that was asked to replace a manager hears it until it takes the new view.
HearsReplaced(n, x) == n # x /\ In(n) /\ x \in MembersAt(view[n]) \union {ManagerAt(view[n])}

(* For corpora: what machines do less than Failover. *)

\* A node tells its clock to the members of its view alone.
ToMembers ==
    \A x, n \in Node : In(x) /\ In(n) /\ n \notin MembersAt(view[x]) =>
        max'[n][x] = max[n][x] /\ (have'[n] = have[n] \/ irt' # irt)

\* The epochs of a role grow: who was replaced is not elected again.
ElectedOnce == leader' >= leader

\* Node 4 alone executes; the IRT begins with the addition or later. (Machines' checkpoints hold what waits, too, and
\* Failover forgets that a new replica has what its checkpoint executed: here checkpoints are empty.)
AddCorpus ==
    /\ ToMembers /\ LazyClocks /\ OnlyExecutes(4)
    /\ Begins(1) => Now = 1 \/ prop[8].kind = "add"

\* Acknowledgements of a member that is removed count for nothing at lines 2 and 7 either; the coordinator commits when
\* it has counted those of line 8.
CrtCorpus ==
    /\ crt[Remote] = "none" /\ crt'[Remote] = "prepared" =>
        1 + Cardinality({x \in Acknowledging : crt[x] # "none"}) >= Majority
    /\ crtPhase = "prepared" /\ crtPhase' = "deciding" =>
        Cardinality({x \in Acknowledging \union {CrtCoord} : crt[x] = "prepared"}) >= Majority
    /\ crt[CrtCoord] # "committed" /\ crt'[CrtCoord] = "committed" =>
        1 + Cardinality({x \in Acknowledging : crt[x] = "committed"}) >= Majority

ManagerCorpus == ToMembers /\ ElectedOnce /\ ManagersTell
RemovalCorpus == ToMembers /\ LazyClocks /\ TopClocks
=============================================================================
