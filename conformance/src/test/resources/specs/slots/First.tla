---- MODULE First ----
\* Uses as variables the names that Second defines as operators.
VARIABLES alpha, beta
Init == alpha = 1 /\ beta = 2
Next == UNCHANGED <<alpha, beta>>
====
