-------------------------------- MODULE Outcome --------------------------------
(***************************************************************************)
(* The fate of one transaction when a data centre is lost (sections VI-D2,  *)
(* VI-E, VIII-B): votes, the decision of each coordinator, the answer to    *)
(* the client, and who can still decide afterwards.                         *)
(*                                                                         *)
(* Modelled: each data centre votes once, with the dependencies that it     *)
(* executed (their names stand for the sets); votes arrive in any order,    *)
(* late or never; data centres go down for good. With repair "ballots" a    *)
(* vote is a ballot-0 acceptance that only unanimity decides, and anybody   *)
(* may finish the decision in a higher ballot (Fast Paxos).                 *)
(*                                                                         *)
(* Persisted with "ballots": vote, promised, accepted, before their         *)
(* messages leave. As published nothing is: coordinators are stateless      *)
(* (section IV), and a data centre that is down stays down here.            *)
(*                                                                         *)
(* Assumed, not checked: what two data centres that are up send each other  *)
(* arrives in the end (EpochBoundary shows when epoch messages don't).      *)
(* Out of scope: several transactions, timestamps (Validation).             *)
(*                                                                         *)
(* Readings: there is "no majority" (VI-D2) when all votes are there and   *)
(* disagree (GiveUp = "all"), or as soon as a majority of votes is there   *)
(* and disagrees ("early").                                                *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* @type: Set(Int);
    DC,
    \* @type: Int;
    Origin,      \* where the client waits
    \* @type: Set(Str);
    Order,       \* the dependency sets with which the transaction may be executed
    \* @type: Int;
    MaxDown,     \* how many data centres may be lost
    \* @type: Str;
    GiveUp,      \* "no majority": "all" votes are there, or a majority is ("early")
    \* @type: Int;
    MaxBallot,   \* with repair "ballots": ballots 1..MaxBallot
    \* @type: Set(Str);
    Repairs

ASSUME GiveUp \in {"all", "early"}
ASSUME Repairs \subseteq {"ballots"}

VARIABLES
    \* @type: Set(Int);
    up,         \* data centres that are alive
    \* @type: Int -> Str;
    vote,       \* how each executed the transaction, None before
    \* @type: Int -> Set(Int);
    got,        \* whose votes a coordinator holds, its own included
    \* @type: Int -> Str;
    outcome,    \* what each coordinator decided: an element of Order, Abort or None
    \* @type: Str;
    told,       \* what the client was told
    \* @type: Int -> Int;
    promised,   \* the highest ballot that a coordinator has joined
    \* @type: Int -> $proposal;
    accepted,   \* the last proposal that it accepted above ballot 0
    \* @type: Set($msg);
    msgs        \* everything sent, for ever

vars == <<up, vote, got, outcome, told, promised, accepted, msgs>>

None == "none"
Abort == "abort"
ASSUME {None, Abort} \cap Order = {}

Ballots == "ballots" \in Repairs
Majority(S) == 2 * Cardinality(S) > Cardinality(DC)
NotAccepted == [ballot |-> 0, value |-> None]

(* One shape for all messages, as Apalache wants it.
   @typeAlias: proposal = { ballot: Int, value: Str };
   @typeAlias: msg = { type: Str, from: Int, to: Int, ballot: Int, value: Str, last: $proposal };
*)
Outcome_aliases == TRUE

VoteMsg(d, e, v) ==
    [type |-> "vote", from |-> d, to |-> e, ballot |-> 0, value |-> v, last |-> NotAccepted]
PrepareMsg(d, e, b) ==
    [type |-> "prepare", from |-> d, to |-> e, ballot |-> b, value |-> None, last |-> NotAccepted]
\* value: the vote of who promises.
PromiseMsg(d, e, b, v, a) ==
    [type |-> "promise", from |-> d, to |-> e, ballot |-> b, value |-> v, last |-> a]
ProposeMsg(d, e, b, v) ==
    [type |-> "propose", from |-> d, to |-> e, ballot |-> b, value |-> v, last |-> NotAccepted]
AcceptedMsg(d, e, b, v) ==
    [type |-> "accepted", from |-> d, to |-> e, ballot |-> b, value |-> v, last |-> NotAccepted]
DecidedMsg(d, e, v) ==
    [type |-> "decided", from |-> d, to |-> e, ballot |-> 0, value |-> v, last |-> NotAccepted]

--------------------------------------------------------------------------------
\* The outage of a whole data centre (section I).
GoDown(d) ==
    /\ d \in up
    /\ Cardinality(DC \ up) < MaxDown
    /\ up' = up \ {d}
    /\ UNCHANGED <<vote, got, outcome, told, promised, accepted, msgs>>

\* The transaction has finished at d: its vote goes into the next epoch message.
Cast(d, v) ==
    /\ d \in up /\ vote[d] = None
    /\ promised[d] = 0
    /\ vote' = [vote EXCEPT ![d] = v]
    /\ got' = [got EXCEPT ![d] = @ \union {d}]
    /\ msgs' = msgs \union {VoteMsg(d, e, v) : e \in DC \ {d}}
    /\ UNCHANGED <<up, outcome, told, promised, accepted>>

\* @type: ($msg) => Bool;
HandleVote(m) ==
    /\ m.type = "vote" /\ m.to \in up
    /\ m.from \notin got[m.to] /\ outcome[m.to] = None
    /\ got' = [got EXCEPT ![m.to] = @ \union {m.from}]
    /\ UNCHANGED <<up, vote, outcome, told, promised, accepted, msgs>>

Backers(d, v) == {e \in got[d] : vote[e] = v}

\* As published a majority decides. Repair "ballots": only all data centres.
Enough(S) == IF Ballots THEN S = DC ELSE Majority(S)

\* Repair "ballots": whoever decided says so.
Conclude(d, v) ==
    /\ outcome' = [outcome EXCEPT ![d] = v]
    /\ told' = IF d = Origin THEN v ELSE told
    /\ msgs' = IF Ballots THEN msgs \union {DecidedMsg(d, e, v) : e \in DC \ {d}} ELSE msgs

DecideCommit(d, v) ==
    /\ d \in up /\ outcome[d] = None
    /\ Enough(Backers(d, v))
    /\ Conclude(d, v)
    /\ UNCHANGED <<up, vote, got, promised, accepted>>

DecideAbort(d) ==
    /\ ~Ballots
    /\ d \in up /\ outcome[d] = None
    /\ IF GiveUp = "early" THEN Majority(got[d]) ELSE got[d] = DC
    /\ \A v \in Order : ~Majority(Backers(d, v))
    /\ Conclude(d, Abort)
    /\ UNCHANGED <<up, vote, got, promised, accepted>>

--------------------------------------------------------------------------------
(* Repair "ballots". A ballot belongs to one data centre. *)

Owner(b) == CHOOSE d \in DC : Cardinality({e \in DC : e < d}) = b % Cardinality(DC)

\* A timer: votes are missing or differ.
StartBallot(d, b) ==
    /\ Ballots
    /\ d \in up /\ Owner(b) = d /\ outcome[d] = None
    /\ PrepareMsg(d, d, b) \notin msgs
    /\ msgs' = msgs \union {PrepareMsg(d, e, b) : e \in DC}
    /\ UNCHANGED <<up, vote, got, outcome, told, promised, accepted>>

\* Whoever joins a ballot before voting does not vote any more.
\* @type: ($msg) => Bool;
HandlePrepare(m) ==
    /\ m.type = "prepare" /\ m.to \in up
    /\ m.ballot > promised[m.to]
    /\ promised' = [promised EXCEPT ![m.to] = m.ballot]
    /\ msgs' = msgs \union
         {PromiseMsg(m.to, m.from, m.ballot, vote[m.to], accepted[m.to])}
    /\ UNCHANGED <<up, vote, got, outcome, told, accepted>>

Promises(d, b) == {m \in msgs : m.type = "promise" /\ m.to = d /\ m.ballot = b}

\* What a ballot may propose: the value accepted last; else the value on which all
\* may have agreed; else what a majority is known to have voted; else abort.
\* @type: (Set($msg)) => Str;
Choice(P) ==
    LET last == CHOOSE p \in P : \A q \in P : p.last.ballot >= q.last.ballot
        common == {v \in Order : \A p \in P : p.value = v}
        popular == {v \in Order : Majority({p.from : p \in {q \in P : q.value = v}})}
    IN  IF last.last.ballot > 0 THEN last.last.value
        ELSE IF common # {} THEN CHOOSE v \in common : TRUE
        ELSE IF popular # {} THEN CHOOSE v \in popular : TRUE
        ELSE Abort

\* A majority has joined.
Propose(d, b) ==
    /\ Ballots
    /\ d \in up /\ Owner(b) = d
    /\ Majority({m.from : m \in Promises(d, b)})
    /\ ~\E m \in msgs : m.type = "propose" /\ m.ballot = b
    /\ LET v == Choice(Promises(d, b))
       IN  msgs' = msgs \union {ProposeMsg(d, e, b, v) : e \in DC}
    /\ UNCHANGED <<up, vote, got, outcome, told, promised, accepted>>

\* @type: ($msg) => Bool;
HandlePropose(m) ==
    /\ m.type = "propose" /\ m.to \in up
    /\ m.ballot >= promised[m.to] /\ accepted[m.to].ballot < m.ballot
    /\ promised' = [promised EXCEPT ![m.to] = m.ballot]
    /\ accepted' = [accepted EXCEPT ![m.to] = [ballot |-> m.ballot, value |-> m.value]]
    /\ msgs' = msgs \union {AcceptedMsg(m.to, e, m.ballot, m.value) : e \in DC}
    /\ UNCHANGED <<up, vote, got, outcome, told>>

\* A majority has accepted.
Learn(d, b, v) ==
    /\ Ballots
    /\ d \in up /\ outcome[d] = None
    /\ Majority({m.from : m \in {n \in msgs :
            n.type = "accepted" /\ n.to = d /\ n.ballot = b /\ n.value = v}})
    /\ Conclude(d, v)
    /\ UNCHANGED <<up, vote, got, promised, accepted>>

\* @type: ($msg) => Bool;
HandleDecided(m) ==
    /\ m.type = "decided" /\ m.to \in up
    /\ outcome[m.to] = None
    /\ Conclude(m.to, m.value)
    /\ UNCHANGED <<up, vote, got, promised, accepted>>

--------------------------------------------------------------------------------
Init ==
    /\ up = DC
    /\ vote = [d \in DC |-> None]
    /\ got = [d \in DC |-> {}]
    /\ outcome = [d \in DC |-> None]
    /\ told = None
    /\ promised = [d \in DC |-> 0]
    /\ accepted = [d \in DC |-> NotAccepted]
    /\ msgs = {}

Next ==
    \/ \E d \in DC : GoDown(d)
    \/ \E d \in DC, v \in Order : Cast(d, v)
    \/ \E d \in DC, v \in Order : DecideCommit(d, v)
    \/ \E d \in DC : DecideAbort(d)
    \/ \E d \in DC, b \in 1..MaxBallot : StartBallot(d, b)
    \/ \E d \in DC, b \in 1..MaxBallot : Propose(d, b)
    \/ \E d \in DC, b \in 1..MaxBallot, v \in Order \union {Abort} : Learn(d, b, v)
    \/ \E m \in msgs : HandleVote(m)
    \/ \E m \in msgs : HandlePrepare(m)
    \/ \E m \in msgs : HandlePropose(m)
    \/ \E m \in msgs : HandleDecided(m)

Spec == Init /\ [][Next]_vars

--------------------------------------------------------------------------------
\* ours
TypeOKInv ==
    /\ up \subseteq DC
    /\ vote \in [DC -> Order \union {None}]
    /\ got \in [DC -> SUBSET DC]
    /\ outcome \in [DC -> Order \union {None, Abort}]
    /\ told \in Order \union {None, Abort}

\* implied (VI-D2, "reach a consensus"): no two coordinators decide differently.
AgreementInv ==
    \A d, e \in DC : None \notin {outcome[d], outcome[e]} => outcome[d] = outcome[e]

\* claimed (I, IV: survives the outage of a data centre; abstract: serializable):
\* whatever the client was told holds everywhere.
AcknowledgedInv ==
    told # None => \A d \in up : outcome[d] \in {None, told}

\* Something can still happen that needs nothing from data centres that are down.
CanMove ==
    \/ \E d \in up, v \in Order : ENABLED Cast(d, v)
    \/ \E d \in up, v \in Order : ENABLED DecideCommit(d, v)
    \/ \E d \in up : ENABLED DecideAbort(d)
    \/ \E d \in up, b \in 1..MaxBallot :
         \/ ENABLED StartBallot(d, b)
         \/ Majority({m.from : m \in Promises(d, b)} \cap up) /\ ENABLED Propose(d, b)
         \/ \E v \in Order \union {Abort} :
              /\ Majority({m.from : m \in {n \in msgs :
                     n.type = "accepted" /\ n.to = d /\ n.ballot = b /\ n.value = v}} \cap up)
              /\ ENABLED Learn(d, b, v)
    \/ \E m \in msgs : m.from \in up /\
         (\/ ENABLED HandleVote(m) \/ ENABLED HandlePrepare(m)
          \/ ENABLED HandlePropose(m) \/ ENABLED HandleDecided(m))

\* claimed (I, VIII-B): nobody who is up waits for ever. Every action happens a
\* bounded number of times. (With ballots: until the last ballot of the model has
\* been started.)
NoWaitInv ==
    \/ \A d \in up : outcome[d] # None
    \/ CanMove
    \/ Ballots /\ \E m \in msgs : m.type = "prepare" /\ m.ballot = MaxBallot

\* implied (section I): what was acknowledged is not lost with a data centre: as
\* long as those that are up can decide at all, nothing else can be decided, and
\* they do know of it.
SurvivesInv ==
    (told \in Order /\ ~CanMove) => \A d \in up : outcome[d] = told

CommitReach == \A d \in DC : outcome[d] \in Order
AbortReach == \A d \in DC : outcome[d] = Abort
RecoveredReach ==     \* decided without the origin, which had told its client
    Origin \notin up /\ told \in Order /\ \A d \in up : outcome[d] = told

--------------------------------------------------------------------------------
(* An inductive invariant, for the protocol as published (GiveUp = "all"):   *)
(* agreement holds at every length of the behaviour.                        *)

VotesSent == UNION {{VoteMsg(d, e, vote[d]) : e \in DC \ {d}} :
                     d \in {x \in DC : vote[x] # None}}

IndInv ==
    /\ TypeOKInv
    /\ promised = [d \in DC |-> 0]
    /\ accepted = [d \in DC |-> NotAccepted]
    /\ msgs = VotesSent
    /\ told = outcome[Origin]
    /\ \A d \in DC :
         /\ \A e \in got[d] : vote[e] # None
         /\ outcome[d] \in Order => Majority({e \in DC : vote[e] = outcome[d]})
         /\ outcome[d] = Abort =>
              /\ \A e \in DC : vote[e] # None
              /\ \A v \in Order : ~Majority({e \in DC : vote[e] = v})
================================================================================
