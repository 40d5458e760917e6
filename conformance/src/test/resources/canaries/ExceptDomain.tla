--------------------------- MODULE ExceptDomain ---------------------------
(* EXCEPT twice on a function whose domain is a set of functions (tlaplus issue 1302). *)
EXTENDS Naturals

VARIABLES once, twice

Keys == [{1} -> {1, 2}]
Key(n) == [i \in {1} |-> n]

Init ==
    /\ once = [[k \in Keys |-> 0] EXCEPT ![Key(1)] = [i \in {1} |-> 7]]
    /\ twice = [once EXCEPT ![Key(2)] = 9]
Next == UNCHANGED <<once, twice>>
Spec == Init /\ [][Next]_<<once, twice>>

DomainInv == DOMAIN twice = Keys
=============================================================================
