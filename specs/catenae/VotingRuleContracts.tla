--------------------------- MODULE VotingRuleContracts ---------------------------
(***************************************************************************)
(* What a round of votes is: mutants of VotingRule's one action, which     *)
(* only fill in votes, are caught here.                                    *)
(***************************************************************************)
EXTENDS MCVotingRule

\* The two ways round the ring, all bits set or none, are no executions.
CodeInv == \A d \in DC : cast[d] # NotYet =>
    \E i, j \in Txn : Bit(cast[d], i) = 1 /\ Bit(cast[d], j) = 0
\* Data centres vote one after the other, once each, in the order of their codes.
CastStep == [][\E d \in DC :
    /\ cast[d] = NotYet /\ \A e \in DC \ {d} : cast'[e] = cast[e]
    /\ \A e \in DC : e < d => cast[e] # NotYet /\ cast[e] <= cast'[d]]_vars
================================================================================
