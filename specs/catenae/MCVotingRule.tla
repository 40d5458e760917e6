----------------------------- MODULE MCVotingRule -----------------------------
(* Bounds for VotingRule are numbers of its configuration. *)
EXTENDS VotingRule
===============================================================================
