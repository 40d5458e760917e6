---------------------------- MODULE MCVotingRule ----------------------------
(* VotingRule's bounds are plain numbers: see its configuration. *)
EXTENDS VotingRule

\* Every data centre goes round the ring but for one pair: enough to find a failure, not to show its absence.
OneBackward == \A d \in Voted : Cardinality({i \in Txn : Bit(cast[d], i) = 0}) <= 1
===============================================================================
