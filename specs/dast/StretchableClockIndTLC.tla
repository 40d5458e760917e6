----------------------- MODULE StretchableClockIndTLC -----------------------
(* StretchableClockInd for TLC, which takes one step from each state of the domain: as an ACTION_CONSTRAINT
   OneStep lets no step lead on. It asks no level, which versions of TLC count differently. *)
EXTENDS StretchableClockInd

OneStep == vars # vars
=============================================================================
