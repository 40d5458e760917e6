--------------------------- MODULE ExceptTuple ---------------------------
(* A function that EXCEPT changed, read as a sequence (tlaplus issue 1145). *)
EXTENDS Naturals, Sequences

VARIABLE second

Part(s) == SubSeq(s, 2, 3)

Init == second = Part([[i \in 1..3 |-> 0] EXCEPT ![2] = 5])[1]
Next == UNCHANGED second
Spec == Init /\ [][Next]_second

ChangedInv == second = 5
=============================================================================
