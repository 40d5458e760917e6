-------------------------- MODULE MCRecorderStorage --------------------------
(* Bounds for checking RecorderStorage: those of its constants. *)
EXTENDS RecorderStorage, TLC

Symmetry == Permutations(Txns)
=============================================================================
