--------------------------- MODULE LazyArgument ---------------------------
(* An argument that is evaluated in another state than the one it belongs to (tlaplus issues 113, 798). *)
EXTENDS Naturals

VARIABLES x, y

Twice(n) == LET m == n + n IN m

Init == \E v \in 0..2 : x = v /\ v > 0 /\ y = Twice(v)
Next == \E v \in 0..2 : x' = v /\ v > x /\ y' = Twice(x')
Spec == Init /\ [][Next]_<<x, y>>

TwiceInv == y = 2 * x
=============================================================================
