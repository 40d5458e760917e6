-------------------------- MODULE MCStretchableClock --------------------------
\* Bounds for checking StretchableClock: system clocks, timestamps made, entries of waitQ, frac.
EXTENDS StretchableClock

CONSTANTS
    \* @type: Int;
    MaxWall,
    \* @type: Int;
    MaxMade,
    \* @type: Int;
    MaxFrac

\* A state beyond the bounds is not explored further.
Bounded ==
    /\ Cardinality(made) <= MaxMade
    /\ \A n \in Node : /\ wall[n] <= MaxWall /\ wall[n] + offset[n] <= MaxWall + 2
                       /\ last[n][3] <= MaxFrac /\ Cardinality(waitQ[n]) <= 1
=============================================================================
