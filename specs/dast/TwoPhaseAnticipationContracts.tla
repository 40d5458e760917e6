--------------------- MODULE TwoPhaseAnticipationContracts ---------------------
(***************************************************************************)
(* What coordinators, participants and managers owe each other: what each  *)
(* step may do, when, and what it has to leave alone. The paper claims     *)
(* little of this; mutants of TwoPhaseAnticipation that leave its claims   *)
(* intact are caught here. Operators that a mutant may change are put in   *)
(* other words. For FreezeTime, Follow, Vote and TieBreak, with and        *)
(* without Apart and Climb; NoteKey "now" and Notify "always".             *)
(***************************************************************************)
EXTENDS TwoPhaseAnticipation

-----------------------------------------------------------------------------
(* Who and what *)

Cross(t) == \E s \in Plan[t].shards : \E n \in Replicas[s] : Region[n] # Region[Plan[t].coord]
Takers(t) == UNION {Replicas[s] : s \in Plan[t].shards}
Near(p) == {x \in DOMAIN last : Region[x] = Region[p] /\ x # p}
Home(n) == CHOOSE s \in DOMAIN Replicas : n \in Replicas[s]
Ran(n) == {log[n][i].t : i \in DOMAIN log[n]}
Finished == {t \in DOMAIN txn : txn[t].phase = "done"}
Keep(p, ts) == [last EXCEPT ![p] = ts]

Under(a, b) == a[1] < b[1] \/ (a[1] = b[1] /\ (a[3] < b[3] \/ (a[3] = b[3] /\ a[2] < b[2])))

\* n has all values that it needs for t.
HasAll(n, t) == \A d \in Plan[t].deps : d[2] = Home(n) => \E v \in input[n] : v[1] = t /\ v[2] = d[1]
OwnWaits(n) == {<<t, n, known[n][t].at>> : t \in {u \in DOMAIN known[n] :
    Cross(u) /\ (known[n][u].phase = "prepared" \/ (known[n][u].phase = "committed" /\ ~HasAll(n, u)))}}
Waits(p) == IF p \in Node THEN OwnWaits(p) \union told[p] ELSE {}

\* What p's clock makes of a reading; and what it tells: its last timestamp again, or a new one.
Reading(p, time) ==
    LET heads == {w[3][1] : w \in Waits(p)}
        held == \E h \in heads : h <= time
        top == CHOOSE x \in {h - 1 : h \in heads} : \A h \in heads : x < h
    IN  CASE ~held /\ Under(last[p], <<time, p, 0>>) -> <<time, p, 0>>
          [] held /\ "Climb" \in Repairs /\ Under(last[p], <<top, p, 0>>) -> <<top, p, 0>>
          [] OTHER -> <<last[p][1], p, last[p][3] + 1>>
New(p, ts) == ts[3] \in Fracs /\ \E time \in Times : ts = Reading(p, time)
Current(p, ts) == ts[3] \in Fracs /\ \E time \in Times : ts = IF time = last[p][1] THEN last[p] ELSE Reading(p, time)
\* p's clock after it heard of ts: above it, as far as W allows.
Lifted(p, ts, W) ==
    IF Under(last[p], ts) /\ \A w \in W : ts[1] < w[3][1] THEN <<ts[1], p, ts[3] + 1>> ELSE last[p]
Allowed(p, ts) == ts = last[p] \/ ts[3] \in Fracs

\* Who is waiting for these looks at all that have been sent: they are not handled one by one.
Gathered == {"ack", "vote", "result", "prep-remote"}
\* Messages sent, numbered on their link where channels are in order; a message handled, in order.
Posts(new) == msgs' = msgs \union {[m EXCEPT !.no = IF Channels = "any" THEN 0
    ELSE Cardinality({o \in msgs : <<o.src, o.dst>> = <<m.src, m.dst>>}) + 1] : m \in new}
Handles(m, type, n) ==
    /\ m \in msgs /\ m.type = type /\ m.dst = n
    /\ IF Channels = "any" THEN handled' = handled
       ELSE /\ handled' = handled \union {m} /\ m \notin handled
            /\ \A o \in msgs \ handled : <<o.src, o.dst>> = <<m.src, m.dst>> => o.no >= m.no \/ o.type \in Gathered
