----------------------- MODULE ValidationContractsOrders -----------------------
(* ValidationContracts where three data centres execute in two combinations   *)
(* of orders, so that the model stays small enough to judge mutants.          *)
EXTENDS ValidationContracts

\* Constraint beside SomeOrders: 2 before 1 in the second data centre; in the third 1 comes second.
FewOrders ==
    /\ state[2][1] # "new" => state[2][2] # "new"
    /\ ~(state[3][1] = "new" /\ state[3][2] # "new" /\ state[3][3] # "new")

\* Everybody has executed three updates and every vote has arrived: 3, 1, 2 and 1, 3, 2 leave the last with equal sets of
\* dependencies and different values.
TwoWays == <<<<3, 1, 2>>, <<1, 3, 2>>>>
TwoWaysInit == \E third \in DOMAIN TwoWays :
    LET order == [d \in DC |-> IF d = 3 THEN TwoWays[third] ELSE TwoWays[d]]
    IN  /\ VotedInit
        /\ exec = order
TwoWaysSpec == TwoWaysInit /\ [][Next]_vars

\* The same, but all sets of 1 and 2 differ, which are aborted, and those of 3 in the first two data centres do not.
ThirdBehind == <<<<2, 1, 3>>, <<1, 2, 3>>, <<3, 1, 2>>>>
BehindAbortedSpec == VotedInit /\ exec = ThirdBehind /\ [][Next]_vars

\* Everybody has executed 1 and 2, the second data centre the other way round, and all their votes have arrived.
TurnedRound == [d \in DC |-> IF d = 2 THEN <<2, 1>> ELSE <<1, 2>>]
TurnedVotes(t) == {VoteIn(d, TurnedRound[d], t) : d \in DC}
CaughtUpInit ==
    /\ clock = [d \in DC |-> 1]
    /\ waited = [d \in DC |-> [t \in Txn |-> FALSE]]
    /\ stamp = [d \in DC |-> [t \in Txn |-> 0]]
    /\ store = [d \in DC |-> [k \in Key |-> [w |-> Nobody, from |-> {}, ts |-> 0]]]
    /\ reply = [t \in Txn |-> [status |-> "none", reads |-> {}]]
    /\ exec = TurnedRound
    /\ state = [d \in DC |-> [t \in Txn |-> IF t = 3 THEN "new" ELSE "executed"]]
    /\ got = [d \in DC |-> [t \in Txn |-> IF t = 3 THEN {} ELSE TurnedVotes(t)]]
    /\ msgs = {m \in {VoteMsg(d, v) : d \in DC, v \in TurnedVotes(1) \union TurnedVotes(2)} : m.to # m.vote.dc}
CaughtUpSpec == CaughtUpInit /\ [][Next]_vars
\* Constraint: the second data centre alone goes on, and executes 3 when it has caught up.
SecondAlone ==
    /\ \A d \in DC \ {2} : exec[d] = TurnedRound[d]
    /\ state[2][3] # "new" => state[2][1] = "caughtup" /\ state[2][2] = "caughtup"
================================================================================
