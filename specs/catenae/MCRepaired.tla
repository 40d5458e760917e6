------------------------------ MODULE MCRepaired ------------------------------
(* Small worlds for Repaired. *)
EXTENDS Repaired, TLC

CONSTANT World

\* single: one transaction that writes two keys. update2: two update key 1. epochs2: the same in two
\* epochs. blind2: two write it unread. apart2: two update a key each. update3: three update key 1. path3: each reads what
\* the one before it writes. read2: one updates key 1, one reads it and writes nothing.
MCTxn == CASE World = "single" -> 1..1 [] World \in {"update3", "path3"} -> 1..3 [] OTHER -> 1..2
MCKey == CASE World \in {"single", "apart2"} -> 1..2 [] World = "path3" -> 1..3 [] OTHER -> 1..1
MCReads == [t \in MCTxn |->
    CASE World \in {"single", "blind2"} -> {} [] World = "apart2" -> {t} [] World = "path3" -> {t - 1} \ {0} [] OTHER -> {1}]
MCWrites == [t \in MCTxn |-> CASE World = "single" -> {1, 2} [] World \in {"apart2", "path3"} -> {t}
                               [] World = "read2" -> {1} \ {t - 1} [] OTHER -> {1}]
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

\* The same, but a ballot on transaction 1 has data centre 3 in it, begins when both have voted on both, and aborts.
FirstAborts ==
    /\ \A t \in Txn : vote[3][t] = None /\ (\A d \in {1, 2} : t < 2 \/ promised[d][t] = 0 \/ vote[d][t] # None)
    /\ promised[3][2] = 0 /\ \A b \in 1..MaxBallot : proposal[1][b] \in {None, Abort}
    /\ \A d \in {1, 2} : /\ vote[d][2] # None => vote[d][1] # None
                         /\ proposal[1][1] # None => vote[d][2] # None

\* The same without a ballot on transaction 3, which data centre 3 alone executes, when it has learned the others.
ThirdFollows ==
    /\ \A d \in {1, 2} : vote[d][3] = None /\ (vote[d][2] # None => vote[d][1] # None)
    /\ vote[3][3] # None => Settled(3, 2)
    /\ \A d \in DC : promised[d][3] = 0
    /\ \A t \in {1, 2} :
         /\ vote[3][t] = None /\ promised[3][t] = 0
         /\ proposal[t][1] # None => \A d \in {1, 2} : vote[d][t] # None

\* Data centre 1 executes transaction 2 first, the others 1; ballots are of the others, when all have voted on both.
OriginDiffers ==
    /\ vote[1][1] # None => vote[1][2] # None
    /\ \A d \in {2, 3} : vote[d][2] # None => vote[d][1] # None
    /\ \A t \in Txn :
         /\ promised[1][t] = 0
         /\ (\E b \in 1..MaxBallot : proposal[t][b] # None) => \A d \in DC, u \in Txn : vote[d][u] # None

\* Data centre 1 executes in the order of numbers, 2 with the first two exchanged, 3 not at all. Nobody learns, and the one
\* ballot is of data centres 1 and 2 on transaction 3.
OrdersDiffer ==
    /\ \A d \in DC, t \in Txn : final[d][t] = None /\ vote[3][t] = None /\ (t < 3 \/ d = 3 => promised[d][t] = 0)
    /\ \A d \in {1, 2} : exec[d] = SubSeq(IF d = 1 THEN <<1, 2, 3>> ELSE <<2, 1, 3>>, 1, Len(exec[d]))
    /\ proposal[3][1] # None => \A d \in {1, 2} : vote[d][3] # None

\* Data centre 2 executes transaction 1, is lost, comes back, executes 2; then 1 executes transaction 1 and 3 transaction 2.
\* Ballots are of data centres 1 and 2 on transaction 1, and when it is decided of 2 and 3 on transaction 2.
LostBetween ==
    /\ up # DC => up = {1, 3} /\ vote[2][1] # None /\ vote[2][2] = None /\ vote[1][1] = None /\ vote[3][2] = None
    /\ vote[1][2] = None /\ vote[3][1] = None /\ promised[1][2] = 0 /\ promised[3][1] = 0
    /\ vote[2][2] # None => vote[2][1] # None
    /\ vote[1][1] # None => vote[2][2] # None
    /\ vote[3][2] # None => vote[1][1] # None
    /\ \A d \in DC, t \in Txn : promised[d][t] # 0 => vote[3][2] # None
    /\ proposal[2][1] # None => final[1][1] # None

\* Who is left when a data centre is lost has voted on everything.
LostAfterVotes == up # DC => \A d \in up, t \in Txn : vote[d][t] # None

\* No epoch message leaves.
NeverSent == sent = {}

\* Nobody executes, data centre 2 is the one that is lost, and ballots begin then.
OnlyBallots == AfterOutage /\ DC \ {2} \subseteq up /\ \A d \in DC, t \in Txn : vote[d][t] = None

\* All execute transaction 2 first.
SecondFirst == \A d \in DC : vote[d][1] # None => vote[d][2] # None

\* Data centre 2 is the one that is lost, when it has executed something.
SecondAlone == up # DC => up = DC \ {2} /\ exec[2] # <<>>

\* Data centre 2 is the one that is lost, when it has accepted what a ballot proposes.
AcceptedAlone == up # DC => up = DC \ {2} /\ accepted[2][1] # 0

\* Data centres 1 and 2 vote before any ballot, 3 does not, and nobody learns.
ThirdJoins ==
    /\ \A d \in DC, t \in Txn : final[d][t] = None /\ vote[3][t] = None
    /\ \A t \in Txn : (\E b \in 1..MaxBallot : proposal[t][b] # None) => \A d \in {1, 2} : vote[d][t] # None
=============================================================================