Caught(x, n) == Channels = "any" \/ \A o \in msgs \ handled : <<o.src, o.dst>> = <<x, n>> => o.type \in Gathered

-----------------------------------------------------------------------------
(* IRTs *)

IrtStamped(t) ==
    LET c == Plan[t].coord
    IN  /\ ~Cross(t) /\ txn[t].phase = "new" /\ New(c, last'[c]) /\ last' = Keep(c, last'[c])
        /\ txn' = [txn EXCEPT ![t] = [@ EXCEPT !.phase = "prepared", !.ts = last'[c], !.after = Finished]]
        /\ known' = IF c \in Takers(t) THEN [known EXCEPT ![c][t] = [phase |-> "prepared", at |-> last'[c]]] ELSE known
        /\ Posts({Msg("prepare", t, c, n, last'[c]) : n \in {x \in Takers(t) : x # c}})
        /\ UNCHANGED <<handled, clocks, told, max, input, log>>

IrtPrepared(n, m) ==
    /\ Handles(m, "prepare", n)
    /\ known' = IF known[n][m.t].phase # "none" THEN known
                ELSE [known EXCEPT ![n][m.t] = [phase |-> "prepared", at |-> m.ts]]
    /\ Posts({Msg("ack", m.t, n, m.src, NoTs)})
    /\ last' = Keep(n, Lifted(n, m.ts, Waits(n))) /\ Allowed(n, last'[n])
    /\ UNCHANGED <<clocks, txn, told, max, input, log>>

\* Of each shard as many as it needs, or all that it has.
Votes(t, S) ==
    \A s \in Plan[t].shards : Cardinality({n \in S : n \in Replicas[s]}) >= Majority \/ Replicas[s] \subseteq S
IrtCommitted(t) ==
    LET c == Plan[t].coord
    IN  /\ ~Cross(t) /\ txn[t].phase = "prepared"
        /\ Votes(t, {c} \union {x \in Node : Msg("ack", t, x, c, NoTs) \in {[m EXCEPT !.no = 0] : m \in msgs}})
        /\ txn' = [txn EXCEPT ![t].phase = "committed"]
        /\ known' = IF c \in Takers(t) THEN [known EXCEPT ![c][t].phase = "committed"] ELSE known
        /\ Posts({Msg("commit", t, c, n, txn[t].ts) : n \in {x \in Takers(t) : x # c}})
        /\ UNCHANGED <<handled, clocks, last, told, max, input, log>>

IrtTaken(n, m) ==
    /\ Handles(m, "commit", n)
    /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "committed", at |-> m.ts]]
    /\ last' = Keep(n, Lifted(n, m.ts, Waits(n))) /\ Allowed(n, last'[n])
    /\ UNCHANGED <<clocks, msgs, txn, told, max, input, log>>

-----------------------------------------------------------------------------
(* Clocks and notes *)

\* What x tells of t: its own IRT, or a CRT that is committed there.
Notice(x, t) ==
    IF Cross(t) THEN IF x \in Takers(t) THEN IF known[x][t].phase = "committed" THEN known[x][t] ELSE Unknown ELSE Unknown
    ELSE IF Plan[t].coord # x \/ txn[t].phase = "new" THEN Unknown
    ELSE [phase |-> IF txn[t].phase = "prepared" THEN "prepared" ELSE "committed", at |-> txn[t].ts]
Newer(a, b) == a.phase # b.phase /\ (a.phase = "committed" \/ b.phase = "none")

\* n takes in x's clock, what holds it, and notices that say more than it knows.
Learns(n, x, now, holds, notices) ==
    /\ known' = [known EXCEPT ![n] = [t \in DOMAIN @ |->
         IF t \in DOMAIN notices THEN IF Newer(notices[t], @[t]) THEN notices[t] ELSE @[t] ELSE @[t]]]
    /\ told' = IF x \in Node THEN [told EXCEPT ![n] = holds \union {w \in @ : w[2] # x}] ELSE told
    /\ max' = [max EXCEPT ![n][x] = IF Under(@, now) THEN now ELSE @]

