----------------------- MODULE ValidationContractsOrders -----------------------
(* ValidationContracts where three data centres execute in two combinations   *)
(* of orders, so that the model stays small enough to judge mutants.          *)
EXTENDS ValidationContracts

\* Constraint beside SomeOrders: 2 before 1 in the second data centre; in the third 1 comes second.
FewOrders ==
    /\ state[2][1] # "new" => state[2][2] # "new"
    /\ ~(state[3][1] = "new" /\ state[3][2] # "new" /\ state[3][3] # "new")
================================================================================
