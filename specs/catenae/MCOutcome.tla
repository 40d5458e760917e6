------------------------------ MODULE MCOutcome ------------------------------
(* A typed domain for Outcome's inductive invariant: every state that        *)
(* satisfies IndInv, whether it can be reached or not.                       *)
EXTENDS Outcome

IndInit ==
    /\ up \in SUBSET DC
    /\ vote \in [DC -> Order \union {None}]
    /\ got \in [DC -> SUBSET {d \in DC : vote[d] # None}]
    /\ outcome \in [DC -> Order \union {None, Abort}]
    /\ told = outcome[Origin]
    /\ promised = [d \in DC |-> 0]
    /\ accepted = [d \in DC |-> NotAccepted]
    /\ msgs = VotesSent
    /\ IndInv

\* Constraint: nobody has joined a ballot or decided.
Beginning == /\ \A m \in msgs : m.type \in {"vote", "prepare"}
             /\ \A d \in DC : outcome[d] = None

IndSpec == IndInit /\ [][Next]_vars

\* For Apalache: the instance that the invariant is proved for.
Instance ==
    /\ DC = {1, 2, 3}
    /\ Origin = 1
    /\ Order = {"u_t", "t_u"}
    /\ MaxDown = 3
    /\ MaxBallot = 0
    /\ Repairs = {}
CInit == Instance /\ GiveUp = "all"
HastyCInit == Instance /\ GiveUp = "early"
==============================================================================
