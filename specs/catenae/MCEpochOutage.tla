---------------------------- MODULE MCEpochOutage ----------------------------
(* EpochBoundary where a data centre is lost for good (VIII-B): do the others go on?            *)
EXTENDS MCEpochBoundary

VARIABLE
    \* @type: Set(Int);
    up        \* data centres that are alive

outVars == <<vars, up>>

\* One data centre is lost. Counters follow real time, so that its own holds nobody up.
GoDown(d) ==
    /\ up = DC
    /\ up' = DC \ {d}
    /\ clock' = [clock EXCEPT ![d] = MaxEpoch + 1]
    /\ UNCHANGED <<batch, ballot, known, next, log, accepted, msgs, losses, failovers>>

UpReceive(d, t) == d \in up /\ Receive(d, t) /\ UNCHANGED up
UpEndEpoch(d) == d \in up /\ EndEpoch(d) /\ UNCHANGED up
UpSchedule(d) == d \in up /\ Schedule(d) /\ UNCHANGED up
UpSkip(d) == d \in up /\ Skip(d) /\ UNCHANGED up
UpHandleEpoch(m) == m.to \in up /\ HandleEpoch(m) /\ UNCHANGED up
UpLose(m) == Lose(m) /\ UNCHANGED up

OutageNext ==
    \/ \E d \in DC : GoDown(d)
    \/ \E d \in DC, t \in Txn : UpReceive(d, t)
    \/ \E d \in DC : UpEndEpoch(d)
    \/ \E d \in DC : UpSchedule(d)
    \/ \E d \in DC : UpSkip(d)
    \/ \E m \in msgs : UpHandleEpoch(m)
    \/ \E m \in msgs : UpLose(m)

OutageSpec == Init /\ up = DC /\ [][OutageNext]_outVars

UpQuiet ==
    /\ \A d \in up : ~ENABLED UpEndEpoch(d) /\ ~ENABLED UpSchedule(d) /\ ~ENABLED UpSkip(d)
    /\ \A m \in msgs : ~ENABLED UpHandleEpoch(m)

\* claimed (VIII-B, with a tolerance or in majority mode): whoever is up goes on scheduling.
NoWaitUpInv == UpQuiet => \A d \in up, n \in Settled : next[d] > n

\* Constraint: data centre 3 is the one that is lost, before any epoch ends.
ThirdLost == IF up = DC THEN \A d \in DC : clock[d] = 1 ELSE 3 \notin up

\* Two survivors hold different sets for an epoch in which the lost one sent something.
SurvivorsDifferReach == \E d, e \in up : \E b \in Range(log[d]), c \in Range(log[e]) : b.epoch = c.epoch /\ b.txns # c.txns
==============================================================================
