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

\* What comes before t in an execution: whoever has a way to t round the ring on which every pair of neighbours is
\* ordered like that.
Ahead(code, u, t) == \E k \in 1..(Txns - 1) :
    \/ ((u + k - 1) % Txns) + 1 = t /\ \A i \in 0..(k - 1) : Bit(code, ((u + i - 1) % Txns) + 1) = 1
    \/ ((t + k - 1) % Txns) + 1 = u /\ \A i \in 0..(k - 1) : Bit(code, ((t + i - 1) % Txns) + 1) = 0
\* With repair closure a vote names all of it.
NamedInv == \A d \in Voted : \A t \in Txn : DepsOf[cast[d]][t] = {u \in Txn \ {t} : Ahead(cast[d], u, t)}
================================================================================
