--------------------------- MODULE MCEpochBoundary ---------------------------
(* Bounds for EpochBoundary: transaction t's client is in data centre t; and two other          *)
(* readings of VIII-B.                                                                           *)
EXTENDS EpochBoundary

MCOrigin == [t \in Txn |-> t]

\* The execution epoch is the epoch of receipt and the estimated delay between data
\* centres, in epochs.
Estimate == 1
CounterAheadOfEstimateInv == \A d \in DC : \A b \in Range(log[d]) : clock[d] > b.epoch + Estimate

\* Any majority of epoch messages is enough: a data centre's own need not be there yet.
ScheduleAny(d) ==
    /\ next[d] <= MaxEpoch
    /\ Majority(Heard(d, next[d]))
    /\ ScheduleWith(d, Heard(d, next[d]))
AnyMajoritySpec == Init /\ [][Next \/ \E d \in DC : ScheduleAny(d)]_vars
==============================================================================
