--------------------------- MODULE MCFailoverWorlds ---------------------------
(* Failover with IRTs in worlds that are drawn: who fails and who comes, in  *)
(* which order, who coordinates, whom messages reach, and who executes. A    *)
(* world leaves out behaviours, since the search of all of them does not     *)
(* end; all that are left are behaviours of Failover, for messages may be    *)
(* lost and nodes may stand still.                                           *)
EXTENDS MCFailover

CONSTANTS
    \* The members, in an order by which the other constants of a drawn world may name them.
    \* @type: Seq(Int);
    Roles,
    \* Whom each change of the view is about: a member is removed, a spare node is added.
    \* @type: Seq(Int);
    Changes,
    \* Nodes that an IRT's messages reach, beside its coordinator.
    \* @type: Int -> Set(Int);
    Reached,
    \* Whose clock messages bring news to each node. Those who execute hear everybody.
    \* @type: Int -> Set(Int);
    Heard,
    \* The view in which each IRT begins at the earliest.
    \* @type: Int -> Int;
    Since,
    \* The time at which each IRT is stamped, 0 for any.
    \* @type: Int -> Int;
    At,
    \* The time at which a replica's installation is stamped, 0 for any.
    \* @type: Int;
    InstalledAt,
    \* Nodes that execute, each from which view on.
    \* @type: Int -> Int;
    Executors,
    \* They execute while the view changes, too.
    \* @type: Bool;
    Busy

\* A node that has nothing left to stamp has the last reading, so does a manager; before an installation it has the one
\* before that.
Tops ==
    Now' = Now => \A p \in Node \union Manager : last'[p] # last[p] =>
        LET toCome == p \in Manager /\ \E v \in DOMAIN Changes : v > Now /\ Changes[v] \in Spare
            adds == prop'[8].kind = "add" /\ prop[8].kind # "add"
        IN  IF p \in Manager /\ InstalledAt # 0 /\ (toCome \/ adds)
            THEN last'[p] = CreateTs(p, IF adds THEN InstalledAt ELSE InstalledAt - 1)
            ELSE toCome \/ last'[p] = CreateTs(p, Highest(Times))
                 \/ \E t \in Irt : Coord[t] = p /\ irt[t].phase = "new"

ThreeExecutes == 3 :> 0
Executes(n) == n \in DOMAIN Executors /\ Now >= Executors[n]
\* A clock is heard with news, or where a committed IRT waits for it.
Hearing(n, x) ==
    \/ have'[n] # have[n] /\ (x \in Heard[n] \/ Executes(n))
    \/ Executes(n) /\ \E t \in ReadyQ(n) : have[n][t] = "committed" /\ max[n][x] <= irt[t].ts
Reaches(n, t) == n = Coord[t] \/ n \in Reached[t]

IrtWorlds ==
    /\ Tops
    /\ \A n \in Node, x \in Node \union Manager : max'[n][x] # max[n][x] /\ view'[n] = view[n] => Hearing(n, x)
    /\ \A n \in Node, t \in Irt : have'[n][t] # have[n][t] /\ view'[n] = view[n] /\ max' = max => Reaches(n, t)
    /\ \A n \in Node : log'[n] # log[n] => Executes(n) \/ Now' # Now
    /\ \A t \in Irt : Begins(t) => Now >= Since[t] /\ (At[t] # 0 => irt'[t].ts = CreateTs(Coord[t], At[t]))
    /\ \A v \in DOMAIN Changes : Proposes(v) => prop'[8].who = Changes[v]
    \* Members answer one after the other, and take views so. Meanwhile nothing else goes on but the commit of an IRT.
    /\ prop'[8].kind = prop[8].kind => \A n \in DOMAIN prop'[8].answers \ DOMAIN prop[8].answers :
        \A x \in MembersAt(Now) \ {prop[8].who} : x < n => x \in DOMAIN prop[8].answers
    /\ Now' = Now => \A n \in Node : view'[n] # view[n] => \A x \in MembersAt(Now) : x < n => view[x] = Now
    /\ Changing => prop' # prop \/ view' # view \/ irt' # irt \/ (Busy /\ \A n \in Node : have'[n] # have[n] => Executes(n))
=============================================================================
