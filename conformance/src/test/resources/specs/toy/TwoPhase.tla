---- MODULE TwoPhase ----
(* A toy two-phase commit: participants vote, the coordinator decides once. *)
EXTENDS Naturals, FiniteSets, Sets

CONSTANTS Participant,   \* the voters
          Repairs        \* repairs that are switched on

VARIABLES
  state,     \* what each participant knows: its own vote or the outcome
  decision,  \* the coordinator's outcome, or "none"
  msgs       \* every message ever sent

vars == <<state, decision, msgs>>

Message == [type : {"vote"}, src : Participant, yes : BOOLEAN]
             \cup [type : {"decide"}, src : {"coord"}, dst : Participant, outcome : {"commit", "abort"}]

Init ==
  /\ state = [p \in Participant |-> "working"]
  /\ decision = "none"
  /\ msgs = {}

\* A participant votes yes and waits, or votes no and aborts at once.
Vote(p, yes) ==
  /\ state[p] = "working"
  /\ state' = [state EXCEPT ![p] = IF yes THEN "prepared" ELSE "aborted"]
  /\ msgs' = msgs \cup {[type |-> "vote", src |-> p, yes |-> yes]}
  /\ UNCHANGED decision

Votes(yes) == {m \in msgs : m.type = "vote" /\ m.yes = yes}

Decide(outcome) ==
  /\ decision' = outcome
  /\ msgs' = msgs \cup {[type |-> "decide", src |-> "coord", dst |-> p, outcome |-> outcome] : p \in Participant}
  /\ UNCHANGED state

DecideCommit ==
  /\ decision = "none"
  /\ IF "all votes" \in Repairs THEN Cardinality(Votes(TRUE)) = Cardinality(Participant)
                                ELSE Votes(TRUE) # {}
  /\ Decide("commit")

DecideAbort ==
  /\ decision = "none"
  /\ Votes(FALSE) # {}
  /\ Decide("abort")

\* The outcome reaches a participant.
Learn(m) ==
  /\ m.type = "decide"
  /\ state[m.dst] = "prepared"
  /\ state' = [state EXCEPT ![m.dst] = IF m.outcome = "commit" THEN "committed" ELSE "aborted"]
  /\ UNCHANGED <<decision, msgs>>

\* Never enabled: participants are not restarted in this toy.
Restart(p) ==
  /\ state[p] = "crashed"
  /\ state' = [state EXCEPT ![p] = "working"]
  /\ UNCHANGED <<decision, msgs>>

Next ==
  \/ \E p \in Participant, yes \in BOOLEAN : Vote(p, yes)
  \/ DecideCommit
  \/ DecideAbort
  \/ \E m \in msgs : Learn(m)
  \/ \E p \in Participant : Restart(p)

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Next)

TypeInv == state \in [Participant -> {"working", "prepared", "committed", "aborted", "crashed"}]

AgreementInv == ~ \E p, q \in Participant : state[p] = "committed" /\ state[q] = "aborted"

DecideOnceStep == [][decision # "none" => decision' = decision]_vars

CommitReach == \A p \in Participant : state[p] = "committed"

CrashReach == \E p \in Participant : state[p] = "crashed"

DecidedLive == <>(decision # "none")

CommittedLive == <>(\A p \in Participant : state[p] = "committed")
====
