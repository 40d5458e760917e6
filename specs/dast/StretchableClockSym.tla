------------------------ MODULE StretchableClockSym ------------------------
(***************************************************************************)
(* StretchableClockInd's invariant as a start for Apalache: every variable *)
(* any value of its type that satisfies it. Times are unbounded; a waitQ   *)
(* has at most three entries, and three timestamps were made: a step adds  *)
(* one of each, and compares it with one of each.                          *)
(***************************************************************************)
EXTENDS StretchableClockInd, Apalache

SymInit ==
    /\ wall \in [Node -> Int]
    /\ offset \in [Node -> Int]
    /\ last = Gen(3) /\ DOMAIN last = Node
    /\ waitQ = Gen(3) /\ DOMAIN waitQ = Node
    /\ below \in [Node -> BOOLEAN]
    /\ made = Gen(3)
    /\ repeated \in BOOLEAN
    /\ fellBack \in BOOLEAN
    /\ IndInv
=============================================================================
