------------------------------- MODULE Repaired -------------------------------
(***************************************************************************)
(* Catenae across data centres with all repairs at once: the protocol that *)
(* machines follow. Do clients see one-copy serializability, do replicas   *)
(* converge, does what was acknowledged survive, and does nobody wait for  *)
(* ever, when a data centre is lost (sections I, V, VI-D to VI-F, VIII-B)? *)
(*                                                                         *)
(* The parts were checked apart: `closure` in VotingRule, `ballots` in     *)
(* Outcome, `results`, `versions`, `cascadeAll`, `stampAfterDeps` and      *)
(* `stampInAll` in Validation. The last contradicts `ballots`: it waits    *)
(* for the decision periods of all data centres, which a lost one never    *)
(* tells. Settled here by two other repairs:                               *)
(*   stampByEpoch   a commit timestamp follows from the epoch of the       *)
(*                  transaction and the timestamps of its dependencies; no *)
(*                  data centre's clock or decision period has a part      *)
(*   readScheduled  a local read at timestamp n waits until every          *)
(*                  transaction of an epoch before n is settled there;     *)
(*                  later ones have later timestamps                       *)
(*                                                                         *)
(* Modelled: one coordinator per data centre; epoch messages that bring a  *)
(* transaction, votes, ballots (Fast Paxos: Outcome), decisions applied in *)
(* the order of dependencies, aborts and their cascade, local read-only    *)
(* transactions by timestamp; data centres that are lost, for good or      *)
(* until they come back.                                                   *)
(*                                                                         *)
(* Channels: what was sent is kept in the sender's state and may be taken  *)
(* from there at any time or never, also when the sender is lost.          *)
(* Persisted before its message leaves: vote, promised, accepted; with     *)
(* repair keepQueue exec. What is applied is in the storage nodes (final,  *)
(* stamp) and outlives an outage. All else is in memory.                   *)
(*                                                                         *)
(* Merged steps: the promises of a ballot are one step (Outcome has them   *)
(* one by one); a data centre learns what was chosen and applies it.       *)
(*                                                                         *)
(* Assumed, not checked: inside a data centre a transaction executes in    *)
(* one step (TransactionChain); a slot (one data centre's batch of one     *)
(* epoch) holds one transaction; one that never left its lost origin is    *)
(* decided like a transaction that nobody voted on.                        *)
(*                                                                         *)
(* Out of scope: more than one coordinator in each data centre.            *)
(*                                                                         *)
(* Readings: those of Validation that hold, GiveUp = "all" and readers by  *)
(* timestamp.                                                              *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
    \* @type: Set(Int);
    DC,
    \* Transactions that write.
    \* @type: Set(Int);
    Txn,
    \* Local read-only transactions; their numbers are no transaction's.
    \* @type: Set(Int);
    Reader,
    \* @type: Set(Int);
    Key,
    \* The data centre that received a transaction and answers it.
    \* @type: Int -> Int;
    Origin,
    \* The epoch of a transaction.
    \* @type: Int -> Int;
    Batch,
    \* @type: Int -> Set(Int);
    Reads,
    \* @type: Int -> Set(Int);
    Writes,
    \* The data centre at which a reader reads all keys.
    \* @type: Int -> Int;
    ReadsAt,
    \* Timestamps of readers.
    \* @type: Set(Int);
    ReadTimes,
    \* How long after its own epoch a data centre may execute a transaction (without stampByEpoch).
    \* @type: Set(Int);
    Delays,
    \* How many data centres may be lost at a time.
    \* @type: Int;
    MaxDown,
    \* Those that may come back.
    \* @type: Set(Int);
    Back,
    \* Ballots 1 .. MaxBallot of each transaction.
    \* @type: Int;
    MaxBallot,
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* validateAll    no transaction is answered without validation (F3).      *)
(* closure        a vote names all that is before, also through others (F7)*)
(* ballots        all alike, or a majority in a ballot (F8). Without: a    *)
(*                majority of votes decides, all of them that there is none*)
(* keepQueue      who comes back has again, in order, what it had executed *)
(*                and not settled (F17)                                    *)
(* stampByEpoch, readScheduled: above.                                     *)
(* results, versions, cascadeAll, stampAfterDeps are always in force: what *)
(* happens without them Validation shows.                                  *)
(***************************************************************************)
AllRepairs == {"validateAll", "closure", "ballots", "keepQueue", "stampByEpoch", "readScheduled"}
ASSUME Repairs \subseteq AllRepairs

VARIABLES
    \* Data centres that are alive.
    \* @type: Set(Int);
    up,
    \* Transactions whose epoch message has left their origin.
    \* @type: Set(Int);
    sent,
    \* Each data centre's vote on each transaction. Persisted.
    \* @type: Int -> (Int -> $value);
    vote,
    \* What each has executed and not settled, in order: footprints and temporary values. Persisted with keepQueue.
    \* @type: Int -> Seq(Int);
    exec,
    \* The highest ballot that each has joined. Persisted.
    \* @type: Int -> (Int -> Int);
    promised,
    \* The last proposal that each accepted: its ballot, 0 for none. Persisted.
    \* @type: Int -> (Int -> Int);
    accepted,
    \* What each ballot proposes.
    \* @type: Int -> (Int -> $value);
    proposal,
    \* What each data centre has learned and applied, or aborted.
    \* @type: Int -> (Int -> $value);
    final,
    \* The commit timestamp there, 0 while there is none.
    \* @type: Int -> (Int -> Int);
    stamp,
    \* What clients were told.
    \* @type: Int -> { status: Str, reads: Set(<<Int, Int>>) };
    reply,
    \* The timestamp of each reader, 0 before it begins, and what it has read.
    \* @type: Int -> { at: Int, reads: Set(<<Int, Int>>) };
    reader

vars == <<up, sent, vote, exec, promised, accepted, proposal, final, stamp, reply, reader>>

(* @typeAlias: value = { kind: Str, deps: Set(Int), reads: Set(<<Int, Int>>), low: Int }; *)
Repaired_aliases == TRUE

Nobody == 0
None == [kind |-> "none", deps |-> {}, reads |-> {}, low |-> 0]
Abort == [kind |-> "abort", deps |-> {}, reads |-> {}, low |-> 0]
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Majority(S) == 2 * Cardinality(S) > Cardinality(DC)
Range(q) == {q[i] : i \in DOMAIN q}
Clash(t, u) == (Writes[t] \cap (Reads[u] \union Writes[u])) \union (Writes[u] \cap Reads[t])

Settled(d, t) == final[d][t] # None
Applied(d, t) == final[d][t].kind = "commit"
Known(d, t) == Settled(d, t) \/ vote[d][t] # None

--------------------------------------------------------------------------------
\* The outage of a whole data centre (section I).
GoDown(d) ==
    /\ d \in up
    /\ Cardinality(DC \ up) < MaxDown
    /\ up' = up \ {d}
    /\ UNCHANGED <<sent, vote, exec, promised, accepted, proposal, final, stamp, reply, reader>>

\* A data centre comes back, with what was persisted. Without keepQueue its chain servers have forgotten what they executed.
ComeBack(d) ==
    /\ d \in Back \ up
    /\ up' = up \union {d}
    /\ exec' = IF "keepQueue" \in Repairs THEN exec ELSE [exec EXCEPT ![d] = <<>>]
    /\ UNCHANGED <<sent, vote, promised, accepted, proposal, final, stamp, reply, reader>>

\* The epoch message with t leaves its origin.
Dispatch(t) ==
    /\ Origin[t] \in up /\ t \notin sent
    /\ sent' = sent \union {t}
    /\ UNCHANGED <<up, vote, exec, promised, accepted, proposal, final, stamp, reply, reader>>

--------------------------------------------------------------------------------
(* Speculative execution (VI-C). *)

\* The newest version of k at d that was applied with a timestamp up to n.
Version(d, k, n) ==
    LET w == {t \in Txn : Applied(d, t) /\ k \in Writes[t] /\ stamp[d][t] <= n}
    IN  IF w = {} THEN Nobody
        ELSE CHOOSE t \in w : \A u \in w :
               stamp[d][u] < stamp[d][t] \/ (stamp[d][u] = stamp[d][t] /\ u <= t)
Latest == 1000
Value(d, k) ==
    LET w == {i \in DOMAIN exec[d] : k \in Writes[exec[d][i]]}
    IN  IF w = {} THEN Version(d, k, Latest) ELSE exec[d][Max(w)]

\* Those that t is directly behind at d, and those before them.
Direct(d, t) == {u \in Txn \ {t} : Clash(t, u) # {} /\ (u \in Range(exec[d]) \/ Applied(d, u))}
Behind(d, u) == IF Settled(d, u) THEN final[d][u].deps ELSE vote[d][u].deps
DepsAt(d, t) ==
    Direct(d, t) \union IF "closure" \in Repairs THEN UNION {Behind(d, u) : u \in Direct(d, t)} ELSE {}

\* A data centre takes epochs in order (VI-A). Who has joined a ballot on t does not vote any more.
Execute(d, t, delay) ==
    /\ d \in up /\ t \in sent
    /\ ~Known(d, t) /\ promised[d][t] = 0
    /\ \A u \in Txn : Batch[u] < Batch[t] => Known(d, u)
    /\ "stampByEpoch" \in Repairs => delay = 0
    /\ vote' = [vote EXCEPT ![d][t] =
         [kind |-> "commit", deps |-> DepsAt(d, t), reads |-> {<<k, Value(d, k)>> : k \in Reads[t]},
          low |-> Batch[t] + delay]]
    /\ exec' = [exec EXCEPT ![d] = Append(@, t)]
    /\ UNCHANGED <<up, sent, promised, accepted, proposal, final, stamp, reply, reader>>

\* Without validateAll (VI-D1): alone at its origin, answered at once; its result is sent to the others.
ExecuteAlone(t) ==
    LET d == Origin[t]
        v == [kind |-> "commit", deps |-> DepsAt(d, t), reads |-> {<<k, Value(d, k)>> : k \in Reads[t]}, low |-> Batch[t]]
    IN  /\ "validateAll" \notin Repairs
        /\ d \in up /\ t \in sent /\ ~Known(d, t) /\ promised[d][t] = 0
        /\ \A u \in Range(exec[d]) : Clash(t, u) = {}
        /\ final' = [final EXCEPT ![d][t] = v]
        /\ stamp' = [stamp EXCEPT ![d][t] = Max({Batch[t] + 1} \union {stamp[d][u] + 1 : u \in v.deps})]
        /\ reply' = [reply EXCEPT ![t] = [status |-> "ok", reads |-> v.reads]]
        /\ UNCHANGED <<up, sent, vote, exec, promised, accepted, proposal, reader>>

--------------------------------------------------------------------------------
(* Deciding: the value is dependencies and results (VI-D2, repair "results"). *)

Same(v, w) == v.kind = w.kind /\ v.deps = w.deps /\ v.reads = w.reads
Voters(t, v) == {d \in DC : vote[d][t] # None /\ Same(vote[d][t], v)}
Votes(t, S) == {vote[d][t] : d \in S} \ {None}
Low(t, v, S) == [v EXCEPT !.low = Max({w.low : w \in Votes(t, S)})]

\* What the promises of P allow to propose: the value accepted last; else the one on which all may
\* have agreed, or that a majority is known to have voted; else abort.
Choice(t, P) ==
    LET last == Max({accepted[d][t] : d \in P})
        backed == {v \in Votes(t, P) : P \subseteq Voters(t, v) \/ Majority(Voters(t, v) \cap P)}
    IN  IF last > 0 THEN proposal[t][last]
        ELSE IF backed # {} THEN Low(t, CHOOSE v \in backed : TRUE, P)
        ELSE Abort

\* Repair ballots: a timer, at anyone who is up; a majority joins. Who has settled t says so instead (Learn).
RunBallot(t, b, P) ==
    /\ "ballots" \in Repairs
    /\ proposal[t][b] = None
    /\ P \subseteq up /\ Majority(P) /\ \A d \in P : promised[d][t] < b /\ ~Settled(d, t)
    /\ promised' = [d \in DC |-> IF d \in P THEN [promised[d] EXCEPT ![t] = b] ELSE promised[d]]
    /\ proposal' = [proposal EXCEPT ![t][b] = Choice(t, P)]
    /\ UNCHANGED <<up, sent, vote, exec, accepted, final, stamp, reply, reader>>

Accept(d, t, b) ==
    /\ d \in up /\ proposal[t][b] # None
    /\ promised[d][t] <= b /\ accepted[d][t] < b
    /\ promised' = [promised EXCEPT ![d][t] = b]
    /\ accepted' = [accepted EXCEPT ![d][t] = b]
    /\ UNCHANGED <<up, sent, vote, exec, proposal, final, stamp, reply, reader>>

\* What is decided on t, by all votes or by a majority's acceptance; without ballots by a majority of
\* votes, or by all votes where none has one.
Chosen(t) ==
    IF "ballots" \in Repairs
    THEN {Low(t, v, DC) : v \in {w \in Votes(t, DC) : Voters(t, w) = DC}}
         \union {proposal[t][b] : b \in {c \in 1..MaxBallot : Majority({d \in DC : accepted[d][t] = c})}}
    ELSE LET won == {v \in Votes(t, DC) : Majority(Voters(t, v))}
         IN  IF won # {} THEN {Low(t, CHOOSE v \in won : TRUE, DC)}
             ELSE IF \A d \in DC : vote[d][t] # None THEN {Abort} ELSE {}

\* What may be learned: what is decided; with ballots also from who has learned it, for decisions are told to all (F8).
Learnable(t) ==
    Chosen(t) \union IF "ballots" \in Repairs THEN UNION {{final[d][t]} \ {None} : d \in DC} ELSE {}

\* The base of the commit timestamp.
Base(t, v) == IF "stampByEpoch" \in Repairs THEN Batch[t] + 1 ELSE v.low + 1

\* d learns what is decided and applies it behind its dependencies; what read from an aborted one is
\* aborted too (VI-E). At its origin the client is answered.
Learn(d, t, v) ==
    LET withdrawn == \E r \in v.reads : r[2] # Nobody /\ final[d][r[2]].kind = "abort"
        w == IF withdrawn THEN Abort ELSE v
        after == {stamp[d][u] + 1 : u \in {x \in v.deps : Applied(d, x)}}
    IN  /\ d \in up /\ ~Settled(d, t) /\ v \in Learnable(t)
        /\ \A u \in v.deps : Settled(d, u)
        /\ final' = [final EXCEPT ![d][t] = w]
        /\ stamp' = IF w.kind = "abort" THEN stamp
                    ELSE [stamp EXCEPT ![d][t] = Max({Base(t, v)} \union after)]
        /\ exec' = [exec EXCEPT ![d] = SelectSeq(@, LAMBDA u : u # t)]
        /\ reply' = IF d # Origin[t] THEN reply
                    ELSE [reply EXCEPT ![t] = [status |-> IF w.kind = "abort" THEN "fail" ELSE "ok", reads |-> w.reads]]
        /\ UNCHANGED <<up, sent, vote, promised, accepted, proposal, reader>>

\* Without validateAll: the result of another data centre's shortcut arrives.
HandleDominant(d, t) ==
    LET o == Origin[t] IN
    /\ "validateAll" \notin Repairs
    /\ d \in up /\ ~Settled(d, t) /\ Applied(o, t) /\ vote[o][t] = None
    /\ final' = [final EXCEPT ![d][t] = final[o][t]]
    /\ stamp' = [stamp EXCEPT ![d][t] = stamp[o][t]]
    /\ exec' = [exec EXCEPT ![d] = SelectSeq(@, LAMBDA u : u # t)]
    /\ UNCHANGED <<up, sent, vote, promised, accepted, proposal, reply, reader>>

--------------------------------------------------------------------------------
(* Local read-only transactions, by timestamp (VI-F). *)

BeginRead(r, n) ==
    /\ reader[r].at = 0 /\ ReadsAt[r] \in up
    /\ reader' = [reader EXCEPT ![r].at = n]
    /\ UNCHANGED <<up, sent, vote, exec, promised, accepted, proposal, final, stamp, reply>>

\* Without readScheduled only what was executed here is waited for: its decision period may begin
\* before n.
MayRead(d, n) == \A t \in Txn :
    Batch[t] < n => Settled(d, t) \/ ("readScheduled" \notin Repairs /\ vote[d][t] = None)

ReadKey(r, k) ==
    LET d == ReadsAt[r] IN
    /\ d \in up /\ reader[r].at # 0 /\ \A x \in reader[r].reads : x[1] # k
    /\ MayRead(d, reader[r].at)
    /\ reader' = [reader EXCEPT ![r].reads = @ \union {<<k, Version(d, k, reader[r].at)>>}]
    /\ UNCHANGED <<up, sent, vote, exec, promised, accepted, proposal, final, stamp, reply>>

--------------------------------------------------------------------------------
Init ==
    /\ up = DC
    /\ sent = {}
    /\ vote = [d \in DC |-> [t \in Txn |-> None]]
    /\ exec = [d \in DC |-> <<>>]
    /\ promised = [d \in DC |-> [t \in Txn |-> 0]]
    /\ accepted = [d \in DC |-> [t \in Txn |-> 0]]
    /\ proposal = [t \in Txn |-> [b \in 1..MaxBallot |-> None]]
    /\ final = [d \in DC |-> [t \in Txn |-> None]]
    /\ stamp = [d \in DC |-> [t \in Txn |-> 0]]
    /\ reply = [t \in Txn |-> [status |-> "none", reads |-> {}]]
    /\ reader = [r \in Reader |-> [at |-> 0, reads |-> {}]]

Next ==
    \/ \E d \in DC : GoDown(d)
    \/ \E d \in DC : ComeBack(d)
    \/ \E t \in Txn : Dispatch(t)
    \/ \E d \in DC, t \in Txn, delay \in Delays \union {0} : Execute(d, t, delay)
    \/ \E t \in Txn : ExecuteAlone(t)
    \/ \E d \in DC, t \in Txn : HandleDominant(d, t)
    \/ \E t \in Txn, b \in 1..MaxBallot, P \in SUBSET DC : RunBallot(t, b, P)
    \/ \E d \in DC, t \in Txn, b \in 1..MaxBallot : Accept(d, t, b)
    \/ \E d \in DC, t \in Txn : \E v \in Learnable(t) : Learn(d, t, v)
    \/ \E r \in Reader, n \in ReadTimes : BeginRead(r, n)
    \/ \E r \in Reader, k \in Key : ReadKey(r, k)

Spec == Init /\ [][Next]_vars

--------------------------------------------------------------------------------
(* Properties. *)

Whole(r) == Cardinality(reader[r].reads) = Cardinality(Key)
Acked == {t \in Txn : reply[t].status = "ok"} \union {r \in Reader : Whole(r)}
Unknown == {t \in Txn : reply[t].status = "none"}
All == Txn \union Reader
AllReads == [t \in All |-> IF t \in Txn THEN reply[t].reads ELSE reader[t].reads]
AllWrites == [t \in All |-> IF t \in Txn THEN Writes[t] ELSE {}]

\* claimed (abstract, III, VI-D, VI-F): one-copy serializability as clients see it, local readers included.
SerializableInv == Serializable(Acked, Unknown, AllReads, AllWrites, Nobody)

\* implied (VI-D2): one decision on each transaction.
AgreementInv ==
    /\ \A t \in Txn : Cardinality(Chosen(t)) <= 1
    /\ \A t \in Txn, d, e \in DC : Settled(d, t) /\ Settled(e, t) => Same(final[d][t], final[e][t])

\* claimed (VI-D2): what a majority executed with the same dependency is committed, unless it read what was withdrawn.
\* A ballot need not know of the majority (F8).
MajorityInv ==
    \A d, e \in DC, t \in Txn : final[d][t].kind = "abort" /\ Majority(Voters(t, vote[e][t])) /\ vote[e][t] # None =>
        \E r \in vote[e][t].reads : r[2] \in Txn /\ final[d][r[2]].kind = "abort"

\* implied (VI-E): one commit timestamp, later than those of the dependencies.
StampInv ==
    \A t \in Txn, d, e \in DC : Applied(d, t) /\ Applied(e, t) => stamp[d][t] = stamp[e][t]
StampOrderInv ==
    \A d \in DC, t, u \in Txn : Applied(d, t) /\ Applied(d, u) /\ u \in final[d][t].deps => stamp[d][u] < stamp[d][t]

\* claimed (I): replicas hold the same when all is settled.
ConvergenceInv ==
    \A d, e \in DC : (\A t \in Txn : Settled(d, t) /\ Settled(e, t)) =>
        \A k \in Key : Version(d, k, Latest) = Version(e, k, Latest)

\* implied (I, IV): what a client was told holds wherever it is settled, and nothing else can be decided.
SurvivesInv == \A t \in Txn : reply[t].status = "ok" =>
    /\ \A v \in Chosen(t) : v.kind = "commit" /\ v.reads = reply[t].reads
    /\ \A d \in DC : Settled(d, t) => final[d][t].kind = "commit" /\ final[d][t].reads = reply[t].reads

\* What those who are up know to be decided from each other: nobody counts on who is lost, nor on its messages.
KnownHere(t) ==
    IF up = DC THEN Chosen(t)
    ELSE ({final[d][t] : d \in up} \ {None})
         \union IF "ballots" \in Repairs
                THEN {proposal[t][b] : b \in {c \in 1..MaxBallot : Majority({d \in up : accepted[d][t] = c})}}
                ELSE {v \in Votes(t, up) : Majority(Voters(t, v) \cap up)}

\* claimed (I, VIII-B): nobody who is up waits for ever, whoever is lost, local readers included. Every action but an
\* outage happens a bounded number of times. A proposal may be lost with who made it, where somebody may be lost.
CanMove ==
    \/ \E t \in Txn : ENABLED Dispatch(t)
    \/ \E d \in up, t \in Txn : Origin[t] \in up /\ (ENABLED Execute(d, t, 0) \/ ENABLED HandleDominant(d, t))
    \/ \E t \in Txn, b \in 1..MaxBallot : \E P \in SUBSET up : ENABLED RunBallot(t, b, P)
    \/ \E d, e \in up, t \in Txn, b \in 1..MaxBallot : (accepted[e][t] = b \/ MaxDown = 0) /\ ENABLED Accept(d, t, b)
    \/ \E d \in up, t \in Txn : KnownHere(t) # {} /\ \E v \in Learnable(t) : ENABLED Learn(d, t, v)
    \/ \E r \in Reader, k \in Key : ENABLED ReadKey(r, k)

\* The last ballot of the model is lost with who began it: another one would be needed.
BeyondBallots(t) == "ballots" \in Repairs /\ MaxDown > 0 /\ proposal[t][MaxBallot] # None /\ KnownHere(t) = {}
Waits(d, t) == ~Settled(d, t) /\ ~BeyondBallots(t)
               /\ \A v \in KnownHere(t), u \in Txn : u \in v.deps /\ BeyondBallots(u) => Settled(d, u)
NoWaitInv ==
    \/ /\ \A d \in up, t \in Txn : ~Waits(d, t)
       /\ \A r \in Reader : reader[r].at # 0 /\ ReadsAt[r] \in up =>
            Whole(r) \/ \E t \in Txn : ~Settled(ReadsAt[r], t) /\ Batch[t] < reader[r].at
    \/ CanMove

(* Reachability, against vacuity. *)
\* Committed by those who are left, after the origin was lost, as its client was told.
SurvivedReach == \E t \in Txn : Origin[t] \notin up /\ reply[t].status = "ok" /\ \A d \in up : Applied(d, t)
                 /\ \E b \in 1..MaxBallot : proposal[t][b] # None
\* A transaction that never left its lost origin is settled.
SkippedReach == \E t \in Txn : t \notin sent /\ \A d \in up : Settled(d, t)
\* A reader sees a transaction that was committed without its origin.
ReaderReach == \E r \in Reader : Whole(r) /\ DC # up /\ \E x \in reader[r].reads : x[2] # Nobody
\* A data centre that came back is level with the others again.
BackReach == \E d \in Back : up = DC /\ \E t \in Txn : Applied(d, t) /\ vote[d][t] = None /\ reply[t].status = "ok"
\* One is applied where it was executed otherwise, or not at all.
CaughtUpReach == \E d \in DC, t \in Txn : Applied(d, t) /\ ~Same(vote[d][t], final[d][t])
================================================================================
