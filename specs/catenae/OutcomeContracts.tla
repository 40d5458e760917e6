---------------------------- MODULE OutcomeContracts ----------------------------
(***************************************************************************)
(* What the coordinators of different data centres owe each other in the   *)
(* decision on one transaction. The paper claims none of this; mutants of  *)
(* Outcome that leave its claims intact are caught here. For the reading   *)
(* GiveUp = "all".                                                         *)
(***************************************************************************)
EXTENDS MCOutcome

\* Constraint: no votes arrive, so that ballots decide.
Unheard == \A d \in DC : got[d] \subseteq {d}

\* Constraint: data centre 1 votes one way and the others another, before any ballot; ballots decide, and with the first
\* decision all is said.
Contrary ==
    /\ Unheard
    /\ \A d \in DC : vote[d] \in {None, IF d = 1 THEN "u_t" ELSE "t_u"} /\ outcome[d] = None
    /\ (\E d \in DC : vote[d] = None) => \A m \in msgs : m.type # "prepare"

Repaired(name) == name \in Repairs
Most(S) == 2 * Cardinality(S) > Cardinality(DC)
Of(type, b) == {m \in msgs : m.type = type /\ m.ballot = b}
Sent(type) == {m \in msgs' : m.type = type /\ m \notin msgs}
Everybody(S) == {m.to : m \in S} = DC
\* Whose turn a ballot is: round robin, from the lowest.
Leads(d, b) == Cardinality({e \in DC : e < d}) = b % Cardinality(DC)

-----------------------------------------------------------------------------
(* Outages *)

DownStep == [][
    /\ up' \subseteq up /\ msgs \subseteq msgs'
    /\ up' # up => /\ Cardinality(up) = Cardinality(up') + 1 /\ Cardinality(DC \ up) < MaxDown
                   /\ UNCHANGED <<vote, got, outcome, told, promised, accepted, msgs>>]_vars
