--------------------------- MODULE MCRepairedVotes ---------------------------
(* Repaired's ballots on one transaction, on which data centres vote as they like: with the     *)
(* other one, which was aborted before, as a dependency or without. Where one transaction reads *)
(* nothing and is alone (MCRepaired), all votes are the same.                                   *)
EXTENDS Repaired, TLC

MCOrigin == [t \in Txn |-> 1]
MCReads == [t \in Txn |-> {}]
MCWrites == [t \in Txn |-> {1}]
MCReadsAt == [r \in Reader |-> 1]

Voted == 1
Aborted == 2
Commit(D) == [kind |-> "commit", deps |-> D, reads |-> {}, low |-> 1]

VotesInit ==
    /\ up = DC /\ sent = Txn
    /\ vote = [d \in DC |-> [t \in Txn |-> None]]
    /\ exec = [d \in DC |-> <<>>]
    /\ promised = [d \in DC |-> [t \in Txn |-> 0]]
    /\ accepted = [d \in DC |-> [t \in Txn |-> 0]]
    /\ proposal = [t \in Txn |-> [b \in 1..MaxBallot |-> None]]
    /\ final = [d \in DC |-> [t \in Txn |-> IF t = Aborted THEN Abort ELSE None]]
    /\ stamp = [d \in DC |-> [t \in Txn |-> 0]]
    /\ reply = [t \in Txn |-> [status |-> "none", reads |-> {}]]
    /\ reader = [r \in Reader |-> [at |-> 0, reads |-> {}]]

\* A data centre executes the transaction and votes.
Cast(d, D) ==
    /\ d \in up /\ vote[d][Voted] = None /\ ~Settled(d, Voted) /\ promised[d][Voted] = 0
    /\ vote' = [vote EXCEPT ![d][Voted] = Commit(D)]
    /\ exec' = [exec EXCEPT ![d] = <<Voted>>]
    /\ UNCHANGED <<up, sent, promised, accepted, proposal, final, stamp, reply, reader>>

VotesNext ==
    \/ \E d \in DC : GoDown(d)
    \/ \E d \in DC, D \in {{}, {Aborted}} : Cast(d, D)
    \/ \E b \in 1..MaxBallot, P \in SUBSET DC : RunBallot(Voted, b, P)
    \/ \E d \in DC, b \in 1..MaxBallot : Accept(d, Voted, b)
    \/ \E d \in DC : \E v \in Learnable(Voted) : Learn(d, Voted, v)
VotesSpec == VotesInit /\ [][VotesNext]_vars

\* One decision, whoever learns it.
OneDecisionInv ==
    /\ Cardinality({[v EXCEPT !.low = 0] : v \in Chosen(Voted)}) <= 1
    /\ \A d, e \in DC : Settled(d, Voted) /\ Settled(e, Voted) => Same(final[d][Voted], final[e][Voted])

\* Two data centres voted otherwise, and the client has its answer.
DifferReach == reply[Voted].status = "ok"
    /\ \E d, e \in DC : None \notin {vote[d][Voted], vote[e][Voted]} /\ ~Same(vote[d][Voted], vote[e][Voted])
=============================================================================
