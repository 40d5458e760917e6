---- MODULE Sets ----
\* The elements of S that satisfy nothing but membership in T.
Common(S, T) == S \cap T
====
