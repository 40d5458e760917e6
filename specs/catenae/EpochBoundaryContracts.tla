------------------------ MODULE EpochBoundaryContracts ------------------------
(***************************************************************************)
(* What the coordinators of different data centres owe each other at the   *)
(* boundary of an epoch. The paper claims none of this; mutants of         *)
(* EpochBoundary that leave its claims intact are caught here.             *)
(***************************************************************************)
EXTENDS MCEpochBoundary

Repaired(name) == name \in Repairs
Quietly == failovers = 0 \/ Repaired("handOver")
\* Whose payload of epoch n is at d, and the transactions in it.
Present(d, n) == {e \in DC : known[d][e][n] # {}}
Brought(d, n) == UNION {p.txns : p \in UNION {known[d][e][n] : e \in DC}}
Most(S) == 2 * Cardinality(S) > Cardinality(DC)
Done(d) == UNION {log[d][i].txns : i \in DOMAIN log[d]}

-----------------------------------------------------------------------------
(* Clients and clocks *)

\* Transactions join the batch of the epoch that their coordinator is in; nothing else does.
ReceiveStep == [][
    /\ accepted \subseteq accepted'
    /\ \A t \in accepted' \ accepted : clock[Origin[t]] <= MaxEpoch /\ batch'[Origin[t]] = batch[Origin[t]] \union {t}
    /\ \A d \in DC : \A t \in batch'[d] \ batch[d] : Origin[t] = d /\ t \in accepted' \ accepted]_vars
\* Whoever has not asked is taken, however many are in the batch.
TakesInv == \A t \in Txn \ accepted : clock[Origin[t]] <= MaxEpoch => ENABLED Receive(Origin[t], t)
\* What was accepted waits in a batch or was sent in one payload.
AcceptedOnceInv == Quietly => \A t \in Txn :
    Cardinality({n \in Epoch : \E p \in known[Origin[t]][Origin[t]][n] : t \in p.txns})
      + (IF t \in batch[Origin[t]] THEN 1 ELSE 0) = (IF t \in accepted THEN 1 ELSE 0)
\* What was scheduled waits for its vote to leave, or was voted on in one payload.
VotedOnceInv == Quietly => \A d \in DC, t \in Txn :
    Cardinality({n \in Epoch : \E p \in known[d][d][n] : t \in p.votes})
      + (IF t \in ballot[d] THEN 1 ELSE 0) = (IF t \in Done(d) THEN 1 ELSE 0)

SkewInv == \A d, e \in DC : clock[d] - clock[e] <= Skew /\ clock[d] <= MaxEpoch + 1
\* At the end of an epoch its batch and ballot are the payload, sent to all others with those of the
\* two epochs before (with repair repeatUntilKnown, of all epochs before).
BoundaryStep == [][\A d \in DC : clock'[d] # clock[d] =>
    LET n == clock[d]
        first == IF Repaired("repeatUntilKnown") \/ n < 3 THEN 1 ELSE n - 2
    IN  /\ clock'[d] = n + 1
        /\ known'[d][d][n] = {[txns |-> batch[d], votes |-> ballot[d]]}
        /\ batch'[d] = {} /\ ballot'[d] = {}
        /\ \A e \in DC \ {d} : \E m \in msgs' :
             /\ m.from = d /\ m.to = e /\ m.epoch = n /\ DOMAIN m.payload = first..n
             /\ \A i \in first..n : m.payload[i] = known'[d][d][i]
        /\ losses' = losses /\ failovers' = failovers]_vars
\* Whose epoch has ended has said what was in it, and nobody else has.
OwnInv == \A d \in DC, n \in Epoch : (known[d][d][n] # {}) = (n < clock[d])

-----------------------------------------------------------------------------
(* Messages *)

\* Messages come from epochs' ends, and are lost one at a time, as often as the bound says.
MessageStep == [][
    /\ \A m \in msgs' \ msgs : m.from # m.to /\ m.epoch = clock[m.from] /\ clock'[m.from] = m.epoch + 1
    /\ msgs \subseteq msgs' \/ (losses' = losses + 1 /\ Cardinality(msgs \ msgs') = 1)
    /\ losses' # losses => ~(msgs \subseteq msgs')]_vars
FaultsInv == losses <= MaxLoss /\ failovers <= MaxFailover
\* What is known of others came in a message, is all that the message brought, and the first of each epoch counts.
LearnStep == [][\A d, e \in DC : d # e /\ known'[d][e] # known[d][e] => \E m \in msgs :
    /\ m.from = e /\ m.to = d
    /\ \A n \in Epoch : known'[d][e][n] =
         IF known[d][e][n] = {} /\ n \in DOMAIN m.payload THEN m.payload[n] ELSE known[d][e][n]]_vars
\* Of its own a coordinator learns at the epochs' ends, or forgets in a failover.
OwnStep == [][\A d \in DC : known'[d][d] # known[d][d] => clock'[d] # clock[d] \/ failovers' # failovers]_vars

-----------------------------------------------------------------------------
(* Scheduling *)

\* Epoch after epoch, with all that is there; all payloads have to be there, or a majority with its own, or the
\* tolerance is used up.
ScheduleStep == [][\A d \in DC : next'[d] # next[d] =>
    LET n == next[d]
    IN  /\ next'[d] = n + 1
        /\ log'[d] = Append(log[d], [epoch |-> n, txns |-> Brought(d, n)])
        /\ ballot'[d] = ballot[d] \union Brought(d, n)
        /\ \/ Present(d, n) = DC
           \/ Mode = "majority" /\ Most(Present(d, n)) /\ d \in Present(d, n)
           \/ Tolerance > 0 /\ clock[d] - n > Tolerance]_vars
\* What comes after its epoch was scheduled, within the tolerance, is executed at once if that is the reading.
LateNow(d, e) == {n \in Epoch : /\ n < next[d] /\ clock[d] - n <= Tolerance
                                   /\ known[d][e][n] = {} /\ known'[d][e][n] # {}}
BroughtLate(d, e) == IF Late = "run" THEN UNION {p.txns : p \in UNION {known'[d][e][n] : n \in LateNow(d, e)}} ELSE {}
LateStep == [][\A d \in DC :
    /\ \A e \in DC \ {d} : BroughtLate(d, e) # {} =>
         /\ \E n \in LateNow(d, e) : /\ log'[d] = Append(log[d], [epoch |-> n, txns |-> BroughtLate(d, e)])
                                       /\ \A i \in LateNow(d, e) : i <= n
         /\ ballot'[d] = ballot[d] \union BroughtLate(d, e)
    /\ next'[d] = next[d] /\ log'[d] # log[d] => \E e \in DC \ {d} : BroughtLate(d, e) # {}]_vars
\* Scheduling alone makes work for the next payload.
BallotStep == [][\A d \in DC : ballot'[d] # ballot[d] =>
    clock'[d] # clock[d] \/ log'[d] # log[d] \/ failovers' # failovers]_vars

\* An epoch ends by the clock, whatever has come from others. What is there is scheduled, and what is missing for longer than
\* the tolerance is done without.
GoesOnInv == \A d \in DC :
    LET n == next[d]
    IN  /\ clock[d] <= MaxEpoch /\ (\A e \in DC : clock[d] < clock[e] + Skew) => ENABLED EndEpoch(d)
        /\ n <= MaxEpoch =>
             /\ Present(d, n) = DC \/ (Mode = "majority" /\ Most(Present(d, n)) /\ d \in Present(d, n)) => ENABLED Schedule(d)
             /\ Tolerance > 0 /\ Present(d, n) # DC /\ clock[d] - n > Tolerance => ENABLED Skip(d)

-----------------------------------------------------------------------------
(* Failover *)

\* The secondary knows what others sent and what is scheduled; of the primary's own it knows, with repair handOver, all,
\* else nothing, and it speaks for it with empty payloads.
FailOverStep == [][failovers' # failovers =>
    /\ failovers' = failovers + 1
    /\ clock' = clock /\ next' = next /\ log' = log /\ msgs' = msgs /\ losses' = losses /\ accepted' = accepted
    /\ \A d, e \in DC : d # e => known'[d][e] = known[d][e]
    /\ IF Repaired("handOver") THEN batch' = batch /\ ballot' = ballot /\ known' = known
       ELSE \E d \in DC :
              /\ batch'[d] = {} /\ ballot'[d] = {}
              /\ \A n \in Epoch : known'[d][d][n] = IF n < clock[d] THEN {[txns |-> {}, votes |-> {}]} ELSE {}
              /\ \A e \in DC \ {d} : batch'[e] = batch[e] /\ ballot'[e] = ballot[e] /\ known'[e] = known[e]]_vars
================================================================================
