---- MODULE MCTwoPhase ----
EXTENDS TwoPhase
MCNext == Next
MCSpec == Init /\ [][MCNext]_vars
MCFairSpec == MCSpec /\ WF_vars(MCNext)
====
