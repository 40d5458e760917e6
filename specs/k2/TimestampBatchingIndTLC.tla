----------------------- MODULE TimestampBatchingIndTLC -----------------------
(* TimestampBatchingInd for TLC, which takes one step from each state of the domain. *)
EXTENDS TimestampBatchingInd, TLC

OneStep == TLCGet("level") < 1
=============================================================================
