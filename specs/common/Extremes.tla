------------------------------ MODULE Extremes ------------------------------
(* The ends of a set of numbers that is finite and not empty. *)
EXTENDS Integers

\* In the order in which TLC enumerates numbers, the first candidate is the least:
\* neither costs more than one pass.
Least(s) == CHOOSE n \in s : \A m \in s : n <= m
Greatest(s) == 0 - Least({0 - n : n \in s})
=============================================================================
