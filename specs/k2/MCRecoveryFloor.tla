--------------------------- MODULE MCRecoveryFloor ---------------------------
(* Bounds for checking RecoveryFloor: the horizon. *)
EXTENDS RecoveryFloor, TLC

CONSTANTS
    \* @type: Int;
    MaxTime

Bounded == now <= MaxTime

Symmetry == Permutations(Txns)
=============================================================================
