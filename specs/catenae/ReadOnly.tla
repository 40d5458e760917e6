------------------------------- MODULE ReadOnly -------------------------------
(***************************************************************************)
(* Catenae's local read-only transactions (sections VI-F and VII-C1): read  *)
(* from the chain servers of one data centre, answered outside the decision *)
(* periods of uncommitted writers, without asking other data centres.       *)
(*                                                                         *)
(* Modelled: everything of Validation, and read-only transactions that read *)
(* their keys one by one, in any order, at one data centre.                 *)
(*                                                                         *)
(* Assumed, not checked: what Validation assumes.                          *)
(*                                                                         *)
(* Out of scope: retrying after 50 ms. A read-only transaction that may not *)
(* be answered yet keeps what it read and tries again later; the versions   *)
(* up to its timestamp are the same then.                                   *)
(*                                                                         *)
(* Readings: the text says that values are read from the storage servers    *)
(* (View = "latest"), and that a read-only transaction has a timestamp that *)
(* is compared with decision periods while chain servers keep several       *)
(* versions (II, VII-C1; View = "timestamp": the newest version up to it).  *)
(***************************************************************************)
EXTENDS Validation

CONSTANTS
    \* @type: Set(Int);
    Reader,     \* read-only transactions, numbered apart from Txn
    \* @type: Int -> Int;
    Place,      \* the data centre that serves a reader
    \* @type: Int -> Set(Int);
    Wanted,     \* the keys that it reads
    \* @type: Str;
    View

ASSUME View \in {"latest", "timestamp"}
ASSUME Reader \cap (Txn \union {Nobody}) = {}

VARIABLES
    \* @type: Int -> Str;
    asked,      \* "new", "reading" or "ok"
    \* @type: Int -> Int;
    at,         \* the reader's timestamp: the epoch in which it began
    \* @type: Int -> Set(<<Int, Int>>);
    view,       \* what it read, as <<key, writer>>
    \* @type: Set(<<Int, Int>>);
    before      \* <<t, u>>: t's client had its answer before reader u began

roVars == <<asked, at, view, before>>
allVars == <<vars, roVars>>

\* The versions of k that d has committed, newest first by timestamp.
Versions(d, k) == {t \in Txn : Applied(d, t) /\ k \in Writes[t]}

Newest(d, S) ==
    CHOOSE t \in S : \A u \in S :
        \/ stamp[d][u] < stamp[d][t]
        \/ stamp[d][u] = stamp[d][t] /\ u <= t

Seen(r, k) ==
    LET d == Place[r]
        old == {t \in Versions(d, k) : stamp[d][t] <= at[r]}
    IN  IF View = "latest" THEN store[d][k].w
        ELSE IF old = {} THEN Nobody ELSE Newest(d, old)

--------------------------------------------------------------------------------
BeginRead(r) ==
    /\ asked[r] = "new"
    /\ asked' = [asked EXCEPT ![r] = "reading"]
    /\ at' = [at EXCEPT ![r] = clock[Place[r]]]
    /\ before' = before \union {<<t, r>> : t \in Acked}
                        \union {<<q, r>> : q \in {x \in Reader : asked[x] = "ok"}}
    /\ UNCHANGED <<vars, view>>

\* One chain server answers. It does so only when no uncommitted writer of the key
\* has a decision period that the reader's timestamp has reached (VI-F, VII-C1).
ReadKey(r, k) ==
    /\ asked[r] = "reading"
    /\ k \in Wanted[r] \ {x[1] : x \in view[r]}
    /\ \A t \in Range(exec[Place[r]]) :
         k \in Writes[t] => at[r] < OwnVote(Place[r], t).low
    /\ view' = [view EXCEPT ![r] = @ \union {<<k, Seen(r, k)>>}]
    /\ UNCHANGED <<vars, asked, at, before>>

ReturnRead(r) ==
    /\ asked[r] = "reading"
    /\ {x[1] : x \in view[r]} = Wanted[r]
    /\ asked' = [asked EXCEPT ![r] = "ok"]
    /\ UNCHANGED <<vars, at, view, before>>

ROInit ==
    /\ Init
    /\ asked = [r \in Reader |-> "new"]
    /\ at = [r \in Reader |-> 0]
    /\ view = [r \in Reader |-> {}]
    /\ before = {}

\* The steps of Validation, which readers don't notice.
ROTick(d) == Tick(d) /\ UNCHANGED roVars
ROExecute(d, t) == Execute(d, t) /\ UNCHANGED roVars
ROExecuteAlone(d, t) == ExecuteAlone(d, t) /\ UNCHANGED roVars
RODecide(d, t) == Decide(d, t) /\ UNCHANGED roVars
ROCommit(d, t) == Commit(d, t) /\ UNCHANGED roVars
ROCatchUp(d, t) == CatchUp(d, t) /\ UNCHANGED roVars
ROCascade(d, t) == Cascade(d, t) /\ UNCHANGED roVars
ROAbort(d, t) == Abort(d, t) /\ UNCHANGED roVars
ROHandleVote(m) == HandleVote(m) /\ UNCHANGED roVars
ROHandleDominant(m) == HandleDominant(m) /\ UNCHANGED roVars

RONext ==
    \/ \E d \in DC : ROTick(d)
    \/ \E d \in DC, t \in Txn : ROExecute(d, t)
    \/ \E d \in DC, t \in Txn : ROExecuteAlone(d, t)
    \/ \E d \in DC, t \in Txn : RODecide(d, t)
    \/ \E d \in DC, t \in Txn : ROCommit(d, t)
    \/ \E d \in DC, t \in Txn : ROCatchUp(d, t)
    \/ \E d \in DC, t \in Txn : ROCascade(d, t)
    \/ \E d \in DC, t \in Txn : ROAbort(d, t)
    \/ \E m \in msgs : ROHandleVote(m)
    \/ \E m \in msgs : ROHandleDominant(m)
    \/ \E r \in Reader : BeginRead(r)
    \/ \E r \in Reader, k \in Key : ReadKey(r, k)
    \/ \E r \in Reader : ReturnRead(r)

ROSpec == ROInit /\ [][RONext]_allVars

--------------------------------------------------------------------------------
ROTypeOKInv ==
    /\ asked \in [Reader -> {"new", "reading", "ok"}]
    /\ \A r \in Reader : \A x \in view[r] : x[1] \in Wanted[r] /\ x[2] \in Txn \union {Nobody}

Answered == {r \in Reader : asked[r] = "ok"}
AllReads == [t \in Txn \union Reader |-> IF t \in Txn THEN reply[t].reads ELSE view[t]]
AllWrites == [t \in Txn \union Reader |-> IF t \in Txn THEN Writes[t] ELSE {}]

\* claimed (VI-F, "still maintaining ACID property"): each reader alone saw one
\* consistent snapshot.
SnapshotInv ==
    \A r \in Answered :
        Serializable(Acked \union {r}, Unknown, AllReads, AllWrites, Nobody)

\* claimed (abstract, VI-F): all of them together fit one serial order.
ReadersSerializableInv ==
    Serializable(Acked \union Answered, Unknown, AllReads, AllWrites, Nobody)

\* ours: a reader sees whatever was acknowledged before it began. The paper
\* promises serializability only.
RealTimeInv ==
    StrictSerializable(Acked \union Answered, Unknown, AllReads, AllWrites, Nobody, before)

ReadNewReach == \E r \in Answered : \E x \in view[r] : x[2] # Nobody
ReadOldReach ==    \* answered while a writer of a wanted key was under way
    \E r \in Answered : \E t \in Range(exec[Place[r]]) : Writes[t] \cap Wanted[r] # {}
BlockedReach ==
    \E r \in Reader : asked[r] = "reading" /\ \E t \in Range(exec[Place[r]]) :
        Writes[t] \cap Wanted[r] # {} /\ at[r] >= OwnVote(Place[r], t).low
===============================================================================
