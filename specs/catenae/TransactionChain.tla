--------------------------- MODULE TransactionChain ---------------------------
(***************************************************************************)
(* Catenae's transaction chain inside one data centre (sections VI-B, VI-C, *)
(* VIII-C): the forward pass leaves footprints, the backward pass orders    *)
(* and executes, a resolver adds implicit dependencies.                    *)
(*                                                                         *)
(* Modelled: the coordinator of one data centre, its chain servers and its  *)
(* resolver, one action per message; queries to the resolver are messages;  *)
(* commits and aborts reach each server by a message of their own.         *)
(*                                                                         *)
(* Assumed, not checked: links inside a data centre are reliable and keep   *)
(* the order from the coordinator to one server (TCP between live           *)
(* processes); any delay otherwise. Commit timestamps grow in the order in  *)
(* which the coordinator commits (see Validation for what really happens).  *)
(*                                                                         *)
(* Out of scope: other data centres. Their vote is the coordinator's free   *)
(* choice between CommitTxn and Refuse. Crashes of chain servers: the text does *)
(* not say what a chain server persists.                                   *)
(*                                                                         *)
(* Readings: reading leaves a trace for Rule 1 (VI-C2) like writing (Trace *)
(* = "accesses"), or leaves none ("writes").                               *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
    \* @type: Set(Int);
    Txn,
    \* @type: Set(Int);
    Key,
    \* @type: Set(Int);
    Server,        \* in the order in which every chain traverses them
    \* @type: Int -> Int;
    Home,          \* the chain server that hosts a key
    \* @type: Int -> Set(Int);
    Reads,         \* the keys that a transaction reads, before it writes
    \* @type: Int -> Set(Int);
    Writes,        \* the keys that it writes
    \* @type: Str;
    Trace,         \* what leaves a trace for Rule 1: "accesses" or only "writes"
    \* @type: Set(Str);
    Repairs,       \* {} is the protocol as published
    \* @type: Int;
    MaxAborts      \* how many transactions validation may refuse

ASSUME Trace \in {"accesses", "writes"}
ASSUME Repairs \subseteq {"report", "forwardDeps"}

VARIABLES
    \* @type: Int -> Str;
    phase,      \* the coordinator's life cycle of each transaction (section VI)
    \* @type: Set($msg);
    msgs,       \* messages under way inside the data centre
    \* @type: Int -> Set(Int);
    footprint,  \* per server: who passed forward and is not committed or aborted here
    \* @type: Int -> Seq(Int);
    pre,        \* per server: who passed backward (pre-committed), in that order
    \* @type: Int -> { writer: Int, ts: Int };
    store,      \* per key: the last committed writer, in the storage node below the server
    \* @type: Set(<<Int, Int>>);
    repo,       \* the resolver's repository: <<a, b>> says that a is before b
    \* @type: Int -> Set(Int);
    deps,       \* the dependencies that a finished transaction came back with
    \* @type: Int -> Set(<<Int, Int>>);
    result,     \* the values it read, as <<key, writer>>
    \* @type: Int -> Int;
    stamp       \* commit timestamps, 0 while there is none

vars == <<phase, msgs, footprint, pre, store, repo, deps, result, stamp>>

Nobody == 0     \* the writer of every key's initial value
ASSUME Nobody \notin Txn

--------------------------------------------------------------------------------
(* Static facts about the transactions. *)

Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Range(q) == {q[i] : i \in DOMAIN q}

Access(t) == Reads[t] \union Writes[t]
At(s) == {k \in Key : Home[k] = s}
Chain(t) == {Home[k] : k \in Access(t)}

\* The keys at s on which t and u conflict.
Clash(t, u, s) ==
    {k \in At(s) \cap Access(t) \cap Access(u) : k \in Writes[t] \union Writes[u]}

--------------------------------------------------------------------------------
(* What a chain server sees when t is there. *)

Rivals(t, s) == {u \in footprint[s] \ {t} : Clash(t, u, s) # {}}

\* Those that passed here before t, as far as they left a trace (Rule 1).
\* The text speaks of transactions that "have pre-committed values": a reader
\* pre-commits no value, hence the reading Trace = "writes".
Ahead(t, s) ==
    {u \in Rivals(t, s) \cap Range(pre[s]) :
        Trace = "accesses" \/ Clash(t, u, s) \cap Writes[u] # {}}

Behind(t, s) == Rivals(t, s) \ Range(pre[s])

Answers(m) == {a \in msgs : a.type = "answer" /\ a.t = m.t /\ a.s = m.s}

\* Explicit dependencies and those that the resolver added.
MustFollow(m) == m.deps \union UNION {a.after : a \in Answers(m)}

\* Figure 4: t stands between one transaction before it and another behind it.
Pattern(m) ==
    \E a \in m.deps \union Ahead(m.t, m.s) :
        \E b \in m.before \union (Behind(m.t, m.s) \ m.deps) : a # b

\* Repair "report": the resolver is told every dependency and decides between
\* all rivals before t touches the data, whether figure 4's pattern forms or not.
MustAsk(m) ==
    IF "report" \in Repairs THEN Rivals(m.t, m.s) \union m.deps # {} ELSE Pattern(m)

\* An answer is good for the rivals that it was asked about.
Answered(m) == \E a \in Answers(m) : a.rivals = Rivals(m.t, m.s)

\* Rule 2, for explicit and implicit dependencies.
MayPass(m) == MustFollow(m) \cap Rivals(m.t, m.s) \subseteq Range(pre[m.s])

\* The value of k that a transaction reads at s: temporary if there is one.
Value(s, k) ==
    LET w == {i \in DOMAIN pre[s] : k \in Writes[pre[s][i]]}
    IN  IF w = {} THEN store[k].writer ELSE pre[s][Max(w)]

--------------------------------------------------------------------------------
(* Messages: each kind has fields of its own.
   @typeAlias: msg = { type: Str, t: Int, s: Int, deps: Set(Int), before: Set(Int),
     read: Set(<<Int, Int>>), ts: Int, rivals: Set(Int), edges: Set(<<Int, Int>>),
     open: Set(Int), after: Set(Int) };
*)
TransactionChain_aliases == TRUE

Forward(t, s, d)  == [type |-> "forward", t |-> t, s |-> s, deps |-> d]
Backward(t, s, d, b, r) ==
    [type |-> "backward", t |-> t, s |-> s, deps |-> d, before |-> b, read |-> r]
Finish(t, d, r)   == [type |-> "finish", t |-> t, deps |-> d, read |-> r]
CommitMsg(t, s, n) == [type |-> "commit", t |-> t, s |-> s, ts |-> n]
AbortMsg(t, s)    == [type |-> "abort", t |-> t, s |-> s]

--------------------------------------------------------------------------------
(* The coordinator. *)

\* Schedule a transaction: it enters its chain at the first server (VI-B).
Submit(t) ==
    /\ phase[t] = "new"
    /\ phase' = [phase EXCEPT ![t] = "running"]
    /\ msgs' = msgs \union {Forward(t, Min(Chain(t)), {})}
    /\ UNCHANGED <<footprint, pre, store, repo, deps, result, stamp>>

HandleFinish(m) ==
    /\ m.type = "finish"
    /\ phase' = [phase EXCEPT ![m.t] = "finished"]
    /\ deps' = [deps EXCEPT ![m.t] = m.deps]
    /\ result' = [result EXCEPT ![m.t] = m.read]
    /\ msgs' = msgs \ {m}
    /\ UNCHANGED <<footprint, pre, store, repo, stamp>>

\* Did t read a temporary value that was withdrawn? (VI-E)
ReadWithdrawn(t) == \E r \in result[t] : r[2] # Nobody /\ phase[r[2]] = "aborted"

Settled(t) == phase[t] \in {"committed", "aborted"}

\* The resolver runs in the coordinator's process (VII-B): it forgets at once.
Forget(t) == repo' = {e \in repo : e[1] # t /\ e[2] # t}

\* Commit, answer the client, tell the servers (VI-E).
CommitTxn(t) ==
    /\ phase[t] = "finished"
    /\ \A u \in deps[t] : Settled(u)
    /\ ~ReadWithdrawn(t)
    /\ LET n == 1 + Max({stamp[u] : u \in Txn})
       IN  /\ stamp' = [stamp EXCEPT ![t] = n]
           /\ msgs' = msgs \union {CommitMsg(t, s, n) : s \in Chain(t)}
    /\ phase' = [phase EXCEPT ![t] = "committed"]
    /\ Forget(t)
    /\ UNCHANGED <<footprint, pre, store, deps, result>>

Withdraw(t) ==
    /\ phase' = [phase EXCEPT ![t] = "aborted"]
    /\ msgs' = msgs \union {AbortMsg(t, s) : s \in Chain(t)}
    /\ Forget(t)
    /\ UNCHANGED <<footprint, pre, store, deps, result, stamp>>

\* The cascade: a value that t read was withdrawn (VI-E).
CascadeTxn(t) ==
    /\ phase[t] = "finished"
    /\ ReadWithdrawn(t)
    /\ Withdraw(t)

\* Validation found no majority for t (VI-D): outside this module's control.
Refuse(t) ==
    /\ phase[t] = "finished"
    /\ Cardinality({u \in Txn : phase[u] = "aborted"}) < MaxAborts
    /\ Withdraw(t)

--------------------------------------------------------------------------------
(* A chain server. *)

\* Forward pass: leave a footprint, go on; the last server turns round (VI-C1).
\* Repair "forwardDeps": note those that already passed backward here.
HandleForward(m) ==
    /\ m.type = "forward"
    /\ LET t == m.t
           rest == {s \in Chain(t) : s > m.s}
           d == IF "forwardDeps" \in Repairs
                THEN m.deps \union Ahead(t, m.s) ELSE m.deps
       IN  /\ footprint' = [footprint EXCEPT ![m.s] = @ \union {t}]
           /\ msgs' = (msgs \ {m}) \union
                {IF rest = {} THEN Backward(t, m.s, d, {}, {})
                              ELSE Forward(t, Min(rest), d)}
    /\ UNCHANGED <<phase, pre, store, repo, deps, result, stamp>>

\* Backward pass, before t may touch the data: ask the resolver (VI-C2).
AskResolver(m) ==
    /\ m.type = "backward"
    /\ MustAsk(m) /\ ~Answered(m)
    /\ LET t == m.t
           d == m.deps \union Ahead(t, m.s)
           q == [type |-> "query", t |-> t, s |-> m.s, rivals |-> Rivals(t, m.s),
                 edges |-> {<<a, t>> : a \in d} \union {<<t, b>> : b \in m.before},
                 open |-> Behind(t, m.s) \ m.deps]
       IN  /\ q \notin msgs
           /\ msgs' = msgs \union {q}
    /\ UNCHANGED <<phase, footprint, pre, store, repo, deps, result, stamp>>

\* Backward pass: read, pre-commit, go on (VI-C2). A server parks the message
\* until Rule 2 lets it pass.
HandleBackward(m) ==
    /\ m.type = "backward"
    /\ MustAsk(m) => Answered(m)
    /\ MayPass(m)
    /\ LET t == m.t
           rest == {s \in Chain(t) : s < m.s}
           d == MustFollow(m) \union Ahead(t, m.s)
           b == m.before \union (Behind(t, m.s) \ MustFollow(m))
           r == m.read \union {<<k, Value(m.s, k)>> : k \in Reads[t] \cap At(m.s)}
       IN  /\ pre' = [pre EXCEPT ![m.s] = Append(@, t)]
           /\ msgs' = (msgs \ ({m} \union Answers(m))) \union
                {IF rest = {} THEN Finish(t, d, r)
                              ELSE Backward(t, Max(rest), d, b, r)}
    /\ UNCHANGED <<phase, footprint, store, repo, deps, result, stamp>>

\* Apply a commit. One connection from the coordinator: in order of commit.
HandleCommit(m) ==
    /\ m.type = "commit"
    /\ \A o \in msgs : o.type = "commit" /\ o.s = m.s => o.ts >= m.ts
    /\ footprint' = [footprint EXCEPT ![m.s] = @ \ {m.t}]
    /\ pre' = [pre EXCEPT ![m.s] = SelectSeq(@, LAMBDA u : u # m.t)]
    /\ store' = [k \in Key |->
         IF k \in Writes[m.t] \cap At(m.s) THEN [writer |-> m.t, ts |-> m.ts]
                                           ELSE store[k]]
    /\ msgs' = msgs \ {m}
    /\ UNCHANGED <<phase, repo, deps, result, stamp>>

\* Take back the temporary values and footprints (VI-E, Transaction Abort).
HandleAbort(m) ==
    /\ m.type = "abort"
    /\ footprint' = [footprint EXCEPT ![m.s] = @ \ {m.t}]
    /\ pre' = [pre EXCEPT ![m.s] = SelectSeq(@, LAMBDA u : u # m.t)]
    /\ msgs' = msgs \ {m}
    /\ UNCHANGED <<phase, store, repo, deps, result, stamp>>

--------------------------------------------------------------------------------
(* The resolver (VI-C2, figure 4). *)

\* Whoever is reachable from S along the edges E, S included.
RECURSIVE Reach(_, _)
Reach(E, S) ==
    LET next == S \union {e[2] : e \in {f \in E : f[1] \in S}}
    IN  IF next = S THEN S ELSE Reach(E, next)

\* Put the open ones before t where known edges say so, behind t otherwise;
\* the sorting is kept, for as long as both transactions are unsettled.
HandleQuery(m) ==
    /\ m.type = "query"
    /\ LET open == {b \in m.open : ~Settled(b)}
           known == repo \union {e \in m.edges : ~Settled(e[1]) /\ ~Settled(e[2])}
           after == {b \in open : m.t \in Reach(known, {b})}
       IN  /\ repo' = known \union {<<b, m.t>> : b \in after}
                            \union {<<m.t, b>> : b \in open \ after}
           /\ msgs' = (msgs \ {m}) \union
                {[type |-> "answer", t |-> m.t, s |-> m.s, rivals |-> m.rivals,
                  after |-> after]}
    /\ UNCHANGED <<phase, footprint, pre, store, deps, result, stamp>>

--------------------------------------------------------------------------------
Init ==
    /\ phase = [t \in Txn |-> "new"]
    /\ msgs = {}
    /\ footprint = [s \in Server |-> {}]
    /\ pre = [s \in Server |-> <<>>]
    /\ store = [k \in Key |-> [writer |-> Nobody, ts |-> 0]]
    /\ repo = {}
    /\ deps = [t \in Txn |-> {}]
    /\ result = [t \in Txn |-> {}]
    /\ stamp = [t \in Txn |-> 0]

Next ==
    \/ \E t \in Txn : Submit(t)
    \/ \E t \in Txn : CommitTxn(t)
    \/ \E t \in Txn : CascadeTxn(t)
    \/ \E t \in Txn : Refuse(t)
    \/ \E m \in msgs : HandleForward(m)
    \/ \E m \in msgs : AskResolver(m)
    \/ \E m \in msgs : HandleQuery(m)
    \/ \E m \in msgs : HandleBackward(m)
    \/ \E m \in msgs : HandleFinish(m)
    \/ \E m \in msgs : HandleCommit(m)
    \/ \E m \in msgs : HandleAbort(m)

\* Next without Refuse: nobody is obliged to refuse.
Progress ==
    \/ \E t \in Txn : Submit(t)
    \/ \E t \in Txn : CommitTxn(t)
    \/ \E t \in Txn : CascadeTxn(t)
    \/ \E m \in msgs : HandleForward(m)
    \/ \E m \in msgs : AskResolver(m)
    \/ \E m \in msgs : HandleQuery(m)
    \/ \E m \in msgs : HandleBackward(m)
    \/ \E m \in msgs : HandleFinish(m)
    \/ \E m \in msgs : HandleCommit(m)
    \/ \E m \in msgs : HandleAbort(m)

\* Every message is handled in the end, and the coordinator does its part;
\* nobody is obliged to refuse.
Spec == Init /\ [][Next]_vars /\ WF_vars(Progress)

--------------------------------------------------------------------------------
(* Properties. *)

\* ours: every variable has its shape.
TypeOKInv ==
    /\ phase \in [Txn -> {"new", "running", "finished", "committed", "aborted"}]
    /\ footprint \in [Server -> SUBSET Txn]
    /\ \A s \in Server : Range(pre[s]) \subseteq footprint[s]
    /\ repo \subseteq Txn \X Txn
    /\ deps \in [Txn -> SUBSET Txn]
    /\ stamp \in [Txn -> 0..Cardinality(Txn)]

\* The order of conflicting transactions, as the servers hold it; aborted ones
\* have no place in it, even where their abort message is still under way.
LiveOrder ==
    LET Pairs(s) == {p \in (DOMAIN pre[s]) \X (DOMAIN pre[s]) :
            /\ p[1] < p[2]
            /\ "aborted" \notin {phase[pre[s][p[1]]], phase[pre[s][p[2]]]}
            /\ Clash(pre[s][p[1]], pre[s][p[2]], s) # {}}
    IN  UNION {{<<pre[s][p[1]], pre[s][p[2]]>> : p \in Pairs(s)} : s \in Server}

\* claimed (VIII-C): the dependencies among transactions are acyclic.
AcyclicInv ==
    LET E == LiveOrder
    IN  \A e \in E : e[1] \notin Reach(E, {e[2]})

\* claimed (VI-C2): behind t on the first shared partition is behind t on all
\* shared partitions afterwards (Rule 1).
ConsistentOrderInv ==
    LET E == LiveOrder
    IN  \A e \in E : <<e[2], e[1]>> \notin E

\* claimed (abstract, VI-C, VIII-C): serializability, as clients see it: they are
\* answered when the coordinator commits.
SerializableInv ==
    Serializable({t \in Txn : phase[t] = "committed"}, {}, result, Writes, Nobody)

\* claimed (VIII-C, liveness among transactions): nobody waits for ever. Every
\* action happens a bounded number of times, so it is enough that something can
\* still happen while a transaction is unsettled.
NoWaitInv == (\A t \in Txn : Settled(t)) \/ ENABLED Progress
NoWaitLive == \A t \in Txn : <>Settled(t)

\* implied (VI-E): what is left when all is settled is the last committed value
\* (and questions to the resolver that nobody waits for any more).
CleanInv ==
    ((\A t \in Txn : Settled(t)) /\ \A m \in msgs : m.type \in {"query", "answer"}) =>
        \A s \in Server : footprint[s] = {} /\ pre[s] = <<>>

\* ours: in the resolver's repository nothing is before a settled transaction. A
\* query handled after its own transaction has settled leaves edges that begin
\* there, and no path from an unsettled transaction uses one. Inductive: settling
\* forgets, and HandleQuery adds an edge into t only if t is unsettled or some
\* edge leads to t already.
RepoInv == \A e \in repo : ~Settled(e[2])

(* Reachability, against vacuity. *)
LateEdgeReach == \E e \in repo : Settled(e[1])
AllCommittedReach == \A t \in Txn : phase[t] = "committed"
WaitReach ==
    \E m \in msgs : m.type = "backward" /\ (MustAsk(m) => Answered(m)) /\ ~MayPass(m)
ImplicitReach == \E m \in msgs : m.type = "answer" /\ m.after # {}
CascadeReach ==
    \E t \in Txn : phase[t] = "aborted" /\ ReadWithdrawn(t)
DirtyCommitReach ==   \* only write-dependent on an aborted one, and committed
    \E t \in Txn : phase[t] = "committed"
        /\ \E u \in deps[t] : phase[u] = "aborted"
================================================================================
