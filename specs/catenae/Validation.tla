------------------------------ MODULE Validation ------------------------------
(***************************************************************************)
(* Catenae across data centres (sections VI-D and VI-E): speculative        *)
(* executions are voted on; the majority's dependencies are committed, the  *)
(* others catch up, and what finds no majority is aborted.                  *)
(*                                                                         *)
(* Modelled: one coordinator per data centre, its loosely synchronized      *)
(* epoch counter, votes as messages that arrive in any order, late, more    *)
(* than once or never, decision periods and commit timestamps, catch-up,    *)
(* aborts and their cascade, the shortcut of non-conflicting transactions,  *)
(* the storage nodes' last-writer-wins rule on commit timestamps.           *)
(*                                                                         *)
(* Assumed, not checked: inside a data centre a transaction executes in one *)
(* step, hence dependencies there are acyclic (TransactionChain says when   *)
(* they are); every data centre gets every transaction (EpochBoundary says  *)
(* when); a vote once cast is not forgotten by its data centre.             *)
(*                                                                         *)
(* Out of scope: outage of a data centre (Outcome).                         *)
(*                                                                         *)
(* Readings: GiveUp as in Outcome. The decision periods that are           *)
(* intersected (VI-F) are those of all data centres (Periods = "all"), or  *)
(* those received ("received").                                            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
    \* @type: Set(Int);
    DC,
    \* @type: Set(Int);
    Txn,
    \* @type: Set(Int);
    Key,
    \* @type: Int -> Int;
    Origin,       \* the data centre that received a transaction and answers it
    \* @type: Int -> Set(Int);
    Reads,
    \* @type: Int -> Set(Int);
    Writes,
    \* @type: Int;
    MaxEpoch,
    \* @type: Int;
    Skew,         \* how far two epoch counters may be apart
    \* @type: Int;
    Delay,        \* estimated message delay, in epochs: a decision period begins
                  \* so long after the execution
    \* @type: Int;
    Offset,       \* its length, in epochs: the largest delay that is tolerated
    \* @type: Str;
    GiveUp,       \* when there is "no majority": "all" votes are there and disagree,
                  \* or a majority of votes is there ("early") and disagrees
    \* @type: Str;
    Periods,      \* whose decision periods are intersected: those of "all" data
                  \* centres, or of those whose votes were "received"
    \* @type: Set(Str);
    Repairs

ASSUME GiveUp \in {"all", "early"}
ASSUME Periods \in {"all", "received"}
ASSUME Repairs \subseteq
    {"validateAll", "versions", "results", "cascadeAll", "stampAfterDeps", "stampInAll"}

VARIABLES
    \* @type: Int -> Int;
    clock,     \* each coordinator's epoch counter
    \* @type: Int -> Seq(Int);
    exec,      \* per data centre: pre-committed transactions, in order of execution
    \* @type: Int -> (Int -> Str);
    state,     \* per data centre and transaction: how far it is there
    \* @type: Int -> (Int -> Set($vote));
    got,       \* the votes that a coordinator holds, its own included
    \* @type: Int -> (Int -> Bool);
    waited,    \* was some dependency open when the majority was found? (VI-E)
    \* @type: Int -> (Int -> Int);
    stamp,     \* commit timestamp, 0 while there is none
    \* @type: Int -> (Int -> { w: Int, from: Set(<<Int, Int>>), ts: Int });
    store,     \* the storage nodes: last writer, what that writer had read, timestamp
    \* @type: Int -> { status: Str, reads: Set(<<Int, Int>>) };
    reply,     \* what the client was told
    \* @type: Set($msg);
    msgs       \* everything sent between data centres, for ever

vars == <<clock, exec, state, got, waited, stamp, store, reply, msgs>>

Nobody == 0
ASSUME Nobody \notin Txn

--------------------------------------------------------------------------------
Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Range(q) == {q[i] : i \in DOMAIN q}
Majority(S) == 2 * Cardinality(S) > Cardinality(DC)

Clash(t, u) == (Writes[t] \cap (Reads[u] \union Writes[u])) \union (Writes[u] \cap Reads[t])

\* Done with t here, in whichever way.
Applied(d, t) == state[d][t] \in {"committed", "caughtup"}
Resolved(d, t) == Applied(d, t) \/ state[d][t] = "aborted"

--------------------------------------------------------------------------------
(* Speculative execution (VI-C), in one step. *)

\* Those that t is ordered behind at d. As published, a committed transaction is
\* no dependency any more (VI-E). Repair "versions": it stays one, so that the
\* dependencies name the versions that were read and overwritten.
DepsAt(d, t) ==
    {u \in Txn \ {t} : /\ Clash(t, u) # {}
                       /\ \/ u \in Range(exec[d])
                          \/ "versions" \in Repairs /\ Applied(d, u)}

\* The version of k that a transaction reads at d: temporary if there is one.
Value(d, k) ==
    LET w == {i \in DOMAIN exec[d] : k \in Writes[exec[d][i]]}
    IN  IF w = {} THEN store[d][k].w ELSE exec[d][Max(w)]

VoteOf(d, t) ==
    [dc |-> d, t |-> t, deps |-> DepsAt(d, t),
     reads |-> {<<k, Value(d, k)>> : k \in Reads[t]},
     low |-> clock[d] + Delay, high |-> clock[d] + Delay + Offset]

(* @typeAlias: vote = { dc: Int, t: Int, deps: Set(Int), reads: Set(<<Int, Int>>),
     low: Int, high: Int };
   @typeAlias: msg = { type: Str, to: Int, vote: $vote, t: Int,
     reads: Set(<<Int, Int>>), ts: Int };
   Each kind of message has fields of its own. *)
Validation_aliases == TRUE

VoteMsg(d, v) == [type |-> "vote", to |-> d, vote |-> v]
DominantMsg(d, t, r, n) == [type |-> "dominant", to |-> d, t |-> t, reads |-> r, ts |-> n]

\* Apply t's writes at d unless a later version is there. Timestamps decide, then
\* (as in Cassandra) the values: any fixed order of the transactions will do.
Install(d, t, r, n) ==
    store' = [store EXCEPT ![d] = [k \in Key |->
        IF k \in Writes[t] /\ (n > @[k].ts \/ (n = @[k].ts /\ t > @[k].w))
        THEN [w |-> t, from |-> r, ts |-> n] ELSE @[k]]]

Unqueue(d, t) == exec' = [exec EXCEPT ![d] = SelectSeq(@, LAMBDA u : u # t)]

--------------------------------------------------------------------------------
Tick(d) ==
    /\ clock[d] < MaxEpoch
    /\ \A e \in DC : clock[d] + 1 - clock[e] <= Skew
    /\ clock' = [clock EXCEPT ![d] = @ + 1]
    /\ UNCHANGED <<exec, state, got, waited, stamp, store, reply, msgs>>

\* The end of t's backward pass at d: its result joins the validation payload.
Execute(d, t) ==
    /\ state[d][t] = "new"
    /\ LET v == VoteOf(d, t)
       IN  /\ got' = [got EXCEPT ![d][t] = @ \union {v}]
           /\ msgs' = msgs \union {VoteMsg(e, v) : e \in DC \ {d}}
    /\ exec' = [exec EXCEPT ![d] = Append(@, t)]
    /\ state' = [state EXCEPT ![d][t] = "executed"]
    /\ UNCHANGED <<clock, waited, stamp, store, reply>>

\* The shortcut (VI-D1): at its origin nobody else touched t's data until the end
\* of its backward pass. It is answered at once and the result is imposed on the
\* other data centres. The text gives it no timestamp; its own epoch is taken.
\* Repair "validateAll": no shortcut.
ExecuteAlone(d, t) ==
    /\ "validateAll" \notin Repairs
    /\ d = Origin[t] /\ state[d][t] = "new"
    /\ \A u \in Range(exec[d]) : Clash(t, u) = {}
    /\ LET v == VoteOf(d, t)
       IN  /\ reply' = [reply EXCEPT ![t] = [status |-> "ok", reads |-> v.reads]]
           /\ msgs' = msgs \union {DominantMsg(e, t, v.reads, clock[d]) : e \in DC \ {d}}
           /\ Install(d, t, v.reads, clock[d])
           /\ stamp' = [stamp EXCEPT ![d][t] = clock[d]]
    /\ state' = [state EXCEPT ![d][t] = "committed"]
    /\ UNCHANGED <<clock, exec, got, waited>>

\* The dominant result of a shortcut arrives.
HandleDominant(m) ==
    /\ m.type = "dominant"
    /\ ~Resolved(m.to, m.t)
    /\ Install(m.to, m.t, m.reads, m.ts)
    /\ stamp' = [stamp EXCEPT ![m.to][m.t] = m.ts]
    /\ state' = [state EXCEPT ![m.to][m.t] =
         IF \E v \in got[m.to][m.t] : v.dc = m.to /\ v.reads = m.reads
         THEN "committed" ELSE "caughtup"]
    /\ Unqueue(m.to, m.t)
    /\ UNCHANGED <<clock, got, waited, reply, msgs>>

