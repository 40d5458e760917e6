--------------------- MODULE ParticipantFailoverContracts ---------------------
(***************************************************************************)
(* What the steps of ParticipantFailover owe each other, with the repairs. *)
(* The paper claims none of this; mutants of the module that leave its     *)
(* claim intact are caught here.                                           *)
(***************************************************************************)
EXTENDS MCParticipantFailover

\* What a member who stays has of the CRT, everybody in the new view has: who stays, and who is added.
ViewStep == [][view' # view =>
    \A n \in members \intersect members', x \in members' :
        /\ crt[n] # "none" => crt'[x] # "none"
        /\ crt[n] = "committed" => crt'[x] = "committed"]_vars
\* A view takes nothing away from who stays.
KeptStep == [][\A n \in members \intersect members' :
    /\ crt[n] = "committed" => crt'[n] = "committed"
    /\ crt[n] # "none" => crt'[n] # "none"]_vars
\* A member votes once in a view, with its clock below the CRT or having it already, and has it then.
VoteStep == [][votes' # votes => \E n \in members :
    /\ <<n, view>> \notin votes /\ votes' = votes \union {<<n, view>>}
    /\ (crt[n] = "none" /\ clock[n] < CrtAt) \/ crt[n] = "prepared"
    /\ crt' = [crt EXCEPT ![n] = "prepared"]]_vars
\* A member that has the CRT can vote again in a new view, and one that has never had it can take its commit. It takes an
\* IRT of a member, whatever its own clock shows.
CanInv == \A n \in members :
    /\ stamped /\ IrtCoord \in members /\ irt[n] = "none" => ENABLED PrepareIrt(n)
    /\ crt[n] = "prepared" /\ <<n, view>> \notin votes => ENABLED Prepare(n)
    /\ decided /\ crt[n] # "committed" => ENABLED HandleCommit(n)
\* The coordinator decides with the votes of a majority in one view, and what is committed was decided.
DecideStep == [][decided' # decided =>
    decided' /\ \E v \in 0 .. view : Cardinality({n \in Node : <<n, v>> \in votes}) >= Majority]_vars
DecidedInv == \A n \in Node : crt[n] = "committed" => decided
\* A node has the CRT by its vote, by the commit, or from a member who stays in a new view.
CrtStep == [][\A n \in Node : crt'[n] # crt[n] =>
    /\ n \in members'
    /\ \/ crt'[n] = "committed"
       \/ crt'[n] = "prepared" /\ (<<n, view>> \in votes' \ votes
                                   \/ (view' # view /\ \E m \in members \intersect members' : crt[m] = "prepared"))]_vars

\* The IRT is stamped once, above its coordinator's clock and below a CRT that is prepared there.
StampStep == [][stamped' # stamped =>
    /\ stamped' /\ IrtCoord \in members /\ irt'[IrtCoord] = "prepared"
    /\ clock[IrtCoord] < IrtAt /\ clock'[IrtCoord] = IrtAt]_vars
\* A member has the IRT once it is stamped, from a coordinator that is a member; it is committed by a majority, by word of
\* its coordinator, or by a removal, of its coordinator or of another.
IrtStep == [][\A n \in Node : irt'[n] # irt[n] =>
    /\ n \in members \union {IrtCoord} \union members' /\ stamped'
    /\ \/ n \notin members
       \/ irt[n] = "none" /\ irt'[n] = "prepared" /\ IrtCoord \in members
       \/ /\ irt'[n] = "committed"
          /\ \/ n = IrtCoord /\ irt[n] = "prepared" /\ Cardinality({m \in members \union {n} : irt[m] # "none"}) >= Majority
             \/ irt[IrtCoord] = "committed" /\ max'[n][IrtCoord] # max[n][IrtCoord]
             \/ /\ members' \subseteq members /\ members' # members /\ n \in members'
                /\ IF IrtCoord \in members' THEN irt[IrtCoord] # "none" ELSE \E m \in members' : irt[m] # "none"]_vars
\* Whoever stays when the IRT's coordinator is removed has it committed, if one of them has it; when another is removed, if
\* the coordinator has it.
TakenOverStep == [][
    (members \ members' # {} /\ \E m \in members' : irt[m] # "none" /\ (m = IrtCoord \/ IrtCoord \notin members')) =>
    \A n \in members' : irt'[n] = "committed"]_vars

\* A clock goes on with what it is read for, never back, and that of a member stays below a CRT that is prepared there.
ClockStep == [][\A n \in Node : clock'[n] # clock[n] =>
    /\ clock'[n] > clock[n] /\ n \in members'
    /\ stamped' # stamped \/ max' # max \/ log' # log \/ view' # view
    /\ (n \in members /\ crt[n] = "prepared") => clock'[n] < CrtAt]_vars
\* What is heard of a clock is what it is, with the IRT of who is heard, and the CRT where it is committed.
HeardStep == [][\A n, x \in Node : max'[n][x] # max[n][x] =>
    /\ n \in members /\ n # x /\ x \in members' /\ max'[n][x] = clock'[x]
    /\ x \in members =>
        /\ max'[n][x] > max[n][x]
        /\ crt[x] = "committed" => crt'[n] = "committed"
        /\ (x = IrtCoord /\ irt[x] # "none") => irt'[n] \in {irt[x], "committed"}]_vars

\* A member executes what is committed, once, in order, when all clocks have passed it. It executes nothing above a CRT that
\* it has prepared.
ExecuteStep == [][\A n \in members : log'[n] # log[n] => \E t \in {"crt", "irt"} :
    /\ log'[n] = Append(log[n], t) /\ \A i \in DOMAIN log[n] : log[n][i] # t
    /\ IF t = "crt" THEN crt[n] = "committed"
                    ELSE irt[n] = "committed" /\ (crt[n] # "none" => \E i \in DOMAIN log[n] : log[n][i] = "crt")
    /\ LET at == IF t = "crt" THEN CrtAt ELSE IrtAt IN
       clock'[n] > at /\ \A x \in members \ {n} : max[n][x] > at]_vars

\* A view removes one member or adds one new replica, which has what a member executed, and the IRT as that has it. Its
\* clock lies above all that members executed and not below theirs; all of them hear of it.
MemberStep == [][members' # members \/ view' # view =>
    /\ view' = view + 1
    /\ \/ \E n \in members : members' = members \ {n} /\ members' # {} /\ log' = log
       \/ \E n \in Spare \ members :
          /\ members' = members \union {n} /\ log[n] = <<>> /\ crt[n] = "none"
          /\ \E x \in members : log' = [log EXCEPT ![n] = log[x]] /\ irt'[n] = irt[x]
          /\ \A m \in members : clock'[n] >= clock[m] /\ max'[m][n] = clock'[n]
          /\ \A m \in members : \A i \in DOMAIN log[m] : clock'[n] > IF log[m][i] = "crt" THEN CrtAt ELSE IrtAt]_vars
===============================================================================