\* Who is down does nothing and says nothing.
DeadStep == [][
    /\ \A d \in DC \ up : /\ vote'[d] = vote[d] /\ got'[d] = got[d] /\ outcome'[d] = outcome[d]
                          /\ promised'[d] = promised[d] /\ accepted'[d] = accepted[d]
    /\ \A m \in msgs' \ msgs : m.from \in up
    /\ Origin \notin up => told' = told]_vars

-----------------------------------------------------------------------------
(* Votes *)

\* A data centre votes once, before it has joined a ballot, and tells all others.
VoteStep == [][\A d \in DC : vote'[d] # vote[d] =>
    /\ vote[d] = None /\ promised[d] = 0 /\ got'[d] = got[d] \union {d}
    /\ {m.to : m \in {n \in Sent("vote") : n.from = d}} = DC \ {d}]_vars
VoteInv ==
    /\ \A m \in Of("vote", 0) : m.from # m.to /\ m.value = vote[m.from] /\ m.value # None
    /\ \A d, e \in DC : e \in got[d] =>
         /\ vote[e] # None
         /\ e # d => \E m \in Of("vote", 0) : m.from = e /\ m.to = d
    /\ \A d \in DC : vote[d] # None => d \in got[d]
GotStep == [][\A d \in DC : /\ got[d] \subseteq got'[d]
                            /\ Cardinality(got'[d]) <= Cardinality(got[d]) + 1
                            /\ got'[d] # got[d] => outcome[d] = None \/ vote'[d] # vote[d]]_vars

-----------------------------------------------------------------------------
(* Decisions *)

\* One decides once: by votes that suffice, by acceptances that do, or because somebody says so.
Voted(d, v) == {e \in got[d] : vote[e] = v}
Accepts(d, b, v) == {m.from : m \in {n \in Of("accepted", b) : n.to = d /\ n.value = v}}
DecideStep == [][\A d \in DC : outcome'[d] # outcome[d] =>
    LET v == outcome'[d]
    IN  /\ outcome[d] = None
        /\ told' = IF d = Origin THEN v ELSE told
        /\ IF Repaired("ballots")
           THEN /\ {m.to : m \in {n \in msgs' : n.type = "decided" /\ n.from = d /\ n.value = v}} = DC \ {d}
                /\ \/ Voted(d, v) = DC
                   \/ \E b \in 1..MaxBallot : Most(Accepts(d, b, v))
                   \/ \E m \in Of("decided", 0) : m.to = d /\ m.value = v
           ELSE /\ msgs' = msgs
                /\ \/ Most(Voted(d, v))
                   \/ v = Abort /\ got[d] = DC /\ \A w \in Order : ~Most({e \in DC : vote[e] = w})]_vars
ToldStep == [][told' # told => told = None /\ outcome'[Origin] = told' /\ outcome[Origin] = None]_vars

\* Whoever is up takes what it is told: a vote, and what another has decided.
TakenInv == \A m \in msgs : m.to \in up /\ outcome[m.to] = None =>
    /\ m.type = "vote" => m.from \in got[m.to] \/ ENABLED HandleVote(m)
    /\ m.type = "decided" => ENABLED HandleDecided(m)

-----------------------------------------------------------------------------
(* Ballots *)

\* A ballot is started once, by its owner, for all.
PrepareStep == [][\A m \in Sent("prepare") :
    /\ Leads(m.from, m.ballot) /\ outcome[m.from] = None
    /\ Of("prepare", m.ballot) = {} /\ Everybody({n \in Sent("prepare") : n.ballot = m.ballot})]_vars
\* Whoever is asked joins a ballot higher than all that it has joined, and says what it voted and accepted.
PromiseStep == [][
    /\ \A m \in Sent("promise") :
         /\ promised[m.from] < m.ballot /\ promised'[m.from] = m.ballot
         /\ \E p \in Of("prepare", m.ballot) : p.to = m.from /\ p.from = m.to
         /\ m.value = vote[m.from] /\ m.last = accepted[m.from]
    /\ \A d \in DC : promised'[d] # promised[d] =>
         /\ promised[d] < promised'[d]
         /\ \E m \in Sent("promise") \union Sent("accepted") : m.from = d /\ m.ballot = promised'[d]]_vars
\* One value a ballot, proposed to all by its owner when a majority has joined: the one accepted last among them; else one
\* that all of them voted; else one that a majority of all voted; else abort.
ProposeStep == [][\A m \in Sent("propose") :
    LET joined == {p \in Of("promise", m.ballot) : p.to = m.from}
        accepts == {p \in joined : p.last.ballot > 0}
        shared == {v \in Order : \A p \in joined : p.value = v}
        wide == {v \in Order : Most({p.from : p \in {q \in joined : q.value = v}})}
    IN  /\ Leads(m.from, m.ballot) /\ Most({p.from : p \in joined})
        /\ Of("propose", m.ballot) = {} /\ Everybody({n \in Sent("propose") : n.value = m.value})
        /\ \A n \in Sent("propose") : n.value = m.value /\ n.ballot = m.ballot
        /\ IF accepts # {} THEN \E p \in accepts : /\ m.value = p.last.value
                                                   /\ \A q \in accepts : q.last.ballot <= p.last.ballot
           ELSE IF shared # {} THEN m.value \in shared
           ELSE IF wide # {} THEN m.value \in wide ELSE m.value = Abort]_vars
\* It is accepted by who has not joined a higher one, once, and all are told.
AcceptStep == [][
    /\ \A d \in DC : accepted'[d] # accepted[d] =>
         LET a == accepted'[d]
         IN  /\ a.ballot >= promised[d] /\ a.ballot > accepted[d].ballot /\ promised'[d] = a.ballot
             /\ \E m \in Of("propose", a.ballot) : m.to = d /\ m.value = a.value
             /\ Everybody({n \in msgs' : n.type = "accepted" /\ n.from = d /\ n.ballot = a.ballot /\ n.value = a.value})
    /\ \A m \in Sent("accepted") : accepted'[m.from] = [ballot |-> m.ballot, value |-> m.value]
    /\ \A m \in Sent("decided") : outcome[m.from] = None /\ outcome'[m.from] = m.value]_vars
================================================================================
