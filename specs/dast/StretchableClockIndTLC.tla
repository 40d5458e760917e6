----------------------- MODULE StretchableClockIndTLC -----------------------
(* StretchableClockInd for TLC, which takes one step from each state of the domain. *)
EXTENDS StretchableClockInd, TLC

OneStep == TLCGet("level") < 1
=============================================================================