HandleVote(m) ==
    /\ m.type = "vote"
    /\ m.vote \notin got[m.to][m.vote.t]
    /\ ~Resolved(m.to, m.vote.t)
    /\ got' = [got EXCEPT ![m.to][m.vote.t] = @ \union {m.vote}]
    /\ UNCHANGED <<clock, exec, state, waited, stamp, store, reply, msgs>>

--------------------------------------------------------------------------------
(* Deciding (VI-D2), by each coordinator for itself. *)

\* The votes that agree with v: on the dependencies (VI-D2). Repair "results": also
\* on what was read, since equal sets may have been executed in different orders.
Same(d, v) ==
    {x \in got[d][v.t] : x.deps = v.deps /\ ("results" \in Repairs => x.reads = v.reads)}

\* Votes that a majority agrees with.
Winners(d, t) == {v \in got[d][t] : Majority({x.dc : x \in Same(d, v)})}

OwnVote(d, t) == CHOOSE v \in got[d][t] : v.dc = d

\* The winning vote that d goes by: its own if it is among them.
Winner(d, t) ==
    IF OwnVote(d, t) \in Winners(d, t) THEN OwnVote(d, t)
    ELSE CHOOSE v \in Winners(d, t) : TRUE

VotesSuffice(d, t) ==
    Periods = "all" => {v.dc : v \in got[d][t]} = DC

