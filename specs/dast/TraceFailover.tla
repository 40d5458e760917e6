----------------------------- MODULE TraceFailover -----------------------------
(***************************************************************************)
(* Steps Failover's variables along a log of all regions. The core module  *)
(* has one region, one shard and one CRT, and removes one node at a time;  *)
(* a log has several of each. So the steps are restated here, by region,   *)
(* shard and transaction, and the claims are guards of the steps that      *)
(* could break them.                                                       *)
(*                                                                         *)
(* Node and Manager are instances: a node's incarnations, a manager role's *)
(* epochs. Transactions, IRTs and CRTs, are numbered in the order of their *)
(* ids; timestamps are numbered in their order.                            *)
(*                                                                         *)
(*  spec field       log field                       code field            *)
(*  irt[t]           action; args.ts of CoordIrt,    Coordinator.running   *)
(*                     CommitCrt                                           *)
(*  have[n], crt[t]  args.t; notes of Hear; args of  Participant.pending,  *)
(*                     a new replica's first view      aborted             *)
(*  log[n]           Execute; args.executed          Participant.executed  *)
(*  max[n]           args.x, args.now of Hear        Region.max            *)
(*  view[n]          args.vid of HandleViewCommit    ReplaceableNode.view  *)
(*  ignored[n]       args.remove of HandleViewPrep   ignored, promised     *)
(*  hold[n], last[n] args of HandleViewPrep          Region.hold, clock    *)
(*  leader           args.epoch of Elect             fencing epoch         *)
(*  prop[m]          args of RemoveNode, AddReplica, ReplaceableManager    *)
(*                     Elect; of HandleViewPrep        .proposal           *)
(*  decided          args and state of DecideView    changes               *)
(*  anticipated[n]   args.asked of HandlePrepCrt     anticipated           *)
(*                                                                         *)
(* Differs from the core module: a new manager's clock is above what       *)
(* members knew of the old one's, so that max goes on; a commit tells of   *)
(* the transaction, too; decided starts with the first view.               *)
(*                                                                         *)
(* Left out: Hear without news for the next execution. Not judged: which   *)
(* CRTs others keep (Algorithm 2, lines 2 and 8), and whether a clock that *)
(* is only told stays below hold.                                          *)
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
    /\ have = [n \in Node |-> <<>>]
    /\ crt = [t \in Crts |-> <<>>]
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
ViewAt(r, v) == decided[r][v + 1]
Newest(r) == Len(decided[r]) - 1
ViewOf(n) == ViewAt(RegionOf[n], view[n])
IsIn(n) == view[n] >= 0 /\ n \in ViewOf(n).members

\* 4.5, one manager at a time: n takes messages of the members and the manager of its view, but not of those it has
\* promised to ignore.
Takes(n, x) == IsIn(n) /\ x \in ViewOf(n).members \union {ViewOf(n).manager} /\ x \notin ignored[n]

Accesses(n, t) == Shard[n] \in Shards[t]
Copies(n) == {x \in Node : Shard[x] = Shard[n]}
Get(f, x, default) == IF x \in DOMAIN f THEN f[x] ELSE default
Has(n, t) == IF t \in Crts THEN Get(crt[t], n, "none") ELSE Get(have[n], t, "none")
Before(t, u) == irt[t].ts < irt[u].ts \/ (irt[t].ts = irt[u].ts /\ t < u)

\* What became of transactions of removed coordinators.
Outcomes(t) == LET changes == decided[RegionOf[Coord[t]]] IN {changes[v] : v \in DOMAIN changes}
Rescued(t) == \E d \in Outcomes(t) : t \in d.irts \union d.committed
Aborted(t) == \E d \in Outcomes(t) : t \in d.aborted
Committed(t) == irt[t].phase \in {"committed", "done"} \/ Rescued(t)

\* AllOrNothingInv
NobodyAborted(t) == \A x \in DOMAIN crt[t] : crt[t][x] # "aborted"
NobodyCommitted(t) == \A x \in DOMAIN crt[t] : crt[t][x] # "committed"

\* n learns of transactions.
Learned(n, ts, state) ==
    /\ have' = [have EXCEPT ![n] = [t \in ts \ Crts |-> Better(state, Get(have[n], t, "none"))] @@ @]
    /\ crt' = [t \in Crts |-> IF t \in ts THEN (n :> Better(state, Get(crt[t], n, "none"))) @@ crt[t] ELSE crt[t]]

-----------------------------------------------------------------------------
(* IRTs                                                                    *)

\* NewStampInv: the stamp is above what any member has executed.
TraceCoordIrt(t, ts) ==
    LET n == Coord[t]
    IN  /\ irt[t].phase = "new" /\ IsIn(n)
        /\ ts > last[n]
        /\ hold[n] = 0 \/ ts < hold[n]
        /\ \A x \in ViewOf(n).members : \A u \in Executed(x) : irt[u].ts < ts
        /\ last' = [last EXCEPT ![n] = ts]
        /\ irt' = [irt EXCEPT ![t] = [phase |-> "prepared", ts |-> ts]]
        /\ have' = [have EXCEPT ![n] = (t :> "prepared") @@ @]
        /\ UNCHANGED <<crt, crtPhase, log, max, anticipated, wentBack, Views>>

\* s: the sender.
TraceHandlePrepare(n, t, s) ==
    /\ irt[t].phase # "new" /\ s = Coord[t] /\ Takes(n, s)
    /\ Learned(n, {t}, "prepared")
    /\ UNCHANGED <<irt, crtPhase, log, Clocks, Views>>

\* Members of the coordinator's view have acknowledged.
TraceCommitIrt(t) ==
    LET n == Coord[t]
    IN  /\ irt[t].phase = "prepared"
        /\ \A s \in Shards[t] :
            Cardinality({x \in ViewOf(n).members : Shard[x] = s /\ Has(x, t) # "none"}) >= Majority
        /\ irt' = [irt EXCEPT ![t].phase = "committed"]
        /\ have' = [have EXCEPT ![n] = (t :> "committed") @@ @]
        /\ UNCHANGED <<crt, crtPhase, log, Clocks, Views>>

TraceHandleCommit(n, t, s) ==
    /\ Committed(t) /\ Takes(n, s)
    /\ s = Coord[t] \/ Rescued(t)
    /\ Learned(n, {t}, "committed")
    /\ UNCHANGED <<irt, crtPhase, log, Clocks, Views>>

\* A clock message of x, with notes of transactions that x has.
TraceHear(n, x, ts, prepared, committed) ==
    /\ Takes(n, x)
    /\ ts >= Get(max[n], x, 0)
    /\ \A t \in prepared : Has(x, t) # "none" \/ Rescued(t)
    /\ \A t \in committed : Has(x, t) = "committed" \/ Rescued(t)
    /\ max' = [max EXCEPT ![n] = (x :> ts) @@ @]
    /\ LET new == {t \in prepared : Has(n, t) = "none"}
       IN  /\ have' = [have EXCEPT ![n] = [t \in committed \ Crts |-> "committed"] @@ [t \in new \ Crts |-> "prepared"] @@ @]
           /\ crt' = [t \in Crts |-> IF t \in committed THEN (n :> "committed") @@ crt[t] ELSE crt[t]]
    /\ \A t \in committed \intersect Crts : NobodyAborted(t)
    /\ UNCHANGED <<irt, crtPhase, log, last, anticipated, wentBack, Views>>

ReadyAt(n) == {t \in DOMAIN have[n] : Accesses(n, t)} \union {t \in Crts : Get(crt[t], n, "none") = "committed"}

\* HistoryInv, CommittedInv and AnsweredInv, for the step that could break them: n has executed all that is before t
\* and that a copy of its shard has executed or that is committed; and who went past t has executed it.
KeepsHistory(n, t) ==
    /\ \A x \in Copies(n) : \A u \in Executed(x) : Before(u, t) => u \in Executed(n)
    /\ \A x \in Copies(n) \ {n} : (\E u \in Executed(x) : Before(t, u)) => t \in Executed(x)
    /\ \A u \in Irt \ Crts : Accesses(n, u) /\ Committed(u) /\ Before(u, t) => u \in Executed(n)

TraceExecute(n, t, at) ==
    /\ IsIn(n) /\ Accesses(n, t) /\ t \notin Executed(n)
    /\ Has(n, t) = "committed" /\ at = irt[t].ts
    /\ \A u \in ReadyAt(n) \ Executed(n) : u = t \/ Before(t, u)
    /\ \A x \in (ViewOf(n).members \union {ViewOf(n).manager}) \ {n} : Get(max[n], x, 0) > at
    /\ KeepsHistory(n, t)
    /\ log' = [log EXCEPT ![n] = Append(@, t)]
    /\ UNCHANGED <<irt, have, crt, crtPhase, Clocks, Views>>

TraceReply(t) ==
    /\ Committed(t)
    /\ \A s \in Shards[t] : \E x \in Node : Shard[x] = s /\ t \in Executed(x)
    /\ irt' = [irt EXCEPT ![t].phase = "done"]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

-----------------------------------------------------------------------------
(* CRTs                                                                    *)

TraceCoordCrt(t) ==
    /\ irt[t].phase = "new" /\ IsIn(Coord[t])
    /\ irt' = [irt EXCEPT ![t].phase = "prepared"]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

\* AnticipatedInv
TraceAnticipate(m, at) ==
    LET r == RegionOf[m]
    IN  /\ ViewAt(r, Newest(r)).manager = m
        /\ wentBack' = (wentBack \/ \E n \in Node : RegionOf[n] = r /\ at <= anticipated[n])
        /\ UNCHANGED <<last, max, anticipated, Txns, Views>>

\* From the manager, or from a replica after a change of view (Algorithm 3, line 26).
TraceHandlePrepCrt(n, t, s, at) ==
    /\ irt[t].phase # "new" /\ Takes(n, s)
    /\ Learned(n, {t}, "prepared")
    /\ anticipated' = [anticipated EXCEPT ![n] = IF s \in Manager /\ at > @ THEN at ELSE @]
    /\ UNCHANGED <<irt, crtPhase, log, last, max, wentBack, Views>>

TraceCommitCrt(t, ts) ==
    /\ irt[t].phase = "prepared" /\ IsIn(Coord[t])
    /\ \A s \in Shards[t] : Cardinality({x \in DOMAIN crt[t] : Shard[x] = s}) >= Majority
    /\ irt' = [irt EXCEPT ![t] = [phase |-> "committed", ts |-> ts]]
    /\ UNCHANGED <<have, crt, crtPhase, log, Clocks, Views>>

TraceHandleCommitCrt(n, t) ==
    /\ Committed(t) /\ NobodyAborted(t)
    /\ Learned(n, {t}, "committed")
    /\ UNCHANGED <<irt, crtPhase, log, Clocks, Views>>

TraceHandleResolved(n, t) ==
    /\ Rescued(t) /\ NobodyAborted(t)
    /\ Learned(n, {t}, "committed")
    /\ UNCHANGED <<irt, crtPhase, log, Clocks, Views>>

TraceHandleAbort(n, t) ==
    /\ Aborted(t) /\ NobodyCommitted(t)
    /\ crt' = [crt EXCEPT ![t] = (n :> "aborted") @@ @]
    /\ UNCHANGED <<irt, have, crtPhase, log, Clocks, Views>>

-----------------------------------------------------------------------------
(* View changes                                                            *)

Asks(m, vid, round, remove, adds, ts) ==
    LET r == RegionOf[m]
        now == ViewAt(r, Newest(r)).members
    IN  /\ vid = Newest(r) + 1 /\ remove \subseteq now
        /\ \A n \in remove : Copies(n) \intersect (now \ remove) # {}
        /\ prop' = [prop EXCEPT ![m] = [vid |-> vid, round |-> round, remove |-> remove, adds |-> adds, ts |-> ts,
                                        asked |-> @.asked \union {<<vid, round, remove>>}, answers |-> <<>>]]
        /\ UNCHANGED <<view, ignored, hold, decided, Clocks, Txns>>

TraceRemoveNode(m, vid, round, remove) ==
    /\ leader[RegionOf[m]] = m /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager = m /\ remove # {}
    /\ Asks(m, vid, round, remove, FALSE, 0)
    /\ UNCHANGED leader

TraceAddReplica(m, vid, round, ts) ==
    /\ leader[RegionOf[m]] = m /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager = m
    /\ Asks(m, vid, round, {}, TRUE, ts)
    /\ UNCHANGED leader

\* A new manager, which may have to remove members first.
TraceElect(m, vid, round, remove) ==
    /\ Epoch[m] >= Epoch[leader[RegionOf[m]]] /\ ViewAt(RegionOf[m], Newest(RegionOf[m])).manager # m
    /\ leader' = [leader EXCEPT ![RegionOf[m]] = m]
    /\ Asks(m, vid, round, remove, FALSE, 0)

Theirs(n, remove) == {t \in Irt : Coord[t] \in remove /\ Has(n, t) # "none" /\ Accesses(n, t) /\ ~Rescued(t) /\ ~Aborted(t)}

\* A member's answer: what it reports of those that are to be removed, and its clock.
TraceHandleViewPrep(n, m, vid, round, remove, held, irts, prepared, committed, clock) ==
    LET of == Theirs(n, remove)
    IN  /\ IsIn(n) /\ vid = view[n] + 1 /\ n \notin remove /\ m \notin ignored[n]
        /\ <<vid, round, remove>> \in prop[m].asked
        /\ clock >= last[n]
        /\ held = 0 \/ held > clock \/ "AddVote" \notin Repairs
        /\ {t \in of \ Crts : Has(n, t) \in Reported} \subseteq irts
        /\ {t \in of \intersect Crts : Has(n, t) = "committed"} \subseteq committed
        /\ of \intersect Crts \subseteq prepared \union committed
        /\ \A t \in committed : Committed(t)
        /\ last' = [last EXCEPT ![n] = clock]
        /\ hold' = [hold EXCEPT ![n] = held]
        /\ ignored' = [ignored EXCEPT ![n] = @ \union remove \union {o \in ManagersOf(RegionOf[n]) : Epoch[o] < Epoch[m]}]
        /\ prop' = IF prop[m].vid = vid /\ prop[m].round = round
                   THEN [prop EXCEPT ![m].answers =
                            (n :> [irts |-> irts, prepared |-> prepared, committed |-> committed, ts |-> clock]) @@ @]
                   ELSE prop
        /\ UNCHANGED <<view, leader, decided, max, anticipated, wentBack, Txns>>

\* All members have answered. add: the new replica, 0 for none; at: where its clock starts.
TraceDecideView(m, vid, round, members, remove, add, at, irts, committed, aborted) ==
    LET r == RegionOf[m]
        now == ViewAt(r, Newest(r)).members
        p == prop[m]
        answers == {p.answers[n] : n \in DOMAIN p.answers}
        theirs == UNION {a.committed : a \in answers}
    IN  /\ leader[r] = m
        /\ p.vid = vid /\ vid = Newest(r) + 1 /\ p.round = round /\ p.remove = remove /\ p.adds = (add # 0)
        /\ now \ remove \subseteq DOMAIN p.answers
        /\ members = (now \ remove) \union ({add} \ {0})
        /\ irts = UNION {a.irts : a \in answers}
        /\ "CommittedWins" \in Repairs => committed = theirs
        /\ aborted = UNION {a.prepared \union a.committed : a \in answers} \ committed
        /\ add # 0 => at >= p.ts /\ ("AddVote" \in Repairs => \A a \in answers : at > a.ts)
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
        /\ have' = [have EXCEPT ![n] = [t \in {u \in d.irts : Accesses(n, u)} |-> "committed"] @@ @]
        /\ hold' = [hold EXCEPT ![n] = 0]
        /\ max' = [max EXCEPT ![n] = clocks]
        /\ UNCHANGED <<irt, crt, crtPhase, log, last, ignored, leader, decided, prop, anticipated, wentBack>>

\* A new replica's first view: what it executed before is what a copy has executed first, and it knows nothing that no
\* copy knows.
TraceJoin(n, vid, executed, prepared, committed, aborted) ==
    LET r == RegionOf[n]
        done == {executed[i] : i \in DOMAIN executed}
        others == Copies(n) \ {n}
        state(t) == IF t \in aborted THEN "aborted" ELSE IF t \in prepared THEN "prepared" ELSE "committed"
        all == done \union prepared \union committed \union aborted
    IN  /\ view[n] = -1 /\ vid \in 1 .. Newest(r) /\ ViewAt(r, vid).add = n
        /\ \E x \in others : Len(executed) <= Len(log[x]) /\ executed = SubSeq(log[x], 1, Len(executed))
        /\ \A t \in prepared : \E x \in others : Has(x, t) # "none"
        /\ \A t \in committed : \E x \in others : Has(x, t) = "committed"
        /\ \A t \in aborted : Aborted(t)
        /\ view' = [view EXCEPT ![n] = vid]
        /\ log' = [log EXCEPT ![n] = executed]
        /\ have' = [have EXCEPT ![n] = [t \in all \ Crts |-> state(t)] @@ @]
        /\ crt' = [t \in Crts |-> IF t \in all THEN (n :> state(t)) @@ crt[t] ELSE crt[t]]
        /\ UNCHANGED <<irt, crtPhase, ignored, hold, leader, decided, prop, Clocks>>

\* What explanations show as enabled.
TraceNext ==
    \/ \E t \in {u \in Irt \ Crts : irt[u].phase = "prepared"} : TraceCommitIrt(t)
    \/ \E t \in {u \in Irt : Committed(u)} : TraceReply(t)
    \/ \E n \in {x \in Node : view[x] >= 0} : \E vid \in {view[n] + 1} : TraceHandleViewCommit(n, vid)
TraceSpec == TraceInit /\ [][TraceNext]_vars
================================================================================
