---- MODULE Second ----
VARIABLES gamma, delta
beta == <<gamma, "beta">>
alpha == <<delta, "alpha">>
Init == gamma = 10 /\ delta = 20
Next == UNCHANGED <<gamma, delta>>
====
