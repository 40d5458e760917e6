------------------------- MODULE TimestampBatchingInd -------------------------
(***************************************************************************)
(* Property 4.1 at every length: an inductive invariant of the repaired    *)
(* TimestampBatching (K2, 4.4, turned from a proof about one transaction   *)
(* into a fact about every state).                                         *)
(*                                                                         *)
(* Obligations: Init => Ind; Ind /\ Next => Ind'; Ind => Prop41Inv.        *)
(* Apalache takes them symbolically for the instance that CInit fixes. TLC *)
(* takes the same three: the first by model checking from Init, the other  *)
(* two from every state of a small typed domain (IndInit, one step).       *)
(*                                                                         *)
(* Domain: one coordinator, one transaction, at most one message in the    *)
(* network. now and clock are fixed to the latest values that the domain   *)
(* has, Present ticks after the start: every guard and every claim         *)
(* compares differences of times only, so a state with other values is a   *)
(* shifted copy. Older times than the domain has add nothing: a batch      *)
(* stays unusable once TTL ticks have passed, and a commit wait that is    *)
(* over stays over. Two requests were sent: a reply may belong to the      *)
(* older one.                                                              *)
(***************************************************************************)
EXTENDS TimestampBatching

CONSTANTS
    \* The present of the typed domain, in ticks.
    \* @type: Int;
    Present,
    \* How many timestamps may have been taken from the batch of the typed domain.
    \* @type: Set(Int);
    Used

\* A clock moved between the slowest and the fastest rate while real time moved on.
\* @type: (Int, Int) => Bool;
Drifted(localElapsed, realElapsed) ==
    /\ realElapsed >= 0
    /\ localElapsed >= realElapsed * (Nominal - Drift)
    /\ localElapsed <= realElapsed * (Nominal + Drift)

RequestsInd == \A q \in requests :
    /\ q.id >= 1 /\ q.real <= now /\ q.id <= sent[q.coordinator]
    /\ q.id = pending[q.coordinator].id => q.real = pending[q.coordinator].real

\* A reply is not older than its request, nor further ahead than the uncertainty.
RepliesInd == \A r \in replies :
    /\ r.since <= r.up /\ r.up <= now + 2 * Epsilon /\ r.id <= sent[r.coordinator]
    /\ r.id >= 1
    /\ r.id = pending[r.coordinator].id => r.since = pending[r.coordinator].real

PendingInd == \A c \in Coordinators : pending[c] # NoRequest =>
    /\ pending[c].id >= 1 /\ pending[c].id <= sent[c]
    /\ Drifted(clock[c] - pending[c].local, now - pending[c].real)

BatchInd == \A c \in Coordinators : batch[c] # NoBatch =>
    /\ Drifted(clock[c] - batch[c].local, now - batch[c].real)
    /\ batch[c].real <= batch[c].up /\ batch[c].up <= now + 2 * Epsilon
    /\ batch[c].used >= 0

TxnInd == \A t \in Txns :
    /\ txn[t].phase = "begun" => txn[t].begun <= now
    /\ HasTs(t) =>
        /\ txn[t].begun < txn[t].ts
        /\ txn[t].ts < txn[t].real + 2 * (Epsilon + TTL)
    /\ txn[t].phase = "running" =>
        Drifted(clock[txn[t].coordinator] - txn[t].local, now - txn[t].real)
    /\ txn[t].phase = "ended" => txn[t].real + 2 * (Epsilon + TTL) <= txn[t].ended

\* Nothing names a coordinator, a number or a phase that does not exist.
NamesInd ==
    /\ \A c \in Coordinators : sent[c] >= 0
    /\ \A q \in requests : q.coordinator \in Coordinators
    /\ \A r \in replies : r.coordinator \in Coordinators
    /\ \A t \in Txns : /\ txn[t].phase \in {"idle", "begun", "running", "ended"}
                       /\ txn[t].phase # "idle" => txn[t].coordinator \in Coordinators

IndInv == NamesInd /\ RequestsInd /\ RepliesInd /\ PendingInd /\ BatchInd /\ TxnInd

-----------------------------------------------------------------------------
(* The typed domain                                                        *)

Moments == 0 .. Present
Locals == 0 .. Present * (Nominal + Drift)
C == CHOOSE c \in Coordinators : TRUE
T == CHOOSE t \in Txns : TRUE
Shared(real) == {l \in Locals : Drifted(Present * (Nominal + Drift) - l, Present - real)}

Requested == UNION {{[id |-> 2, local |-> l, real |-> x] : l \in Shared(x)} : x \in Moments}
Batches == UNION {UNION {{[up |-> u, oracle |-> 1, local |-> l, real |-> x, used |-> n] :
                          l \in Shared(x), n \in Used} : u \in x .. Present + 2 * Epsilon} : x \in Moments}
Begun == {[NotBegun EXCEPT !.phase = "begun", !.coordinator = C, !.begun = b] : b \in Moments}
Stamped(phase, end) ==
    UNION {UNION {UNION {{[phase |-> phase, coordinator |-> C, incarnation |-> 0, begun |-> b, ts |-> s,
                           oracle |-> 1, local |-> l, real |-> x, ended |-> end] :
                          l \in Shared(x)} : s \in b + 1 .. x + 2 * (Epsilon + TTL) - 1} :
                  b \in 0 .. x} : x \in Moments}

IndInit ==
    /\ now = Present
    /\ clock = [c \in Coordinators |-> Present * (Nominal + Drift)]
    /\ incarnation = [c \in Coordinators |-> 0]
    /\ sent = [c \in Coordinators |-> 2]
    /\ last \in [Coordinators -> {-1, Present + TTL}]
    /\ \E p \in {NoRequest} \union Requested : pending = [c \in Coordinators |-> p]
    /\ \E b \in {NoBatch} \union Batches : batch = [c \in Coordinators |-> b]
    /\ requests \in {{}} \union {{[coordinator |-> C, id |-> i, real |-> x]} : i \in 1 .. 2, x \in Moments}
    /\ replies \in {{}} \union {{[coordinator |-> C, id |-> i, oracle |-> 1, up |-> u, since |-> x]} :
                                 i \in 1 .. 2, u \in 0 .. Present + 2 * Epsilon, x \in Moments}
    /\ requests = {} \/ replies = {}
    /\ \E x \in {NotBegun} \union Begun \union Stamped("running", 0) \union Stamped("ended", Present) :
          txn = [t \in Txns |-> x]
    /\ IndInv

IndSpec == IndInit /\ [][Next]_vars

\* The domain is not empty of what matters: a transaction at each stage.
UsableReach == Usable(C) /\ txn[T].phase = "begun"
AboutToEndReach == txn[T].phase = "running" /\ clock[C] - txn[T].local >= CommitWait

-----------------------------------------------------------------------------
(* The instance for Apalache                                               *)
Instance ==
    /\ Coordinators = {"c1", "c2"}
    /\ Oracles = {1, 2}
    /\ Txns = {"t1", "t2", "t3"}
    /\ Epsilon = 100
    /\ TTL = 100
    /\ Step = 1
    /\ Nominal = 5000
    /\ Drift = 1
    /\ Advances = 4999 .. 5001
    /\ Errors = 0 .. 200
    /\ Present = 3
    /\ Used = {0}

CInit == Instance /\ Repairs = AllRepairs

\* Any reply counts, so a batch may count its TTL from a younger request.
UntiedCInit == Instance /\ Repairs = AllRepairs \ {"TieReply"}
=============================================================================