\* A majority executed t with the same dependencies.
Decide(d, t) ==
    /\ state[d][t] = "executed"
    /\ Winners(d, t) # {}
    /\ VotesSuffice(d, t)
    /\ state' = [state EXCEPT ![d][t] = "decided"]
    /\ waited' = [waited EXCEPT ![d][t] =
         \E u \in Winner(d, t).deps : ~Resolved(d, u)]
    /\ UNCHANGED <<clock, exec, got, stamp, store, reply, msgs>>

Withdrawn(d, t) ==     \* t read a value that was taken back (VI-E)
    \E r \in Winner(d, t).reads : r[2] # Nobody /\ state[d][r[2]] = "aborted"

DepsResolved(d, t) == \A u \in Winner(d, t).deps : Resolved(d, u)

\* "The maximum epoch of the intersect of the decision periods" (VI-E). The text
\* doesn't say what holds when they do not meet; as published the earliest end is
\* taken. Repair "stampInAll": never before the beginning of any of them.
PeriodEnd(d, t) ==
    LET end == Min({v.high : v \in got[d][t]})
    IN  IF "stampInAll" \in Repairs
        THEN Max({end} \union {v.low : v \in got[d][t]}) ELSE end

\* As published: the end of the period, or the epoch after the last dependency
\* if t had to wait for one. Repair "stampAfterDeps": always after both.
StampFor(d, t) ==
    LET last == Max({0} \union {stamp[d][u] : u \in Winner(d, t).deps})
    IN  IF "stampAfterDeps" \in Repairs
        THEN Max({PeriodEnd(d, t), last + 1})
        ELSE IF waited[d][t] /\ last > 0 THEN last + 1 ELSE PeriodEnd(d, t)

Answer(d, t, status, reads) ==
    reply' = IF d = Origin[t]
             THEN [reply EXCEPT ![t] = [status |-> status, reads |-> reads]]
             ELSE reply

Apply(d, t, how) ==
    LET n == StampFor(d, t)
        r == Winner(d, t).reads
    IN  /\ Install(d, t, r, n)
        /\ stamp' = [stamp EXCEPT ![d][t] = n]
        /\ state' = [state EXCEPT ![d][t] = how]
        /\ Answer(d, t, "ok", r)
        /\ Unqueue(d, t)
        /\ UNCHANGED <<clock, got, waited, msgs>>

