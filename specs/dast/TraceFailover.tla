----------------------------- MODULE TraceFailover -----------------------------
(***************************************************************************)
(* Steps Failover's variables along a log of all regions. The core module  *)
(* has one region, one shard and one CRT, and removes one node at a time;  *)
(* a log has several of each. So the steps are restated here, by region,   *)
(* shard and transaction, and the claims are guards of the steps that      *)
(* could break them. That these are steps of Failover, but for differences *)
(* that it names, is checked by TraceFailoverRefines, within its bounds.   *)
(*                                                                         *)
(* Node and Manager are instances: a node's incarnations, a manager role's *)
(* epochs. Transactions, IRTs and CRTs, are numbered in the order of their *)
(* ids; timestamps are numbered in their order.                            *)
(*                                                                         *)
(* What events say: docs/mapping.md. leader is the manager that has the    *)
(* epoch of Elect.                                                         *)
(*                                                                         *)
(* Differs from the core module: a new manager's clock is above what       *)
(* members knew of the old one's, so that max goes on; a commit tells of   *)
(* the transaction, too; decided starts with the first view. CRTs are in   *)
(* irt and have like IRTs (crt and crtPhase are not used). have[n] is of   *)
(* four sets, by what n knows to be prepared, committed, executed and      *)
(* aborted: a log has hundreds of open transactions. last[x] is the newest *)
(* timestamp that somebody was told. A member may answer a change of view  *)
(* more than once.                                                         *)
(*                                                                         *)
(* Left out: Hear without news for the next execution. Not judged: which   *)
(* CRTs others keep (Algorithm 2, lines 2 and 8), and whether a clock that *)
(* is only told stays below hold.                                          *)
(*                                                                         *)
(* Forgotten (Forget): what nobody mentions any more, and all nodes that   *)
(* execute later have executed; log stays whole, for new replicas.         *)
(***************************************************************************)
EXTENDS Failover, TLC

CONSTANTS
    \* The region of each node and manager.
    RegionOf,
    \* The shard of each node.
    Shard,
    \* The shards of each transaction.
    Shards,
    \* Transactions across regions.
    Crts,
    \* The epoch of each manager.
    Epoch

Clocks == <<last, max, anticipated, wentBack>>
Views == <<view, ignored, hold, leader, decided, prop>>
Txns == <<irt, have, crt, crtPhase, log>>

Regions == {RegionOf[m] : m \in Manager}
ManagersOf(r) == {m \in Manager : RegionOf[m] = r}
NoChange == [vid |-> 0, round |-> 0, remove |-> {}, adds |-> FALSE, ts |-> 0, asked |-> {}, answers |-> <<>>]
FirstView(r) == [members |-> {n \in Member : RegionOf[n] = r}, manager |-> CHOOSE m \in ManagersOf(r) : Epoch[m] = 1,
                 add |-> 0, irts |-> {}, committed |-> {}, aborted |-> {}, ts |-> 0]

TraceInit ==
    /\ last = [p \in Node \union Manager |-> 0]
    /\ irt = [t \in Irt |-> [phase |-> "new", ts |-> 0]]
    /\ have = [n \in Node |-> [prepared |-> {}, committed |-> {}, executed |-> {}, aborted |-> {}]]
    /\ crt = <<>>
    /\ crtPhase = "new"
    /\ log = [n \in Node |-> <<>>]
    /\ max = [n \in Node |-> <<>>]
    /\ view = [n \in Node |-> IF n \in Member THEN 0 ELSE -1]
    /\ ignored = [n \in Node |-> {}]
    /\ hold = [n \in Node |-> 0]
    /\ leader = [r \in Regions |-> FirstView(r).manager]
    /\ decided = [r \in Regions |-> <<FirstView(r)>>]
    /\ prop = [m \in Manager |-> NoChange]
    /\ anticipated = [n \in Node |-> 0]
    /\ wentBack = FALSE

-----------------------------------------------------------------------------
\* A guard with choices in it, as a value: TLC makes a successor for every way in which it is true, here for one.
Is(guard) == guard = TRUE

ViewAt(r, v) == decided[r][v + 1]
Newest(r) == Len(decided[r]) - 1
ViewOf(n) == ViewAt(RegionOf[n], view[n])
IsIn(n) == view[n] >= 0 /\ n \in ViewOf(n).members

\* 4.5, one manager at a time: n takes messages of the members and the manager of its view, but not of those it has
\* promised to ignore.
Takes(n, x) == n # x /\ IsIn(n) /\ x \in ViewOf(n).members \union {ViewOf(n).manager} /\ x \notin ignored[n]

\* The transactions of each shard: evaluated once.
Accessing == [s \in {Shard[n] : n \in Node} |-> {t \in Irt : s \in Shards[t]}]
Accesses(n, t) == t \in Accessing[Shard[n]]
Copies(n) == {x \in Node : Shard[x] = Shard[n]}
Get(f, x, default) == IF x \in DOMAIN f THEN f[x] ELSE default
Done(n, t) == t \in have[n].executed
Knows(n, t) == t \in have[n].committed \/ Done(n, t)
Has(n, t) == t \in have[n].prepared \/ Knows(n, t) \/ t \in have[n].aborted
Last(n) == log[n][Len(log[n])]
Before(t, u) == irt[t].ts < irt[u].ts \/ (irt[t].ts = irt[u].ts /\ t < u)

Known(n) == have[n].prepared \union have[n].committed \union have[n].executed \union have[n].aborted

\* What became of transactions of removed coordinators.
Changes(t) == decided[RegionOf[Coord[t]]]
Rescued(t) == \E v \in DOMAIN Changes(t) : t \in Changes(t)[v].irts \/ t \in Changes(t)[v].committed
Aborted(t) == \E v \in DOMAIN Changes(t) : t \in Changes(t)[v].aborted
Committed(t) == irt[t].phase \in {"committed", "done"} \/ Rescued(t)

\* AllOrNothingInv
NobodyAborted(t) == \A x \in Node : t \notin have[x].aborted
NobodyCommitted(t) == \A x \in Node : ~Knows(x, t)

\* n learns that transactions are prepared, or that they are committed.
Prepared(n, ts) == [have EXCEPT ![n].prepared = @ \union {t \in ts : ~Has(n, t)}]
Learned(n, ts) == [have EXCEPT ![n].prepared = @ \ ts,
                               ![n].committed = @ \union {t \in ts : ~Done(n, t) /\ t \notin have[n].aborted}]

-----------------------------------------------------------------------------
(* IRTs                                                                    *)

\* NewStampInv: the stamp is above what any member has executed. A node that was removed for its silence may go on, as
\* long as it does not know; nobody acknowledges what it asks for.
TraceCoordIrt(t, ts) ==
    LET n == Coord[t]
    IN  /\ t \notin Crts /\ irt[t].phase = "new" /\ IsIn(n)
        /\ ts > last[n]
        /\ Is(hold[n] = 0 \/ ts < hold[n])
        /\ n \in ViewAt(RegionOf[n], Newest(RegionOf[n])).members =>
            \A x \in ViewOf(n).members : log[x] # <<>> => irt[Last(x)].ts < ts
        /\ last' = [last EXCEPT ![n] = ts]
        /\ irt' = [irt EXCEPT ![t] = [phase |-> "prepared", ts |-> ts]]
        /\ have' = Prepared(n, {t})
        /\ UNCHANGED <<crt, crtPhase, log, max, anticipated, wentBack, Views>>

\* s: the sender.
TraceHandlePrepare(n, t, s) ==
    /\ t \notin Crts /\ irt[t].phase # "new" /\ s = Coord[t] /\ Takes(n, s)
    /\ have' = Prepared(n, {t})
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

\* Members of the coordinator's view have acknowledged. A change of view may have committed it before, so that it is
\* executed.
TraceCommitIrt(t) ==
    LET n == Coord[t]
    IN  /\ t \notin Crts /\ irt[t].phase = "prepared"
        /\ \A s \in Shards[t] :
            Cardinality({x \in ViewOf(n).members \ Silenced(n) : Shard[x] = s /\ Has(x, t)}) >= Majority
        /\ irt' = [irt EXCEPT ![t].phase = "committed"]
        /\ have' = Learned(n, {t})
        /\ UNCHANGED <<crt, crtPhase, log, Clocks, Views>>

TraceHandleCommit(n, t, s) ==
    /\ t \notin Crts /\ Is(Committed(t)) /\ Takes(n, s)
    /\ Is(s = Coord[t] \/ Rescued(t))
    /\ have' = Learned(n, {t})
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

\* Whose IRTs x tells of: its own, and those of who was removed.
Tells(x, t) == Coord[t] = x \/ t \in Crts \/ ("Inherit" \in Repairs /\ Coord[t] \notin ViewOf(x).members)

\* A clock message of x, with notes of transactions that x has.
TraceHear(n, x, now, prepared, committed) ==
    /\ Takes(n, x)
    /\ now >= Get(max[n], x, 0)
    /\ x \in Manager => prepared \union committed = {}
    /\ Is(\A t \in prepared : (Has(x, t) /\ Tells(x, t)) \/ Rescued(t))
    /\ Is(\A t \in committed : (Knows(x, t) /\ Tells(x, t)) \/ Rescued(t))
    /\ last' = [last EXCEPT ![x] = IF now > @ THEN now ELSE @]
    /\ max' = [max EXCEPT ![n] = (x :> now) @@ @]
    /\ have' = [Learned(n, committed) EXCEPT ![n].prepared = @ \union {t \in prepared \ committed : ~Has(n, t)}]
    /\ \A t \in committed \intersect Crts : NobodyAborted(t)
    /\ UNCHANGED <<irt, crt, crtPhase, log, anticipated, wentBack, Views>>

ReadyAt(n) == (have[n].committed \union (have[n].prepared \ Crts)) \intersect Accessing[Shard[n]]

\* HistoryInv, CommittedInv and AnsweredInv, for the step that could break them: n has executed all that is before t
\* and that a copy of its shard has executed or that is committed (what n knows of is in ReadyAt); and who went past t
\* has executed it.
KeepsHistory(n, t) ==
    /\ \A x \in Copies(n) : log[x] # <<>> /\ Before(t, Last(x)) => Done(x, t)
    /\ \A u \in UNION {have[x].executed : x \in Copies(n)} \ have[n].executed : ~Before(u, t)
    /\ \A u \in Accessing[Shard[n]] \intersect (UNION {Known(x) : x \in Copies(n)} \ (Known(n) \union Crts)) :
        Before(u, t) => ~Committed(u)

TraceExecute(n, t, at) ==
    /\ IsIn(n) /\ Accesses(n, t)
    /\ t \in have[n].committed /\ at = irt[t].ts
    /\ \A u \in ReadyAt(n) \ {t} : Before(t, u)
    /\ \A x \in (ViewOf(n).members \union {ViewOf(n).manager}) \ {n} : Get(max[n], x, 0) > at
    /\ KeepsHistory(n, t)
    /\ log' = [log EXCEPT ![n] = Append(@, t)]
    /\ have' = [have EXCEPT ![n].committed = @ \ {t}, ![n].executed = @ \union {t}]
    /\ UNCHANGED <<irt, crt, crtPhase, Clocks, Views>>

TraceReply(t) ==
    /\ Is(Committed(t))
    /\ Is(\A s \in Shards[t] : \E x \in Node : Shard[x] = s /\ Done(x, t))
    /\ irt' = [irt EXCEPT ![t].phase = "done"]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

-----------------------------------------------------------------------------
(* CRTs                                                                    *)

TraceCoordCrt(t) ==
    /\ t \in Crts /\ irt[t].phase = "new" /\ IsIn(Coord[t])
    /\ irt' = [irt EXCEPT ![t].phase = "prepared"]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

\* AnticipatedInv
TraceAnticipate(m, at) ==
    LET r == RegionOf[m]
    IN  /\ ViewAt(r, Newest(r)).manager = m
        /\ wentBack' = (wentBack \/ \E n \in Node : RegionOf[n] = r /\ at <= anticipated[n])
        /\ UNCHANGED <<last, max, anticipated, Txns, Views>>

\* From the manager, or from a replica after a change of view (Algorithm 3, line 26).
TraceHandlePrepCrt(n, t, s, asked) ==
    /\ t \in Crts /\ irt[t].phase # "new" /\ Takes(n, s)
    /\ have' = Prepared(n, {t})
    /\ anticipated' = [anticipated EXCEPT ![n] = IF s \in Manager /\ asked > @ THEN asked ELSE @]
    /\ UNCHANGED <<irt, crt, crtPhase, log, last, max, wentBack, Views>>

TraceCommitCrt(t, ts) ==
    /\ t \in Crts /\ irt[t].phase = "prepared" /\ IsIn(Coord[t])
    /\ \A s \in Shards[t] : Cardinality({x \in Node : Shard[x] = s /\ Has(x, t)}) >= Majority
    /\ irt' = [irt EXCEPT ![t] = [phase |-> "committed", ts |-> ts]]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

\* From the coordinator, who may be of another region.
TraceHandleCommitCrt(n, t, s) ==
    /\ t \in Crts /\ Is(Committed(t)) /\ NobodyAborted(t)
    /\ n # s /\ RegionOf[n] = RegionOf[s] => Takes(n, s)
    /\ have' = Learned(n, {t})
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

TraceHandleResolved(n, t) ==
    /\ t \in Crts /\ Is(Rescued(t)) /\ NobodyAborted(t)
    /\ have' = Learned(n, {t})
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

TraceHandleAbort(n, t) ==
    /\ t \in Crts /\ Is(Aborted(t)) /\ NobodyCommitted(t)
    /\ have' = [have EXCEPT ![n].prepared = @ \ {t}, ![n].aborted = @ \union {t}]
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

-----------------------------------------------------------------------------
(* View changes                                                            *)

Asks(m, vid, round, remove, adds, ts) ==
    LET r == RegionOf[m]
        now == ViewAt(r, Newest(r)).members
    IN  /\ vid = Newest(r) + 1 /\ remove \subseteq now
        /\ \A n \in remove : Cardinality(Copies(n) \intersect remove) < Majority /\ Copies(n) \intersect (now \ remove) # {}
        /\ prop' = [prop EXCEPT ![m] = [vid |-> vid, round |-> round, remove |-> remove, adds |-> adds, ts |-> ts,
                                        asked |-> @.asked \union {<<vid, round, remove>>}, answers |-> <<>>]]
        /\ UNCHANGED <<view, ignored, hold, decided, Clocks, Txns>>

TraceRemoveNode(m, vid, round, remove) ==
    /\ leader[RegionOf[m]] = m /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager = m /\ remove # {}
    /\ Asks(m, vid, round, remove, FALSE, 0)
    /\ UNCHANGED leader

TraceAddReplica(m, vid, round, at) ==
    /\ leader[RegionOf[m]] = m /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager = m
    /\ at > last[m]
    /\ Asks(m, vid, round, {}, TRUE, at)
    /\ UNCHANGED leader

\* A new manager, which may have to remove members first.
TraceElect(m, vid, round, remove) ==
    /\ Epoch[m] >= Epoch[leader[RegionOf[m]]] /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager # m
    /\ leader' = [leader EXCEPT ![RegionOf[m]] = m]
    /\ Asks(m, vid, round, remove, FALSE, 0)

Theirs(n, remove) == {t \in Known(n) : Coord[t] \in remove /\ Accesses(n, t) /\ ~Rescued(t) /\ ~Aborted(t)}

\* IRTs of n that a member who stays may not have.
Own(n, remove) == {t \in Known(n) \ Crts : Coord[t] = n /\ ~Rescued(t)
    /\ \E x \in ViewOf(n).members \ remove : Accesses(x, t) /\ ~Done(x, t)}

\* CRTs that n has decided to commit and that some shard has not executed, so that n cannot have been told by all.
OwnCrts(n) == {t \in Crts : Coord[t] = n /\ irt[t].phase \in {"committed", "done"} /\ ~Rescued(t)
    /\ \E x \in Node : /\ x \in ViewAt(RegionOf[x], Newest(RegionOf[x])).members
                       /\ t \in have[x].prepared \union have[x].committed
                       /\ \A y \in Copies(x) : ~Done(y, t)}

\* A member's answer: what it reports of those that are to be removed, and its clock.
TraceHandleViewPrep(n, m, vid, round, remove, held, irts, prepared, committed, lastLogged) ==
    LET of == Theirs(n, remove)
        p == prop[m]
        own == IF "ReportOwn" \in Repairs /\ remove # {} THEN {n} ELSE {}
        ownCrts == IF "ReportOwnCrt" \in Repairs /\ remove # {} THEN {n} ELSE {}
    IN  /\ IsIn(n) /\ vid = view[n] + 1 /\ n \notin remove /\ m \notin ignored[n]
        /\ <<vid, round, remove>> \in p.asked
        /\ lastLogged >= last[n]
        /\ Is(held = 0 \/ held > lastLogged \/ "AddVote" \notin Repairs)
        /\ p.vid = vid /\ p.round = round =>
            IF p.adds THEN held # 0 /\ (lastLogged < p.ts \/ "AddVote" \notin Repairs => held = p.ts) ELSE held = 0
        /\ irts \subseteq {t \in Known(n) \ Crts : Coord[t] \in remove \union own}
        /\ prepared \subseteq {t \in Crts \ committed : Coord[t] \in remove /\ irt[t].phase # "new"}
        /\ committed \subseteq {t \in Crts : Coord[t] \in remove \union ownCrts}
        /\ \A v \in 1 .. view[n] : LET d == ViewAt(RegionOf[n], v)
                                  IN  (prepared \union committed) \intersect (d.committed \union d.aborted) = {}
        /\ {t \in of \ Crts : ~Knows(n, t) \/ "committed" \in Reported} \subseteq irts
        /\ "ReportOwn" \in Repairs /\ remove # {} => Own(n, remove) \subseteq irts
        /\ {t \in of \intersect Crts : Knows(n, t)} \subseteq committed
        /\ "ReportOwnCrt" \in Repairs /\ remove # {} => OwnCrts(n) \subseteq committed
        /\ of \intersect Crts \subseteq prepared \union committed
        /\ Is(\A t \in committed : Committed(t))
        /\ last' = [last EXCEPT ![n] = lastLogged]
        /\ hold' = [hold EXCEPT ![n] = held]
        /\ ignored' = [ignored EXCEPT ![n] = @ \union remove \union {o \in ManagersOf(RegionOf[n]) : Epoch[o] < Epoch[m]}]
        /\ prop' = IF prop[m].vid = vid /\ prop[m].round = round
                   THEN [prop EXCEPT ![m].answers =
                            (n :> Get(@, n, {}) \union
                                {[irts |-> irts, prepared |-> prepared, committed |-> committed, ts |-> lastLogged]}) @@ @]
                   ELSE prop
        /\ UNCHANGED <<view, leader, decided, max, anticipated, wentBack, Txns>>

\* One answer of each member, put together in every way: who is asked again answers again, with what it has learned
\* since, and the manager may have decided before it hears that.
RECURSIVE Together(_, _)
Together(answers, ns) ==
    IF ns = {} THEN {[irts |-> {}, prepared |-> {}, committed |-> {}, ts |-> 0]}
    ELSE LET n == CHOOSE x \in ns : TRUE
         IN  {[irts |-> a.irts \union o.irts, prepared |-> a.prepared \union o.prepared,
               committed |-> a.committed \union o.committed, ts |-> IF a.ts > o.ts THEN a.ts ELSE o.ts] :
              a \in answers[n], o \in Together(answers, ns \ {n})}

\* All members have answered. add: the new replica, 0 for none; at: where its clock starts.
TraceDecideView(m, vid, round, members, remove, add, at, irts, committed, aborted) ==
    LET r == RegionOf[m]
        now == ViewAt(r, Newest(r)).members
        p == prop[m]
    IN  /\ leader[r] = m
        /\ p.vid = vid /\ vid = Newest(r) + 1 /\ p.round = round /\ p.remove = remove /\ p.adds = (add # 0)
        /\ now \ remove \subseteq DOMAIN p.answers
        /\ members = (now \ remove) \union ({add} \ {0})
        /\ add # 0 => at >= p.ts
        /\ Is(\E a \in Together(p.answers, now \ remove) :
                /\ irts = a.irts
                /\ "CommittedWins" \in Repairs => committed = a.committed
                /\ aborted = (a.prepared \union a.committed) \ committed
                /\ add # 0 /\ "AddVote" \in Repairs => at > a.ts)
        /\ decided' = [decided EXCEPT ![r] = Append(@, [members |-> members, manager |-> m, add |-> add, irts |-> irts,
                                                        committed |-> committed, aborted |-> aborted, ts |-> at])]
        /\ prop' = [prop EXCEPT ![m] = [NoChange EXCEPT !.asked = p.asked]]
        /\ last' = IF add = 0 THEN last ELSE [last EXCEPT ![add] = at]
        /\ UNCHANGED <<view, ignored, hold, leader, max, anticipated, wentBack, Txns>>

TraceHandleViewCommit(n, vid) ==
    LET r == RegionOf[n]
        d == ViewAt(r, vid)
        old == ViewOf(n).manager
        clocks == (IF d.add = 0 THEN <<>> ELSE d.add :> d.ts)
                  @@ (IF d.manager = old THEN <<>> ELSE d.manager :> Get(max[n], old, 0)) @@ max[n]
    IN  /\ IsIn(n) /\ vid = view[n] + 1 /\ vid <= Newest(r) /\ n \in d.members
        /\ view' = [view EXCEPT ![n] = vid]
        /\ have' = Learned(n, {t \in d.irts : Accesses(n, t)})
        /\ hold' = [hold EXCEPT ![n] = 0]
        /\ max' = [max EXCEPT ![n] = clocks]
        /\ UNCHANGED <<irt, crt, crtPhase, log, last, ignored, leader, decided, prop, anticipated, wentBack>>

\* A new replica's first view: what it executed before is what a copy has executed first, and it knows nothing that no
\* copy knows.
TraceJoin(n, vid, executed, prepared, committed, aborted) ==
    LET r == RegionOf[n]
        others == Copies(n) \ {n}
        live == UNION {Known(x) : x \in others}
        done == {executed[i] : i \in DOMAIN executed} \intersect live
    IN  /\ view[n] = -1 /\ vid \in 1 .. Newest(r) /\ ViewAt(r, vid).add = n
        /\ Is(\E x \in others : Len(executed) <= Len(log[x]) /\ executed = SubSeq(log[x], 1, Len(executed)))
        /\ Is(\A t \in prepared : \E x \in others : Has(x, t))
        /\ Is(\A t \in committed : \E x \in others : Knows(x, t))
        /\ Is(\A t \in aborted : Aborted(t))
        /\ view' = [view EXCEPT ![n] = vid]
        /\ log' = [log EXCEPT ![n] = executed]
        /\ have' = [have EXCEPT ![n] = [executed |-> done, committed |-> committed \ done,
                                        prepared |-> prepared \ (done \union committed), aborted |-> aborted]]
        /\ UNCHANGED <<irt, crt, crtPhase, ignored, hold, leader, decided, prop, Clocks>>

