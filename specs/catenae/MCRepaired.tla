------------------------------ MODULE MCRepaired ------------------------------
(* Small worlds for Repaired. *)
EXTENDS Repaired, TLC

CONSTANT World

\* single: one transaction that writes two keys. update2: two update key 1. epochs2: the same in two
\* epochs.
MCTxn == IF World = "single" THEN 1..1 ELSE 1..2
MCKey == IF World = "single" THEN 1..2 ELSE 1..1
MCReads == [t \in MCTxn |-> IF World = "single" THEN {} ELSE {1}]
MCWrites == [t \in MCTxn |-> IF World = "single" THEN {1, 2} ELSE {1}]
MCOrigin == [t \in MCTxn |-> t]
MCBatch == [t \in MCTxn |-> IF World = "epochs2" THEN t ELSE 1]
MCReadsAt == [r \in Reader |-> 2]

(* Constraints: fewer interleavings. *)

\* Epoch messages leave in the order of the transactions' numbers.
InOrder == \A t, u \in Txn : t < u /\ u \in sent => t \in sent \/ Origin[t] \notin up

\* A ballot begins only where a data centre is lost.
AfterOutage == \A t \in Txn : (\E b \in 1..MaxBallot : proposal[t][b] # None) => up # DC

\* Data centre 3 executes nothing and joins no ballot: it learns. The others execute in the order of numbers, and a
\* ballot begins when both have voted.
ThirdLearns ==
    /\ \A t \in Txn :
         /\ vote[3][t] = None /\ promised[3][t] = 0
         /\ (\E b \in 1..MaxBallot : proposal[t][b] # None) => \A d \in {1, 2} : vote[d][t] # None
    /\ \A t, u \in Txn, d \in {1, 2} : t < u /\ vote[d][u] # None => vote[d][t] # None
=============================================================================
