------------------------ MODULE MCStretchableClockInd ------------------------
\* StretchableClockInd's invariant from the start on, with MCStretchableClock's bounds.
EXTENDS MCStretchableClock, StretchableClockInd
=============================================================================
