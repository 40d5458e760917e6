--------------------------- MODULE FailoverContracts ---------------------------
(***************************************************************************)
(* What the members of a region, its managers and the register owe each    *)
(* other, with all repairs. The paper claims little of this; mutants of    *)
(* Failover that leave its claims intact are caught here. Operators that a *)
(* mutant may change are put in other words.                               *)
(***************************************************************************)
EXTENDS MCFailover

\* The members and the manager of view v; manager 8 is the first.
RECURSIVE Staff(_)
Staff(v) ==
    IF v = 0 THEN Member
    ELSE IF decided[v].kind = "remove" THEN Staff(v - 1) \ {decided[v].who}
    ELSE IF decided[v].kind = "add" THEN Staff(v - 1) \union {decided[v].who} ELSE Staff(v - 1)
Boss(v) ==
    LET new == {u \in 1 .. v : decided[u].kind = "manager"}
    IN  IF new = {} THEN 8 ELSE decided[CHOOSE u \in new : \A w \in new : w <= u].who

\* Who was added or removed, and who manages, is known from all changes before, of whatever kind.
StaffInv == \A v \in 0 .. Len(decided) : MembersAt(v) = Staff(v) /\ ManagerAt(v) = Boss(v)

Belongs(n) == n \in Staff(view[n])
Listens(n, x) == n # x /\ Belongs(n) /\ x \in Staff(view[n]) \union {Boss(view[n])} /\ x \notin ignored[n]
\* A timestamp of p's own.
Own(p, ts) == ts % 10 = p
Ran(n) == {log[n][i] : i \in DOMAIN log[n]}
Count(S) == Cardinality(S)

\* Clock messages that change nothing for anybody are left out; a view may set the clock of a new replica.
Awaited == view' = view =>
    IF Irt = {} THEN ManagersTell
    ELSE \A n \in Node, x \in Node \union Manager : max'[n][x] # max[n][x] =>
            \E t \in Irt : have[n][t] # "none" /\ t \notin Ran(n) /\ max[n][x] <= irt[t].ts

\* A clock message tells of an IRT of which its receiver has less or more than its sender.
Differing == view' = view => \A n \in Node, x \in Node \union Manager : max'[n][x] # max[n][x] =>
    x \in Node /\ have[n] # have[x]

\* Nobody tells a clock.
Untold == view' = view => max' = max

\* The same, and member 2 is removed when the CRT's coordinator has decided to commit, then the coordinator.
DecidingFirst ==
    /\ Untold
    /\ prop[8].kind = "" /\ prop'[8].kind # "" =>
         IF Now = 0 THEN prop'[8].who = 2 /\ crtPhase = "deciding" ELSE prop'[8].who = 1

Clients == <<irt, have, log>>
Crts == <<crt, crtPhase>>
Views == <<view, ignored, hold, leader, decided, prop>>
Anticipation == <<anticipated, wentBack>>

-----------------------------------------------------------------------------
(* Clocks *)

\* A clock grows, below what holds it; one at a time.
LastStep == [][\A p \in DOMAIN last : last'[p] # last[p] =>
    /\ last' = [last EXCEPT ![p] = last'[p]]
    /\ last'[p] > last[p] /\ Own(p, last'[p])
    /\ p \in Node /\ hold[p] # 0 => last'[p] < hold[p]]_vars

\* It does so for a transaction, to tell others, for a view or to anticipate.
LastCauseStep == [][\A p \in DOMAIN last : last'[p] # last[p] =>
    \/ \E t \in Irt : Coord[t] = p /\ irt[t].phase = "new" /\ irt'[t].phase # "new"
    \/ \E n \in Node : max'[n][p] = last'[p]
    \/ p \in Node /\ log'[p] # log[p]
    \/ p \in Manager /\ prop'[p].kind = "add" /\ prop[p].kind = ""
    \/ Len(decided') # Len(decided)
    \/ anticipated' # anticipated]_vars

MaxInv == \A n \in Node : \A x \in DOMAIN max[n] : max[n][x] <= last[x]

\* x tells n its clock, a new timestamp unless the last one is of this reading, and its transactions if it is a node: its own, and those of who was removed.
Best(a, b) == IF "committed" \in {a, b} THEN "committed" ELSE IF "prepared" \in {a, b} THEN "prepared" ELSE "none"
ToldBy(x) == {t \in Irt : Coord[t] = x \/ \E v \in 1 .. view[x] : decided[v].kind = "remove" /\ decided[v].who = Coord[t]}
Announces(x, n) ==
    /\ Listens(n, x)
    /\ x \in Manager => x = Boss(Len(decided))
    /\ max' = [max EXCEPT ![n][x] = last'[x]]
    /\ last'[x] > last[x] \/ last[x] \div 10 \in Times
    /\ have' = IF x \in Manager THEN have
               ELSE [have EXCEPT ![n] = [t \in Irt |-> IF t \in ToldBy(x) THEN Best(have[x][t], @[t]) ELSE @[t]]]
    /\ UNCHANGED <<irt, log, Crts, Views, Anticipation>>
Announced == \E n \in Node : \E x \in DOMAIN last : Announces(x, n)
MaxStep == [][max' # max => Announced \/ view' # view]_vars

-----------------------------------------------------------------------------
(* IRTs *)

\* A client's transaction is stamped by its coordinator, committed by a majority, answered when it is executed.
Stamps(t) ==
    LET n == Coord[t]
    IN  /\ irt[t].phase = "new" /\ Belongs(n)
        /\ irt' = [irt EXCEPT ![t] = [phase |-> "prepared", ts |-> last'[n]]]
        /\ have' = [have EXCEPT ![n][t] = "prepared"]
        /\ last'[n] > last[n]
        /\ UNCHANGED <<log, max, Crts, Views, Anticipation>>
