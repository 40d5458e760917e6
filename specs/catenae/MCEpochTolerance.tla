-------------------------- MODULE MCEpochTolerance --------------------------
(* EpochBoundary with a delay tolerance that is dynamic (VIII-B): it grows where messages are late and shrinks where an *)
(* epoch is skipped. By how much is not said. Here it is any from 1 to Tolerance at each step, in each data centre, so  *)
(* that every way to choose it is among the behaviours.                                                                 *)
EXTENDS MCEpochBoundary

With(tolerance) == INSTANCE EpochBoundary WITH Tolerance <- tolerance

SkipWith(d, tolerance) == With(tolerance)!Skip(d)
HandleEpochWith(m, tolerance) == With(tolerance)!HandleEpoch(m)

AnyToleranceNext ==
    \/ Next
    \/ \E d \in DC, tolerance \in 1..Tolerance : SkipWith(d, tolerance)
    \/ \E m \in msgs, tolerance \in 1..Tolerance : HandleEpochWith(m, tolerance)
AnyToleranceSpec == Init /\ [][AnyToleranceNext]_vars
==============================================================================
