--------------------------- MODULE MCFailoverWorlds ---------------------------
(* Failover with IRTs in worlds that are drawn: who fails and who comes, in  *)
(* which order, who coordinates, whom messages reach, and who executes. A    *)
(* world leaves out behaviours, since the search of all of them does not     *)
(* end; all that are left are behaviours of Failover, for messages may be    *)
(* lost and nodes may stand still.                                           *)
EXTENDS MCFailover

CONSTANTS
    \* Whom each change of the view is about: a member is removed, a spare node is added.
    \* @type: Seq(Int);
    Changes,
    \* Nodes that an IRT's messages reach, beside its coordinator.
    \* @type: Int -> Set(Int);
    Reached,
    \* Whose clock messages reach each node. Those who execute hear everybody.
    \* @type: Int -> Set(Int);
    Heard,
    \* The view in which each IRT begins at the earliest.
    \* @type: Int -> Int;
    Since,
    \* Nodes that execute.
    \* @type: Set(Int);
    Executors,
    \* While the view changes nothing goes on but the commit of an IRT; who has none left to stamp has the last reading.
    \* @type: Bool;
    Calm

Reaches(n, t) == n = Coord[t] \/ n \in Reached[t]
IrtWorlds ==
    /\ LazyNews
    /\ Calm => TopClocks
    /\ \A n \in Node, x \in Node : max'[n][x] # max[n][x] /\ view'[n] = view[n] => x \in Heard[n] \/ n \in Executors
    /\ \A n \in Node, t \in Irt : have'[n][t] # have[n][t] /\ view'[n] = view[n] /\ max' = max => Reaches(n, t)
    /\ \A n \in Node \ Executors : log'[n] = log[n] \/ Now' # Now
    /\ \A t \in Irt : Begins(t) => Now >= Since[t]
    /\ \A v \in DOMAIN Changes : Proposes(v) => prop'[8].who = Changes[v]
    \* Members answer one after the other, and take views so.
    /\ Calm /\ prop'[8].kind = prop[8].kind => \A n \in DOMAIN prop'[8].answers \ DOMAIN prop[8].answers :
        \A x \in MembersAt(Now) \ {prop[8].who} : x < n => x \in DOMAIN prop[8].answers
    /\ Calm /\ Now' = Now => \A n \in Node : view'[n] # view[n] => \A x \in MembersAt(Now) : x < n => view[x] = Now
    /\ Calm /\ Changing => prop' # prop \/ view' # view \/ irt' # irt
=============================================================================
