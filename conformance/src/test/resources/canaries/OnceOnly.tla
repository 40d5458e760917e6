----------------------------- MODULE OnceOnly -----------------------------
(* A temporal property that more than one worker may miss (tlaplus issue 971). *)
VARIABLE on

Init == on = FALSE
Next == on' \in BOOLEAN
Spec == Init /\ [][Next]_on

OffForGoodLive == [](on => [](~on => []~on))
=============================================================================
