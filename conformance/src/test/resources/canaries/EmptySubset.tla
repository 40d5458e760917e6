---------------------------- MODULE EmptySubset ----------------------------
(* Two names bound to the subsets of the empty set, of which there is one. *)
EXTENDS Naturals

VARIABLE taken

Init == taken = 0
Next ==
    /\ taken = 0
    /\ \E p, q \in SUBSET {} : taken' = IF p = q THEN 1 ELSE 2
Spec == Init /\ [][Next]_taken

TakenInv == taken \in {0, 1}
=============================================================================
