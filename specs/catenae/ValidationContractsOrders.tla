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
================================================================================