\* Did d execute t as the majority did, on dependencies that also were?
AsMajority(d, t) ==
    /\ OwnVote(d, t) \in Winners(d, t)
    /\ \A u \in Winner(d, t).deps : state[d][u] # "caughtup"

Commit(d, t) ==
    /\ state[d][t] = "decided"
    /\ DepsResolved(d, t) /\ AsMajority(d, t) /\ ~Withdrawn(d, t)
    /\ Apply(d, t, "committed")

\* Catch-up applies the majority's updates (VI-E). As published it asks only that
\* the dependencies are settled, aborted ones included. Repair "cascadeAll": the
\* cascade of aborts holds here too.
CatchUp(d, t) ==
    /\ state[d][t] = "decided"
    /\ DepsResolved(d, t) /\ ~AsMajority(d, t)
    /\ "cascadeAll" \in Repairs => ~Withdrawn(d, t)
    /\ Apply(d, t, "caughtup")

Drop(d, t) ==
    /\ state' = [state EXCEPT ![d][t] = "aborted"]
    /\ Answer(d, t, "fail", {})
    /\ Unqueue(d, t)
    /\ UNCHANGED <<clock, got, waited, stamp, store, msgs>>

\* The cascade: t read what an aborted transaction had written (VI-E).
Cascade(d, t) ==
    /\ state[d][t] = "decided"
    /\ DepsResolved(d, t) /\ Withdrawn(d, t)
    /\ AsMajority(d, t) \/ "cascadeAll" \in Repairs
    /\ Drop(d, t)

\* "No majority can be reached on the execution results" (VI-E, Transaction Abort).
Abort(d, t) ==
    /\ state[d][t] = "executed"
    /\ Winners(d, t) = {}
    /\ LET voters == {v.dc : v \in got[d][t]}
       IN  IF GiveUp = "early" THEN Majority(voters) ELSE voters = DC
    /\ Drop(d, t)

--------------------------------------------------------------------------------
Init ==
    /\ clock = [d \in DC |-> 1]
    /\ exec = [d \in DC |-> <<>>]
    /\ state = [d \in DC |-> [t \in Txn |-> "new"]]
    /\ got = [d \in DC |-> [t \in Txn |-> {}]]
    /\ waited = [d \in DC |-> [t \in Txn |-> FALSE]]
    /\ stamp = [d \in DC |-> [t \in Txn |-> 0]]
    /\ store = [d \in DC |-> [k \in Key |-> [w |-> Nobody, from |-> {}, ts |-> 0]]]
    /\ reply = [t \in Txn |-> [status |-> "none", reads |-> {}]]
    /\ msgs = {}

Next ==
    \/ \E d \in DC : Tick(d)
    \/ \E d \in DC, t \in Txn : Execute(d, t)
    \/ \E d \in DC, t \in Txn : ExecuteAlone(d, t)
    \/ \E d \in DC, t \in Txn : Decide(d, t)
    \/ \E d \in DC, t \in Txn : Commit(d, t)
    \/ \E d \in DC, t \in Txn : CatchUp(d, t)
    \/ \E d \in DC, t \in Txn : Cascade(d, t)
    \/ \E d \in DC, t \in Txn : Abort(d, t)
    \/ \E m \in msgs : HandleVote(m)
    \/ \E m \in msgs : HandleDominant(m)

\* Next without the clocks.
Progress ==
    \/ \E d \in DC, t \in Txn :
         \/ Execute(d, t) \/ Decide(d, t) \/ Commit(d, t)
         \/ CatchUp(d, t) \/ Cascade(d, t) \/ Abort(d, t)
    \/ \E m \in msgs : HandleVote(m)
    \/ \E m \in msgs : HandleDominant(m)

\* For liveness every message arrives in the end; for safety none need to.
Spec == Init /\ [][Next]_vars /\ WF_vars(Progress)

--------------------------------------------------------------------------------
(* Properties. *)

\* ours
TypeOKInv ==
    /\ clock \in [DC -> 1..MaxEpoch]
    /\ state \in [DC -> [Txn -> {"new", "executed", "decided", "committed",
                                 "caughtup", "aborted"}]]
    /\ \A d \in DC, t \in Txn :
         /\ \A v \in got[d][t] : v.t = t /\ v.dc \in DC /\ v.deps \subseteq Txn
         /\ t \in Range(exec[d]) <=> state[d][t] \in {"executed", "decided"}

