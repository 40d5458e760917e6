--------------------------- MODULE FailoverTogether ---------------------------
(***************************************************************************)
(* Failover where one change of the view removes several members: those    *)
(* who are suspected, and those who do not answer (Algorithm 3, lines 3 to *)
(* 19). Does a change end if f of 2f+1 members have failed (3.1), and what *)
(* is lost if more were only suspected?                                    *)
(*                                                                         *)
(* Modelled: what Failover has; a removal that is about several members.   *)
(* Those and RemoveTogether take the places of Whom and RemoveNode. A      *)
(* round begins again when others are to be removed: everybody is asked    *)
(* again, and goes on ignoring whom it was ever asked to remove.           *)
(*                                                                         *)
(* Assumed, not checked: what Failover assumes; who is in Dead is          *)
(* suspected in the end.                                                   *)
(*                                                                         *)
(* Out of scope: clocks and execution; several shards that lose members;   *)
(* answers that come when a round has begun again (they are not counted).  *)
(*                                                                         *)
(* Readings                                                                *)
(*  - a member that does not answer is suspected, and asked nothing more;  *)
(*  - members whose removal was given up are removed by a later change.    *)
(***************************************************************************)
EXTENDS MCFailover

CONSTANTS
    \* Members that fail: from some time on they do nothing.
    \* @type: Set(Int);
    Dead,
    \* Deviations from the published protocol, besides those of Failover.
    \* @type: Set(Str);
    Removal

(***************************************************************************)
(* FewAtOnce       one change removes fewer members than a majority has;   *)
(*                 each of those who stay answers.                         *)
(* Instead         who does not answer is removed in the place of one who  *)
(*                 was suspected, and is there.                            *)
(***************************************************************************)
ASSUME Removal \subseteq {"FewAtOnce", "Instead"}

Those(p) == IF p.kind = "remove" THEN p.who ELSE {p.who}

RemoveTogether(m, n) ==
    LET going == IF prop[m].kind = "remove" THEN prop[m].who ELSE {}
        few == "FewAtOnce" \notin Removal \/ Cardinality(going) + 1 < Majority
    IN  /\ leader = m /\ ManagerAt(Now) = m /\ prop[m].kind \in {"", "remove"} /\ Now < MaxViews
        /\ n \in (MembersAt(Now) \intersect Suspects) \ going
        /\ MembersAt(Now) # going \union {n}
        /\ \E kept \in IF few THEN {going}
                       ELSE IF "Instead" \in Removal /\ n \in Dead THEN {going \ {x} : x \in going \ Dead} ELSE {} :
             prop' = [prop EXCEPT ![m] = [NoProp EXCEPT !.kind = "remove", !.vid = Now + 1, !.who = kept \union {n}]]
        /\ UNCHANGED <<last, irt, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, anticipated, wentBack>>

\* What this module changes of Next; mutants are made of it.
Removing == \E m \in Manager, n \in Node : RemoveTogether(m, n)

\* One member at a time, whoever else does not answer.
RemoveOne(m, n) == prop[m].kind = "" /\ RemoveTogether(m, n)

\* Commitment needs no clock. Members answer one after the other, and take views so: what one of them does changes
\* nothing for the next.
InTurn ==
    /\ view' = view => max' = max
    /\ prop'[8].vid = prop[8].vid /\ prop'[8].who = prop[8].who =>
        \A n \in DOMAIN prop'[8].answers \ DOMAIN prop[8].answers : \A x \in MembersAt(Now) \ Whom(prop[8]) :
            x < n => x \in DOMAIN prop[8].answers
    /\ Now' = Now => \A n \in Node : view'[n] # view[n] => \A x \in MembersAt(Now) : x < n => view[x] = Now

-----------------------------------------------------------------------------
(* Fairness: who has not failed answers, and who has is suspected.         *)

TogetherFairness ==
    /\ \A n \in Node \ Dead, m \in Manager : WF_vars(HandleViewPrep(n, m))
    /\ \A n \in Node \ Dead : WF_vars(HandleViewCommit(n))
    /\ \A m \in Manager : WF_vars(DecideView(m))
    /\ \A m \in Manager, n \in Dead : WF_vars(RemoveNode(m, n))
TogetherSpec == Init /\ [][Next]_vars /\ TogetherFairness

\* 3.1: who has failed is removed, and nobody waits for it any more.
GoneLive == <>[](Dead \intersect MembersAt(Now) = {})

\* 4.4: a member knows of an IRT that was committed, its client answered or not.
KnownInv == \A t \in Irt : irt[t].phase \in {"committed", "done"} => \E n \in MembersAt(Now) : have[n][t] # "none"

\* Two are removed at once, and the IRT of one of them is committed.
TogetherReach == \E v \in 1 .. Now : \E n \in MembersAt(Now), t \in Irt :
    Cardinality(Those(decided[v])) > 1 /\ Coord[t] \in Those(decided[v]) /\ have[n][t] = "committed"
===============================================================================