-----------------------------------------------------------------------------
(* What a log says of steps and the steps themselves leave open: taken before them. *)

HeardAsTold(now, told) == now = told /\ UNCHANGED vars

\* By the manager that asks, or by the replica that does.
AskedAsAnticipated(asked, anticipatedFor) == asked = anticipatedFor /\ UNCHANGED vars

\* votes: by the names of nodes; it is not in the log which of a node's incarnations voted.
HasVotes(t, votes) ==
    /\ \A s \in Shards[t] : Cardinality({x \in votes : Shard[x] = s}) >= Majority
    /\ UNCHANGED vars

\* voted: what those have voted for that began to wait in this incarnation.
NotBelowVotes(ts, voted) == (\A at \in voted : ts >= at) /\ UNCHANGED vars

\* The clock that n has read is past t.
IsDue(now, at) == now > at /\ UNCHANGED vars

\* Conditional aborts (4.1): as at the first that executed it.
WroteAsOthers(wrote, wroteFirst) == wrote = wroteFirst /\ UNCHANGED vars

\* Once, but for one whose coordinator was lost: another incarnation answers again.
RepliesAtItsTime(t, ts) == ts = irt[t].ts /\ (irt[t].phase # "done" \/ Is(Rescued(t))) /\ UNCHANGED vars

Forget(gone) ==
    /\ have' = [n \in Node |-> [state \in DOMAIN have[n] |-> have[n][state] \ gone]]
    /\ UNCHANGED <<irt, crt, crtPhase, log, Clocks, Views>>

\* What explanations show as enabled.
TraceNext ==
    \/ \E t \in {u \in Irt \ Crts : irt[u].phase = "prepared"} : TraceCommitIrt(t)
    \/ \E t \in {u \in Irt : Committed(u)} : TraceReply(t)
    \/ \E n \in {x \in Node : view[x] >= 0} : \E vid \in {view[n] + 1} : TraceHandleViewCommit(n, vid)
TraceSpec == TraceInit /\ [][TraceNext]_vars
================================================================================
