--------------------------- MODULE ReadOnlyContracts ---------------------------
(***************************************************************************)
(* What readers and the coordinators that serve them owe each other. The   *)
(* paper claims none of this; mutants of ReadOnly that leave its claims    *)
(* intact are caught here. For the reading View = "timestamp"; what        *)
(* Validation does beside readers is judged by ValidationContracts.        *)
(***************************************************************************)
EXTENDS MCReadOnly

\* Readers that want different keys.
CWanted == [r \in Reader |-> IF r = 11 THEN {1, 2} ELSE {1}]

KeysSeen(r) == {x[1] : x \in view[r]}

\* A reader is asked once, reads, and is answered when it has all.
AskedStep == [][\A r \in Reader : asked'[r] # asked[r] =>
    \/ asked[r] = "new" /\ asked'[r] = "reading"
    \/ asked[r] = "reading" /\ asked'[r] = "ok" /\ KeysSeen(r) = Wanted[r] /\ view' = view]_allVars
\* Its timestamp is the epoch in which it began, for good; who had its answer before is noted.
BeginStep == [][
    /\ \A r \in Reader : IF asked[r] = "new" /\ asked'[r] = "reading"
                         THEN at'[r] = clock[Place[r]] ELSE at'[r] = at[r]
    /\ \A r \in Reader : IF asked[r] = "new" /\ asked'[r] = "reading"
         THEN {p[1] : p \in {x \in before' : x[2] = r}} =
                {t \in Txn : reply[t].status = "ok"} \union {q \in Reader : asked[q] = "ok"}
         ELSE {p \in before' : p[2] = r} = {p \in before : p[2] = r}]_allVars
\* Until it begins it has read nothing, and nothing came before it.
NewInv == \A r \in Reader : asked[r] = "new" =>
    at[r] = 0 /\ view[r] = {} /\ \A p \in before : p[2] # r
\* It reads one of its keys at a time, each once, and nothing else happens meanwhile.
ViewStep == [][\A r \in Reader : view'[r] # view[r] => \E k \in Wanted[r] \ KeysSeen(r) :
    /\ asked[r] = "reading" /\ asked' = asked /\ UNCHANGED vars
    /\ \E w \in Txn \union {Nobody} : view'[r] = view[r] \union {<<k, w>>}]_allVars
\* What it reads is the last version up to its timestamp.
VersionStep == [][\A r \in Reader : \A x \in view'[r] \ view[r] :
    LET d == Place[r]
        old == {t \in Txn : /\ x[1] \in Writes[t] /\ state[d][t] \in {"committed", "caughtup"}
                            /\ stamp[d][t] <= at[r]}
    IN  IF old = {} THEN x[2] = Nobody
        ELSE x[2] \in old /\ \A t \in old : stamp[d][t] < stamp[d][x[2]] \/ (stamp[d][t] = stamp[d][x[2]] /\ t <= x[2])]_allVars
\* And no writer of the key that is still to be decided there can come before that.
OutsideStep == [][\A r \in Reader : \A x \in view'[r] \ view[r] : \A t \in Txn :
    LET d == Place[r]
    IN  x[1] \in Writes[t] /\ state[d][t] \in {"executed", "decided"} =>
            \A v \in got[d][t] : v.dc = d => at[r] < v.low]_allVars
\* It waits for nothing else.
CanInv == \A r \in Reader : asked[r] = "reading" =>
    LET d == Place[r]
    IN  /\ KeysSeen(r) = Wanted[r] => ENABLED ReturnRead(r)
        /\ \A k \in Wanted[r] \ KeysSeen(r) :
             (\A t \in Txn : k \in Writes[t] /\ state[d][t] \in {"executed", "decided"} =>
                  \A v \in got[d][t] : v.dc = d => at[r] < v.low) => ENABLED ReadKey(r, k)
\* Steps of coordinators leave readers alone, and readers leave coordinators alone.
ApartStep == [][vars' = vars \/ roVars' = roVars]_allVars
================================================================================
