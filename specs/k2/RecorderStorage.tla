--------------------------- MODULE RecorderStorage ---------------------------
(***************************************************************************)
(* K2: what a transaction recorder has in shared storage before it answers *)
(* (5.2 phase 2, 5.3).                                                     *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - a recorder decides in memory, writes to shared storage, and answers, *)
(*    as three steps; a write to storage may be under way for as long as   *)
(*    one likes, and outlive the recorder that sent it;                    *)
(*  - a decision is a commit that a coordinator asks for, or the mark that *)
(*    a recorder makes when it suspects a coordinator, rightly or not;     *)
(*  - a recorder is replaced, rightly or not: the storage's membership     *)
(*    changes, and the new one reads what is stored. The old one goes on   *)
(*    without noticing.                                                    *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - shared storage loses nothing that it acknowledged, and changes its   *)
(*    membership in one step.                                              *)
(*                                                                         *)
(* Out of scope: what data nodes and coordinators do with an answer (Mvto, *)
(* whose record is what is stored here); the record of a transaction that  *)
(* is not decided says nothing that binds, so whether it is stored makes   *)
(* no difference here: a recorder that finds none decides as well.         *)
(*                                                                         *)
(* Readings: the text says that a recorder persists the determined status  *)
(* (commit or abort), and of the mark that it is a promise (5.3). Read     *)
(* here: both are in storage before anybody is told; Persist takes either  *)
(* away.                                                                   *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    \* @type: Set(TXN);
    Txns,
    \* Recorders that follow one another: 1 .. Recorders.
    \* @type: Int;
    Recorders,
    \* What is in storage before it is answered: a subset of {"commit", "mark"}.
    \* @type: Set(Str);
    Persist,
    \* Does the storage refuse the writes of a replaced recorder?
    \* @type: Bool;
    Fencing,
    \* Does a new recorder read only after the membership has changed?
    \* @type: Bool;
    ReadFenced,
    \* Does a recorder that starts again become a new member, like another node?
    \* @type: Bool;
    NewMember

VARIABLES
    \* The recorder whose writes the storage takes. In shared storage.
    \* @type: Int;
    member,
    \* The decision on each transaction, "" where there is none. In shared storage.
    \* @type: TXN -> Str;
    stored,
    \* What each recorder holds to be decided, "" where nothing. Volatile.
    \* @type: Int -> TXN -> Str;
    belief,
    \* The decisions that each recorder knows to be stored. Volatile.
    \* @type: Int -> Set(TXN);
    durable,
    \* The recorders that serve requests: they have read what is stored.
    \* @type: Set(Int);
    serving,
    \* The recorders that ever served.
    \* @type: Set(Int);
    started,
    \* Writes to storage that are under way.
    \* @type: Set({ by: Int, t: TXN, s: Str });
    writes,
    \* What coordinators and data nodes were answered.
    \* @type: Set({ by: Int, t: TXN, s: Str });
    answers

vars == <<member, stored, belief, durable, serving, started, writes, answers>>

Undecided == [t \in Txns |-> ""]

Init ==
    /\ member = 1
    /\ stored = Undecided
    /\ belief = [i \in 1 .. Recorders |-> Undecided]
    /\ durable = [i \in 1 .. Recorders |-> {}]
    /\ serving = {1}
    /\ started = {1}
    /\ writes = {}
    /\ answers = {}

\* A decision in memory, which the recorder sends to storage.
Decide(i, t, s) ==
    /\ i \in serving /\ belief[i][t] = ""
    /\ belief' = [belief EXCEPT ![i][t] = s]
    /\ writes' = writes \union {[by |-> i, t |-> t, s |-> s]}
    /\ UNCHANGED <<member, stored, durable, serving, started, answers>>

\* 5.2: a coordinator asks to commit.
HandleCommit(i, t) == Decide(i, t, "commit")

\* 5.3: a coordinator is suspected.
MarkAborted(i, t) == Decide(i, t, "mark")

\* The storage takes a write of the present recorder.
Store(w) ==
    /\ w \in writes
    /\ Fencing => w.by = member
    /\ stored' = [stored EXCEPT ![w.t] = w.s]
    /\ durable' = [durable EXCEPT ![w.by] = @ \union {w.t}]
    /\ writes' = writes \ {w}
    /\ UNCHANGED <<member, belief, serving, started, answers>>

\* A refused write tells a recorder that it was replaced: it serves no more.
Expel(w) ==
    /\ w \in writes
    /\ Fencing /\ w.by # member
    /\ serving' = serving \ {w.by}
    /\ writes' = writes \ {w}
    /\ UNCHANGED <<member, stored, belief, durable, started, answers>>

\* The coordinator's request, or a PUSHWS, is answered.
Answer(i, t) ==
    /\ i \in serving /\ belief[i][t] # ""
    /\ belief[i][t] \in Persist => t \in durable[i]
    /\ answers' = answers \union {[by |-> i, t |-> t, s |-> belief[i][t]]}
    /\ UNCHANGED <<member, stored, belief, durable, serving, started, writes>>

\* 5.3: before the new recorder becomes active, the old one may write no more.
Replace ==
    /\ member < Recorders
    /\ member' = member + 1
    /\ UNCHANGED <<stored, belief, durable, serving, started, writes, answers>>

\* A new recorder reads what is stored.
Load(i) ==
    /\ i \notin serving
    /\ NewMember => i \notin started
    /\ IF ReadFenced THEN i = member ELSE i \in {member, member + 1}
    /\ belief' = [belief EXCEPT ![i] = stored]
    /\ durable' = [durable EXCEPT ![i] = {t \in Txns : stored[t] # ""}]
    /\ serving' = serving \union {i}
    /\ started' = started \union {i}
    /\ UNCHANGED <<member, stored, writes, answers>>

\* A recorder fails: what it held in memory is gone.
Crash(i) ==
    /\ i \in serving
    /\ serving' = serving \ {i}
    /\ belief' = [belief EXCEPT ![i] = Undecided]
    /\ durable' = [durable EXCEPT ![i] = {}]
    /\ UNCHANGED <<member, stored, started, writes, answers>>

Next ==
    \/ \E i \in 1 .. Recorders, t \in Txns : HandleCommit(i, t)
    \/ \E i \in 1 .. Recorders, t \in Txns : MarkAborted(i, t)
    \/ \E w \in writes : Store(w)
    \/ \E w \in writes : Expel(w)
    \/ \E i \in 1 .. Recorders, t \in Txns : Answer(i, t)
    \/ Replace
    \/ \E i \in 1 .. Recorders : Load(i)
    \/ \E i \in 1 .. Recorders : Crash(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

\* 5.3: a transaction that is marked as aborted is never committed: whoever asks, and
\* whichever recorder answers, hears the same.
OneAnswerInv == \A a, b \in answers : a.t = b.t => a.s = b.s

\* What was answered is what is stored.
AnsweredIsStoredInv == \A a \in answers : stored[a.t] = a.s

\* 5.3: one recorder at a time updates the status: a stored decision stays.
StoredStaysStep == [][\A t \in Txns : stored[t] # "" => stored'[t] = stored[t]]_vars

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A replaced recorder has answered before, and the new one answers the same.
TwoAnswerReach == \E a, b \in answers : a.t = b.t /\ a.by < b.by
\* Two recorders serve at a time, with different beliefs.
ApartReach == \E i, j \in serving, t \in Txns : belief[i][t] = "commit" /\ belief[j][t] = "mark"
=============================================================================
