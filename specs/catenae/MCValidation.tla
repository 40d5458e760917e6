---------------------------- MODULE MCValidation ----------------------------
(* Small worlds for Validation. *)
EXTENDS Validation, TLC

CONSTANT World

MCTxn == CASE World = "single" -> 1..1
           [] World \in {"update2", "blind2", "reader2"} -> 1..2
           [] OTHER -> 1..3
MCKey == IF World \in {"reader2", "cascade3"} THEN 1..2 ELSE 1..1

\* single, update2, update3: everybody updates key 1. blind2: everybody overwrites
\* it, blind3: three do. reader2: 1 reads two keys that 2 writes. cascade3: 1 overwrites key 1, 2
\* updates 1 and overwrites 2, 3 updates 2.
MCReads == [t \in MCTxn |->
    CASE World \in {"single", "update2", "update3"} -> {1}
      [] World \in {"blind2", "blind3"} -> {}
      [] World = "reader2" -> IF t = 1 THEN {1, 2} ELSE {}
      [] World = "cascade3" -> CASE t = 1 -> {} [] t = 2 -> {1} [] OTHER -> {2}]
MCWrites == [t \in MCTxn |->
    CASE World \in {"single", "update2", "update3", "blind2", "blind3"} -> {1}
      [] World = "reader2" -> IF t = 1 THEN {} ELSE {1, 2}
      [] World = "cascade3" -> CASE t = 1 -> {1} [] t = 2 -> {1, 2} [] OTHER -> {2}]
MCOrigin == [t \in MCTxn |-> IF t \in DC THEN t ELSE 1]

(* Constraints: fewer interleavings, each of them a possible one. *)

\* Transaction 3 comes after the others are settled everywhere.
ThirdLast ==
    \A d \in DC : state[d][3] # "new" =>
        \A e \in DC, t \in {1, 2} : Resolved(e, t)

\* Data centre 2 executes 2 before 1; the others execute 2 when they have committed 1.
OneBehind ==
    /\ state[3][1] # "new" => state[1][1] # "new"
    /\ state[2][2] # "new" => state[3][1] # "new"
    /\ state[2][1] # "new" => state[2][2] # "new"
    /\ state[1][2] # "new" => Applied(1, 1)
    /\ state[3][2] # "new" => Applied(3, 1) /\ state[1][2] # "new"

\* With GiveUp and Periods = "all" a vote that arrives changes nothing before all are
\* there. Every behaviour has one like it in which, when all have voted on a transaction,
\* a data centre hears the votes one after the other, in the order of the voters.
HeardTogether ==
    LET Others(d, t) == {v.dc : v \in got[d][t]} \ {d}
        hearing == {p \in DC \X Txn : Others(p[1], p[2]) \notin {{}, DC \ {p[1]}}}
    IN  /\ Cardinality(hearing) <= 1
        /\ \A p \in hearing : \A e \in DC : state[e][p[2]] # "new"
        /\ \A p \in hearing : \A e \in Others(p[1], p[2]), f \in DC \ {p[1]} :
             f < e => f \in Others(p[1], p[2])

\* Data centre 2 executes 1, 3, 2; the others 3, 1, 2.
TwoWaysToOne ==
    /\ \A d \in DC : state[d][2] # "new" => state[d][1] # "new" /\ state[d][3] # "new"
    /\ \A d \in DC \ {2} : state[d][1] # "new" => state[d][3] # "new"
    /\ state[2][3] # "new" => state[2][1] # "new"

\* One data centre after the other executes everything, in an order of its own;
\* then all votes arrive; then one data centre after the other decides.
Phased ==
    LET Started(d) == \E t \in Txn : state[d][t] # "new"
        Ready(d) == \A t \in Txn : state[d][t] # "new"
        Heard(d) == \E t \in Txn : \E v \in got[d][t] : v.dc # d
        HeardAll(d) == \A t \in Txn : Cardinality(got[d][t]) = Cardinality(DC)
        Deciding(d) == \E t \in Txn : state[d][t] \notin {"new", "executed"}
        Settled(d) == \A t \in Txn : Resolved(d, t)
        \* Within a data centre: by transaction, then by voter.
        InOrder(d) ==
            /\ \A t, u \in Txn : t < u /\ (\E v \in got[d][u] : v.dc # d)
                 => Cardinality(got[d][t]) = Cardinality(DC)
            /\ \A t \in Txn : \A v \in got[d][t] : v.dc # d =>
                 \A e \in DC : e < v.dc => \E w \in got[d][t] : w.dc = e
    IN  \A d, e \in DC :
          /\ d < e => /\ Started(e) => Ready(d)
                      /\ Heard(e) => HeardAll(d)
                      /\ Deciding(e) => Settled(d)
          /\ Heard(d) => Ready(e)
          /\ Deciding(d) => HeardAll(e)
          /\ InOrder(d)

(* Another beginning: everybody has executed everything, each in an order of its own, *)
(* and every vote has arrived. What comes then comes in any order.                    *)

Orders == {o \in [1..Cardinality(Txn) -> Txn] : \A i, j \in DOMAIN o : o[i] = o[j] => i = j}

\* d's vote after executing in the order o.
VoteIn(d, o, t) ==
    LET place == CHOOSE i \in DOMAIN o : o[i] = t
        Writers(k) == {i \in 1..(place - 1) : k \in Writes[o[i]]}
    IN  [dc |-> d, t |-> t, deps |-> {o[i] : i \in {j \in 1..(place - 1) : Clash(t, o[j]) # {}}},
         reads |-> {<<k, IF Writers(k) = {} THEN Nobody ELSE o[Max(Writers(k))]>> : k \in Reads[t]},
         low |-> 1 + Delay, high |-> 1 + Delay + Offset]

VotedInit == \E order \in [DC -> Orders] :
    /\ clock = [d \in DC |-> 1]
    /\ exec = order
    /\ state = [d \in DC |-> [t \in Txn |-> "executed"]]
    /\ got = [d \in DC |-> [t \in Txn |-> {VoteIn(e, order[e], t) : e \in DC}]]
    /\ waited = [d \in DC |-> [t \in Txn |-> FALSE]]
    /\ stamp = [d \in DC |-> [t \in Txn |-> 0]]
    /\ store = [d \in DC |-> [k \in Key |-> [w |-> Nobody, from |-> {}, ts |-> 0]]]
    /\ reply = [t \in Txn |-> [status |-> "none", reads |-> {}]]
    /\ msgs = {VoteMsg(p[1], VoteIn(p[2], order[p[2]], t)) : p \in {q \in DC \X DC : q[1] # q[2]}, t \in Txn}

\* Constraint: one data centre after the other decides. When all votes are there none
\* depends on another, and what is decided stays.
InTurn == \A d, e \in DC :
    d < e /\ (\E t \in Txn : state[e][t] # "executed") => \A t \in Txn : Resolved(d, t)

VotedSpec == VotedInit /\ [][Next]_vars

\* MajorityInv as VI-D2 has it, by dependencies alone, whatever the repairs.
DependencyMajorityInv ==
    \A t \in Txn :
        LET cast == UNION {got[d][t] : d \in DC}
        IN  (\E v \in cast : Majority({x.dc : x \in {y \in cast : y.deps = v.deps}})) =>
                \A d \in DC : state[d][t] = "aborted" =>
                    \E v \in cast : \E r \in v.reads : r[2] # Nobody /\ state[d][r[2]] = "aborted"
=============================================================================