Commits(t) ==
    /\ irt[t].phase = "prepared"
    /\ Count({x \in Staff(view[Coord[t]]) : have[x][t] # "none" /\ x \notin ignored[Coord[t]]}) >= Majority
    /\ irt' = [irt EXCEPT ![t].phase = "committed"]
    /\ have' = [have EXCEPT ![Coord[t]][t] = "committed"]
    /\ UNCHANGED <<last, log, max, Crts, Views, Anticipation>>
Answers(t) ==
    /\ irt[t].phase = "committed" /\ t \in Ran(Coord[t])
    /\ irt' = [irt EXCEPT ![t].phase = "done"]
    /\ UNCHANGED <<last, have, log, max, Crts, Views, Anticipation>>
IrtStep == [][irt' # irt => \E t \in Irt : Stamps(t) \/ Commits(t) \/ Answers(t)]_vars

\* A node hears of a transaction from its coordinator, by its or another node's clock message, or by a view.
Receives(n, t) ==
    /\ Listens(n, Coord[t])
    /\ \/ have[n][t] = "none" /\ irt[t].phase # "new" /\ have' = [have EXCEPT ![n][t] = "prepared"]
       \/ have[n][t] = "prepared" /\ irt[t].phase \in {"committed", "done"} /\ have' = [have EXCEPT ![n][t] = "committed"]
    /\ UNCHANGED <<last, irt, log, max, Crts, Views, Anticipation>>
HaveStep == [][have' # have =>
    irt' # irt \/ view' # view \/ Announced \/ \E n \in Node, t \in Irt : Receives(n, t)]_vars

\* A node executes the first that it knows, committed, when everybody's clock has passed it.
Executes(n) ==
    LET t == log'[n][Len(log'[n])]
    IN  /\ Belongs(n) /\ log' = [log EXCEPT ![n] = Append(@, t)]
        /\ have[n][t] = "committed" /\ t \notin Ran(n)
        /\ \A u \in Irt : have[n][u] # "none" /\ u \notin Ran(n) => irt[u].ts >= irt[t].ts
        /\ last'[n] > irt[t].ts
        /\ \A x \in (Staff(view[n]) \union {Boss(view[n])}) \ {n} : max[n][x] > irt[t].ts
        /\ UNCHANGED <<irt, have, max, Crts, Views, Anticipation>>
LogStep == [][\A n \in Node : log'[n] # log[n] => Executes(n) \/ Len(decided') # Len(decided)]_vars

\* Whoever listens to a coordinator takes what it asks, whatever its own clock shows and whatever clients were told; a
\* coordinator goes on when it has enough.
CanInv == \A t \in Irt :
    LET c == Coord[t] IN
    /\ irt[t].phase # "new" => \A n \in Node : Listens(n, c) =>
         /\ (have[n][t] = "none" => ENABLED HandlePrepare(n, t))
         /\ (have[n][t] = "prepared" /\ irt[t].phase # "prepared" => ENABLED HandleCommit(n, t))
    /\ (irt[t].phase = "prepared" /\ Count({x \in Staff(view[c]) : have[x][t] # "none" /\ x \notin ignored[c]}) >= Majority
        => ENABLED CommitIrt(t))
    /\ (irt[t].phase = "committed" /\ t \in Ran(c) => ENABLED Reply(t))

-----------------------------------------------------------------------------
(* The CRT *)

Waits(n) == crt[n] \in {"none", "prepared"}
Holding(S) == Count({x \in Node : crt[x] \in S})
\* Prepared by the coordinator, then by who hears it, then by the other region once a majority has it.
Prepares(n) ==
    /\ crt[n] = "none" /\ crt'[n] = "prepared" /\ CrtCoord # 0
    /\ IF n = CrtCoord THEN crtPhase' = "prepared"
       ELSE /\ crtPhase # "new" /\ crtPhase' = crtPhase
            /\ IF n = Remote THEN Holding({"prepared", "committed", "aborted"}) >= Majority ELSE Listens(n, CrtCoord)
\* Committed when it is decided: at the other members first; or by a view.
Takes(n) ==
    /\ Waits(n) /\ crtPhase' = crtPhase
    /\ \/ /\ crt'[n] = "committed" /\ crtPhase = "deciding"
          /\ CASE n = Remote -> crt[CrtCoord] = "committed"
               [] n = CrtCoord -> Count({x \in Staff(view[n]) : crt[x] = "committed" /\ x # n /\ x \notin ignored[n]}) >= Majority - 1
               [] OTHER -> Listens(n, CrtCoord)
       \/ \E v \in DOMAIN decided : decided[v].committed /\ crt'[n] = "committed"
       \/ \E v \in DOMAIN decided : decided[v].aborted /\ crt'[n] = "aborted"
CrtStep == [][Len(decided') = Len(decided) /\ view' = view => \A n \in DOMAIN crt : crt'[n] # crt[n] =>
    /\ Prepares(n) \/ Takes(n)
    /\ crt' = [crt EXCEPT ![n] = crt'[n]]
    /\ UNCHANGED <<last, irt, have, log, max, Views, Anticipation>>]_vars
\* What any view has decided of it, whoever waits can take, whatever was decided since.
TakesInv == \A n \in DOMAIN crt, v \in DOMAIN decided : Waits(n) =>
    /\ decided[v].committed => ENABLED HandleResolved(n, v)
    /\ decided[v].aborted => ENABLED HandleAbort(n, v)
PhaseStep == [][crtPhase' # crtPhase =>
    \/ crtPhase = "new" /\ crt'[CrtCoord] # crt[CrtCoord]
    \/ /\ crtPhase = "prepared" /\ crtPhase' = "deciding"
       /\ crt[Remote] = "prepared" /\ Holding({"prepared"}) >= Majority
       /\ UNCHANGED <<last, irt, have, crt, log, max, Views, Anticipation>>]_vars

-----------------------------------------------------------------------------
(* Views *)

Fresh(kind, who) == [kind |-> kind, vid |-> Len(decided) + 1, who |-> who, ts |-> 0, log |-> <<>>, crt |-> "none", answers |-> NoAnswers]
\* The elected manager of the newest view begins a change when it has none under way; who is elected begins its own view.
Opens(m) ==
    /\ Len(decided) < MaxViews
    /\ prop' = [prop EXCEPT ![m] = prop'[m]]
    /\ \/ /\ leader = m /\ leader' = m /\ Boss(Len(decided)) = m /\ prop[m] = NoProp
          /\ \/ /\ prop'[m] = Fresh("remove", prop'[m].who) /\ prop'[m].who \in Staff(Len(decided)) \intersect Suspects
                /\ last' = last
             \/ /\ prop'[m].who \in Spare \ Staff(Len(decided))
                /\ last'[m] > last[m]
                /\ \E x \in Staff(Len(decided)) :
                     /\ Listens(x, m)
                     /\ prop'[m] = [Fresh("add", prop'[m].who) EXCEPT !.log = log[x], !.crt = crt[x], !.ts = 10 * (last'[m] \div 10 + Ahead)]
       \/ /\ leader' = m /\ leader # m /\ last' = last
          /\ prop'[m] = Fresh("manager", m)
    /\ UNCHANGED <<Clients, max, Crts, view, ignored, hold, decided, Anticipation>>

\* What n says to p, and what it does from then on.
Report(n, p) ==
    CASE p.kind = "remove" -> [irts |-> {t \in Irt : Coord[t] \in {n, p.who} /\ have[n][t] # "none"},
                               crt |-> IF \E v \in DOMAIN decided : v <= view[n] /\ (decided[v].aborted \/ decided[v].committed) THEN "none"
                                       ELSE IF CrtCoord = p.who THEN crt[n]
                                       ELSE IF n = CrtCoord /\ crtPhase = "deciding" THEN "committed"
                                       ELSE IF n = CrtCoord /\ crtPhase # "new" THEN "kept" ELSE "none", ts |-> 0]
      [] p.kind = "add" -> [irts |-> {}, crt |-> "none", ts |-> last[n]]
      [] OTHER -> [irts |-> {}, crt |-> "none",
                   ts |-> IF anticipated[n] > max[n][Boss(view[n])] THEN anticipated[n] ELSE max[n][Boss(view[n])]]
Shuns(n, p) ==
    CASE p.kind = "remove" -> {p.who}
      [] p.kind = "manager" -> {Boss(view[n])} \ {p.who}
      [] OTHER -> {}
Replies(n, m) ==
    LET p == prop[m]
    IN  /\ p.kind # "" /\ n # p.who /\ Belongs(n) /\ p.vid = view[n] + 1
        /\ n \notin DOMAIN p.answers /\ m \notin ignored[n]
        /\ p.kind = "manager" \/ Boss(view[n]) = m
        /\ prop' = [prop EXCEPT ![m] = [p EXCEPT !.answers = [x \in DOMAIN p.answers \union {n} |->
                                          IF x = n THEN Report(n, p) ELSE p.answers[x]]]]
        /\ ignored' = [ignored EXCEPT ![n] = @ \union Shuns(n, p)]
        /\ hold' = [hold EXCEPT ![n] = IF p.kind # "add" THEN @ ELSE IF last[n] < p.ts THEN p.ts ELSE last[n] + 10]
        /\ UNCHANGED <<last, Clients, max, Crts, view, leader, decided, Anticipation>>

\* A change is decided by the leader, when all who stay or were there have answered, and in order.
Top(S) == CHOOSE x \in S : \A y \in S : y <= x
Decides(m) ==
    LET p == prop[m]
        said == {p.answers[n] : n \in DOMAIN p.answers}
        crts == {a.crt : a \in said}
        ts == CASE p.kind = "add" -> Top({p.ts} \union {10 * (a.ts \div 10 + 1) : a \in said})
                [] p.kind = "manager" -> Top({last[m]} \union {a.ts : a \in said})
                [] OTHER -> 0
    IN  /\ p.kind # "" /\ leader = m /\ p.vid = Len(decided) + 1
        /\ \A n \in Staff(Len(decided)) : n = p.who \/ n \in DOMAIN p.answers
        /\ decided' = decided \o <<[kind |-> p.kind, who |-> p.who, irts |-> UNION {a.irts : a \in said},
                                    aborted |-> "prepared" \in crts /\ "committed" \notin crts,
                                    committed |-> "committed" \in crts, kept |-> "kept" \in crts, ts |-> ts, log |-> p.log]>>
        /\ prop' = [prop EXCEPT ![m] = NoProp]
        /\ last' = CASE p.kind = "manager" -> [last EXCEPT ![m] = 10 * (ts \div 10 + 1) + m]
                     [] p.kind = "add" -> [last EXCEPT ![p.who] = ts + p.who]
                     [] OTHER -> last
        /\ log' = IF p.kind = "add" THEN [log EXCEPT ![p.who] = p.log] ELSE log
        /\ crt' = IF p.kind = "add" THEN [crt EXCEPT ![p.who] = p.crt] ELSE crt
        /\ view' = IF p.kind = "add" THEN [view EXCEPT ![p.who] = p.vid] ELSE view
        /\ UNCHANGED <<irt, have, max, crtPhase, ignored, hold, leader, Anticipation>>

\* A member takes the next view, unless it is out of it: what was reported is committed or kept, what was held goes on.
Enters(n) ==
    /\ Belongs(n) /\ view[n] < Len(decided) /\ view' = [view EXCEPT ![n] = @ + 1]
    /\ LET d == decided[view[n] + 1]
       IN  /\ n \in Staff(view[n] + 1)
           /\ have' = [have EXCEPT ![n] = [t \in Irt |-> IF t \in d.irts THEN "committed" ELSE @[t]]]
           /\ crt' = [crt EXCEPT ![n] = IF @ = "none" /\ d.kept THEN "prepared" ELSE @]
           /\ hold' = [hold EXCEPT ![n] = 0]
           /\ max' = IF d.kind = "add" THEN [max EXCEPT ![n][d.who] = d.ts] ELSE max
    /\ UNCHANGED <<last, irt, log, crtPhase, ignored, leader, decided, prop, Anticipation>>

PropStep == [][prop' # prop => \E m \in Manager : Opens(m) \/ Decides(m) \/ \E n \in Node : Replies(n, m)]_vars
LeaderStep == [][leader' # leader => Opens(leader')]_vars
DecidedStep == [][decided' # decided => \E m \in Manager : Decides(m)]_vars
ViewStep == [][view' # view => \E n \in Node : Enters(n) \/ decided' # decided]_vars
HoldStep == [][hold' # hold \/ ignored' # ignored => prop' # prop \/ view' # view]_vars

-----------------------------------------------------------------------------
(* Anticipation *)

\* The manager anticipates a round trip after its clock, and above all that its members have accepted.
AnticipatedStep == [][Anticipation' # Anticipation => \E n \in Node, m \in Manager, rtt \in Rtts :
    /\ Listens(n, m) /\ Boss(Len(decided)) = m /\ leader = m /\ last'[m] > last[m]
    /\ anticipated' = [anticipated EXCEPT ![n] =
         Top({last'[m] + 10 * rtt} \union {anticipated[x] + 10 : x \in {y \in Node : Boss(view[y]) = m}})]
    /\ UNCHANGED <<Clients, max, Crts, Views>>]_vars
================================================================================