Acked == {t \in Txn : reply[t].status = "ok"}
Unknown == {t \in Txn : reply[t].status = "none"}

\* claimed (abstract, III, VI-D): one-copy serializability, as clients see it.
\* Whoever has no answer yet may have taken effect or not.
SerializableInv ==
    Serializable(Acked, Unknown, [t \in Txn |-> reply[t].reads], Writes, Nobody)

\* implied (VI-D2, "reach a consensus"): nobody commits what another aborts.
AgreementInv ==
    \A t \in Txn, d, e \in DC : Applied(d, t) => state[e][t] # "aborted"

\* claimed (VI-D2, VIII-B): what a majority executed with the same dependency is committed, unless somebody read what was
\* withdrawn. Whoever holds the votes. With repair "results" only if it read the same as well.
MajorityInv ==
    \A t \in Txn :
        LET cast == UNION {got[d][t] : d \in DC}
            alike(v) == {x.dc : x \in {y \in cast : y.deps = v.deps /\ ("results" \in Repairs => y.reads = v.reads)}}
        IN  (\E v \in cast : Majority(alike(v))) =>
                \A d \in DC : state[d][t] = "aborted" =>
                    \E v \in cast : \E r \in v.reads : r[2] # Nobody /\ state[d][r[2]] = "aborted"

\* implied (VI-E, "deterministically"): one commit timestamp everywhere.
StampInv ==
    \A t \in Txn, d, e \in DC :
        Applied(d, t) /\ Applied(e, t) => stamp[d][t] = stamp[e][t]

\* implied (VI-E): who is ordered behind another gets the later timestamp.
StampOrderInv ==
    \A d \in DC, t, u \in Txn :
        Applied(d, t) /\ Applied(d, u) /\ got[d][t] # {} /\ u \in Winner(d, t).deps
            => stamp[d][u] < stamp[d][t]

\* claimed (I, "maintains data consistency among replicas"): when all is settled
\* all data centres hold the same.
ConvergenceInv ==
    (\A d \in DC, t \in Txn : Resolved(d, t)) =>
        \A d, e \in DC, k \in Key :
            /\ store[d][k].w = store[e][k].w
            /\ store[d][k].from = store[e][k].from

RECURSIVE Reach(_, _)
Reach(E, S) ==
    LET next == S \union {e[2] : e \in {f \in E : f[1] \in S}}
    IN  IF next = S THEN S ELSE Reach(E, next)

\* claimed (VIII-C): what is decided has no cyclic dependencies.
DecidedAcyclicInv ==
    LET decided == {p \in DC \X Txn : state[p[1]][p[2]] \in {"decided", "committed", "caughtup"}
                                      /\ Winners(p[1], p[2]) # {}}
        E == UNION {{<<u, p[2]>> : u \in Winner(p[1], p[2]).deps} : p \in decided}
    IN  \A e \in E : e[1] \notin Reach(E, {e[2]})

\* claimed (VIII-C): nobody waits for ever, as long as messages arrive. Without
\* the clocks every action happens a bounded number of times. Where everybody has
\* executed everything each data centre goes on by itself, by what was sent to it:
\* that another one can do so is no excuse, whatever order a constraint gives them.
NoWaitInv ==
    \/ \E d \in DC, t \in Txn : state[d][t] = "new"
    \/ \A d \in DC :
         \/ \A t \in Txn : Resolved(d, t)
         \/ \E t \in Txn :
              \/ ENABLED Decide(d, t) \/ ENABLED Commit(d, t) \/ ENABLED CatchUp(d, t)
              \/ ENABLED Cascade(d, t) \/ ENABLED Abort(d, t)
         \/ \E m \in msgs : m.to = d /\ (ENABLED HandleVote(m) \/ ENABLED HandleDominant(m))
NoWaitLive == \A t \in Txn : <>(reply[t].status # "none")

(* Reachability, against vacuity. *)
AllCommittedReach == \A d \in DC, t \in Txn : state[d][t] = "committed"
CatchUpReach == \E d \in DC, t \in Txn : state[d][t] = "caughtup"
AbortReach == \E t \in Txn : \A d \in DC : state[d][t] = "aborted"
CascadeReach ==
    \E d \in DC, t \in Txn : state[d][t] = "aborted" /\ Winners(d, t) # {}
WaitReach == \E d \in DC, t \in Txn : waited[d][t]
================================================================================
