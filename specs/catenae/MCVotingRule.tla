----------------------------- MODULE MCVotingRule -----------------------------
(* VotingRule's bounds are plain numbers: see its configuration. *)
EXTENDS VotingRule
===============================================================================