Announced(x, n) ==
    LET now == last'[x]
    IN  /\ Clocks = "merged" /\ x \in Near(n) /\ n \in Node /\ Current(x, now) /\ Caught(x, n)
        /\ Learns(n, x, now, IF x \in Node THEN OwnWaits(x) ELSE {}, IF x \in Node THEN [t \in Txn |-> Notice(x, t)] ELSE <<>>)
        /\ last' = [last EXCEPT ![x] = now, ![n] = Lifted(n, now, OwnWaits(n) \union told'[n])] /\ Allowed(n, last'[n])
        /\ UNCHANGED <<clocks, msgs, handled, txn, input, log>>

\* The same in two steps: a clock message holds what its sender has to tell anybody; late ones are not taken.
Sent(x) ==
    /\ Clocks = "sent" /\ Current(x, last'[x]) /\ last' = Keep(x, last'[x])
    /\ \E m \in clocks' :
         /\ clocks' = clocks \union {m}
         /\ m.src = x /\ m.ts = last'[x]
         /\ m.holds = IF x \in Node THEN OwnWaits(x) ELSE {}
         /\ DOMAIN m.notes = IF x \in Node THEN {t \in Txn : Takers(t) \intersect Near(x) # {}} ELSE {}
         /\ \A t \in DOMAIN m.notes : m.notes[t] = Notice(x, t)
    /\ UNCHANGED <<msgs, handled, txn, known, told, max, input, log>>
Received(n, m) ==
    /\ m \in clocks /\ m.src \in Near(n)
    /\ IF n \in Node
       THEN /\ ~Under(m.ts, max[n][m.src]) /\ Caught(m.src, n)
            /\ Learns(n, m.src, m.ts, m.holds, m.notes)
            /\ last' = Keep(n, Lifted(n, m.ts, OwnWaits(n) \union told'[n]))
       ELSE /\ UNCHANGED <<known, told, max>>
            /\ last' = Keep(n, Lifted(n, m.ts, {}))
    /\ Allowed(n, last'[n])
    /\ UNCHANGED <<clocks, msgs, handled, txn, input, log>>

-----------------------------------------------------------------------------
(* CRTs *)

CrtAsked(t) ==
    /\ Cross(t) /\ txn[t].phase = "new"
    /\ txn' = [txn EXCEPT ![t] = [@ EXCEPT !.phase = "prepared", !.after = Finished]]
    /\ Posts({Msg("prep-remote", t, Plan[t].coord, m, NoTs) : m \in {x \in Manager : Near(x) \intersect Takers(t) # {}}})
    /\ UNCHANGED <<handled, clocks, last, known, told, max, input, log>>

Anticipated(m, q) ==
    /\ q \in msgs /\ q.type = "prep-remote" /\ q.dst = m
    /\ \A o \in msgs : o.src = m => o.type # "prep-crt" \/ o.t # q.t
    /\ New(m, last'[m]) /\ last' = Keep(m, last'[m])
    /\ \E rtt \in Rtts :
         /\ Posts({Msg("prep-crt", q.t, m, n, <<last'[m][1] + rtt, m, last'[m][3]>>) : n \in Near(m) \intersect Takers(q.t)})
         /\ Timely => \A n \in Near(m) : last[n][1] < last'[m][1] + rtt
    /\ UNCHANGED <<handled, clocks, txn, known, told, max, input, log>>

CrtPrepared(n, m) ==
    LET at == IF last[n][1] < m.ts[1] THEN m.ts ELSE <<last[n][1] + 1, n, 0>>
    IN  /\ Handles(m, "prep-crt", n)
        /\ IF known[n][m.t].phase # "none" THEN UNCHANGED <<known, msgs>>
           ELSE /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "prepared", at |-> at]]
                /\ Posts({Msg("vote", m.t, n, Plan[m.t].coord, at)})
        /\ UNCHANGED <<clocks, last, txn, told, max, input, log>>

\* Committed with some majorities' votes, at the latest of them and the coordinator's clock; or, apart, above that.
CrtCommitted(t) ==
    LET c == Plan[t].coord
        ts == txn'[t].ts
    IN  /\ Cross(t) /\ txn[t].phase = "prepared" /\ New(c, last'[c]) /\ last' = Keep(c, last'[c])
        /\ \E got \in SUBSET {m \in msgs : m.type = "vote" /\ m.t = t} :
             LET all == {last'[c]} \union {m.ts : m \in got}
             IN  /\ Votes(t, {m.src : m \in got})
                 /\ IF "Apart" \in Repairs
                    THEN /\ \A a \in all : a[1] < ts[1]
                         /\ ts[1] \in Times /\ ts[2] = c /\ ts[3] = 0
                         /\ \A u \in Txn : Cross(u) => txn[u].ts[1] # ts[1]
                    ELSE ts \in all /\ \A a \in all : ~Under(ts, a)
        /\ txn' = [txn EXCEPT ![t].phase = "committed", ![t].ts = ts]
        /\ Posts({Msg("commit-remote", t, c, n, ts) : n \in Takers(t)})
        /\ UNCHANGED <<handled, clocks, known, told, max, input, log>>

CrtTaken(n, m) ==
    /\ Handles(m, "commit-remote", n)
    /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "committed", at |-> m.ts]]
    /\ UNCHANGED <<clocks, msgs, last, txn, told, max, input, log>>

ValueTaken(n, m) ==
    /\ Handles(m, "output", n)
    /\ input' = IF \E v \in input[n] : v[1] = m.t /\ v[2] = m.shard THEN input
                ELSE [input EXCEPT ![n] = @ \union {<<m.t, m.shard, m.val>>}]
    /\ UNCHANGED <<clocks, msgs, last, txn, known, told, max, log>>

-----------------------------------------------------------------------------
(* Execution *)

Newest(n) ==
    LET wrote == {i \in DOMAIN log[n] : log[n][i].wrote}
    IN  IF wrote = {} THEN 0 ELSE log[n][CHOOSE i \in wrote : \A j \in wrote : i >= j].t
\* t's writes are applied, as far as n can tell.
Applied(n, t) ==
    CASE Plan[t].cond = "" -> TRUE
      [] Plan[t].cond = Home(n) -> Newest(n) = 0
      [] OTHER -> <<t, Plan[t].cond, 0>> \in input[n]

\* n executes the first that it knows, with its values there, when everybody's clock has passed it.
Executed(n) ==
    LET e == log'[n][Len(log'[n])]
        t == e.t
        s == Home(n)
        ts == known[n][t].at
    IN  /\ log' = [log EXCEPT ![n] = Append(@, e)]
        /\ t \in DOMAIN known[n] \ Ran(n) /\ known[n][t].phase = "committed"
        /\ \A u \in DOMAIN known[n] \ (Ran(n) \union {t}) :
             known[n][u].phase = "committed" \/ (known[n][u].phase = "prepared" /\ ~Cross(u)) =>
                 Under(ts, known[n][u].at) \/ (ts = known[n][u].at /\ t < u)
        /\ HasAll(n, t)
        /\ \A x \in Near(n) : Under(ts, max[n][x])
        /\ Under(ts, last'[n]) /\ Current(n, last'[n]) /\ last' = Keep(n, last'[n])
        /\ e.read = Newest(n) /\ e.wrote = (s \in Plan[t].writes /\ Applied(n, t))
        /\ Posts({[Msg("result", t, n, Plan[t].coord, NoTs) EXCEPT !.shard = s, !.val = e.read, !.wrote = e.wrote]}
                 \union {[Msg("output", t, n, x, NoTs) EXCEPT !.shard = s, !.val = e.read] :
                            x \in {y \in Takers(t) : <<s, Home(y)>> \in Plan[t].deps}})
        /\ UNCHANGED <<handled, clocks, txn, known, told, max, input>>

\* A client is told one result of each shard.
Told(t) ==
    /\ txn[t].phase = "committed"
    /\ \E got \in SUBSET {m \in msgs : m.type = "result" /\ m.t = t} :
         /\ \A s \in Plan[t].shards : Cardinality({m \in got : m.shard = s}) = 1
         /\ txn' = [txn EXCEPT ![t] = [@ EXCEPT !.phase = "done", !.reads = {<<m.shard, m.val>> : m \in got},
                                                !.writes = {s \in Plan[t].shards : \E m \in got : m.shard = s /\ m.wrote}]]
    /\ UNCHANGED <<handled, clocks, msgs, last, known, told, max, input, log>>

-----------------------------------------------------------------------------
(* The contracts: a variable changes in these ways only. *)

TxnStep == [][txn' # txn => \E t \in Txn :
    txn'[t] # txn[t] /\ (IrtStamped(t) \/ IrtCommitted(t) \/ CrtAsked(t) \/ CrtCommitted(t) \/ Told(t))]_vars
LogStep == [][log' # log => \E n \in Node : log'[n] # log[n] /\ Executed(n)]_vars
InputStep == [][input' # input => \E n \in Node, m \in msgs : ValueTaken(n, m)]_vars
MsgsStep == [][msgs' # msgs => txn' # txn \/ log' # log
    \/ (\E n \in Node, m \in msgs : IrtPrepared(n, m) \/ CrtPrepared(n, m)) \/ \E m \in Manager, q \in msgs : Anticipated(m, q)]_vars
HandledStep == [][handled' # handled => \E n \in Node, m \in msgs :
    IrtPrepared(n, m) \/ IrtTaken(n, m) \/ CrtPrepared(n, m) \/ CrtTaken(n, m) \/ ValueTaken(n, m)]_vars
ClocksStep == [][clocks' # clocks => \E x \in DOMAIN last : Sent(x)]_vars
Notified == \E n \in DOMAIN last : (\E x \in Near(n) : Announced(x, n)) \/ \E m \in clocks : Received(n, m)
MaxStep == [][max' # max \/ told' # told => Notified]_vars
KnownStep == [][known' # known => txn' # txn \/ Notified \/ \E n \in Node, m \in msgs :
    IrtPrepared(n, m) \/ IrtTaken(n, m) \/ CrtPrepared(n, m) \/ CrtTaken(n, m)]_vars
LastStep == [][last' # last => txn' # txn \/ log' # log \/ msgs' # msgs \/ clocks' # clocks \/ Notified
    \/ \E n \in Node, m \in msgs : IrtPrepared(n, m) \/ IrtTaken(n, m)]_vars

\* Under the timing condition a node's clock passes no CRT of its region that the node has not heard of.
TimelyStep == [][Timely => \A n \in Node : last'[n] # last[n] =>
    /\ \A m \in msgs : m.type = "prep-crt" /\ Region[m.dst] = Region[n] /\ known[m.dst][m.t].phase = "none" => last'[n][1] < m.ts[1]
    /\ \A x \in Near(n) \intersect Node : \A w \in OwnWaits(x) :
         last'[n][1] < w[3][1] \/ \E v \in told[n] : v[1] = w[1] /\ v[2] = x]_vars

-----------------------------------------------------------------------------
(* What is possible *)

\* What was sent can be handled whenever it comes, unless the receiver's clock would have to go where no reading is. A manager
\* anticipates each CRT that it is asked for, whatever else is under way.
CanInv == Channels = "any" => \A m \in msgs :
    LET n == m.dst
        stays == Lifted(n, m.ts, Waits(n)) = last[n]
    IN  CASE m.type = "prepare"       -> stays => ENABLED HandlePrepare(n, m)
          [] m.type = "commit"        -> stays => ENABLED HandleCommit(n, m)
          [] m.type = "prep-crt"      -> ENABLED HandlePrepCrt(n, m)
          [] m.type = "commit-remote" -> ENABLED HandleCommitCrt(n, m)
          [] m.type = "output"        -> ENABLED HandleOutput(n, m)
          [] m.type = "prep-remote"   ->
               /\ ~Timely /\ \A o \in msgs : o.src = n => o.type # "prep-crt" \/ o.t # m.t
               /\ \E time \in Times : Reading(n, time)[3] \in Fracs
               => \E time \in Times, rtt \in Rtts : ENABLED Anticipate(n, m, time, rtt)
          [] OTHER -> TRUE
================================================================================
