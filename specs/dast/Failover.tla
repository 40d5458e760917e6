------------------------------- MODULE Failover -------------------------------
(***************************************************************************)
(* DAST's views: what survives when a node is removed, a replica is added  *)
(* or a manager is replaced (paper, section 4.4; Algorithms 3 and 4; the   *)
(* failover part of Lemma 1's proof)?                                      *)
(*                                                                         *)
(* Modelled: the members of one region, all replicas of one shard; its     *)
(* managers; the SMR service as one linearizable register (leader,         *)
(* decided), to which only the leader it has elected can write; the 2PC    *)
(* for a view, with what each member answered; IRTs with PCT as in         *)
(* TwoPhaseAnticipation; one CRT, coordinated in this region, with a       *)
(* participant in another one, as far as its commitment goes (Algorithm 2, *)
(* lines 2 and 8 included). A node may be suspected without having failed. *)
(*                                                                         *)
(* Channels: any message is lost, late or repeated: what was sent is kept  *)
(* in the sender's state (prop, decided, irt, crt) and may be taken from   *)
(* there at any time or never. A clock message is one step.                *)
(*                                                                         *)
(* Assumed, not checked: timestamps are unique and ordered, which          *)
(* StretchableClock needs repairs for. One is a number here, 10 * time +   *)
(* nid.                                                                    *)
(*                                                                         *)
(* Out of scope: the order of CRTs (TwoPhaseAnticipation); shards; several *)
(* removed by one change (FailoverTogether): a second view change while    *)
(* one is under way is the next one in order.                              *)
(*                                                                         *)
(* Readings                                                                *)
(*  - a commit that was replicated inside the home region (line 8) makes   *)
(*    the CRT committed where it arrives;                                  *)
(*  - acknowledgements count from members of the coordinator's view (for   *)
(*    the CRT those of line 8, which its safety rests on);                 *)
(*  - members ignore messages of a node that they were asked to remove,    *)
(*    and of a manager that they were asked to replace;                    *)
(*  - a new manager finishes what the register holds as decided;           *)
(*  - an abort is remembered, and a committed CRT can't be aborted;        *)
(*  - ++vid (Algorithm 3, line 9; Algorithm 4, line 7) is the register's   *)
(*    next number.                                                         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    \* The members at the start, by nid.
    \* @type: Set(Int);
    Member,
    \* Nodes that may be added.
    \* @type: Set(Int);
    Spare,
    \* Managers; the first view has the lowest.
    \* @type: Set(Int);
    Manager,
    \* Acknowledgements that a transaction needs: f+1.
    \* @type: Int;
    Majority,
    \* The coordinator of each IRT.
    \* @type: Int -> Int;
    Coord,
    \* The coordinator of the CRT, 0 for none.
    \* @type: Int;
    CrtCoord,
    \* Nodes that may be suspected.
    \* @type: Set(Int);
    Suspects,
    \* @type: Set(Int);
    Times,
    \* Estimates of a round trip across regions.
    \* @type: Set(Int);
    Rtts,
    \* Distance of a new replica's installation from the manager's clock.
    \* @type: Int;
    Ahead,
    \* Decided view changes at most.
    \* @type: Int;
    MaxViews,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* CommittedWins   members report the CRTs of a removed node that they     *)
(*                 have committed; one of those is committed everywhere    *)
(*                 instead of aborted.                                     *)
(* ReportAll       members report its committed IRTs like uncommitted ones.*)
(* Inherit         what a removed node coordinated is told to others by    *)
(*                 those who stay, like their own transactions.            *)
(* AddVote         add-ack carries the member's clock, and the new replica *)
(*                 is installed above all of them.                         *)
(* KeepAnticipated manager-ack carries the highest anticipated timestamp   *)
(*                 that the member has seen; the new manager stays above.  *)
(* ReportOwn       members report the IRTs that they coordinate, too, and  *)
(*                 a node that is to be removed has acknowledged nothing   *)
(*                 any more.                                               *)
(* ReportOwnCrt    whenever a node is removed, the CRT's coordinator       *)
(*                 reports it once it has decided to commit; what one view *)
(*                 has decided of a CRT, a later one does not change.      *)
(* KeepPrepared    whenever a node is removed, the CRT's coordinator       *)
(*                 reports it before that, too; who takes the view keeps   *)
(*                 the CRT from then on.                                   *)
(***************************************************************************)
AllRepairs == {"CommittedWins", "ReportAll", "Inherit", "AddVote", "KeepAnticipated", "ReportOwn", "ReportOwnCrt",
               "KeepPrepared"}
ASSUME Repairs \subseteq AllRepairs

VARIABLES
    \* The newest timestamp that each node and manager made.
    \* @type: Int -> Int;
    last,
    \* What clients asked and were told: new, prepared, committed, done.
    \* @type: Int -> { phase: Str, ts: Int };
    irt,
    \* What each node has of each IRT: none, prepared, committed.
    \* @type: Int -> (Int -> Str);
    have,
    \* The CRT at each node and at the other region's participant (0): none, prepared, committed, aborted.
    \* @type: Int -> Str;
    crt,
    \* The coordinator's own part of the CRT: new, prepared, deciding.
    \* @type: Str;
    crtPhase,
    \* Executed IRTs, in order.
    \* @type: Int -> Seq(Int);
    log,
    \* maxTs.
    \* @type: Int -> (Int -> Int);
    max,
    \* The view each node is in: how many decided changes it has taken.
    \* @type: Int -> Int;
    view,
    \* Whom each node ignores: suspected nodes and replaced managers.
    \* @type: Int -> Set(Int);
    ignored,
    \* The timestamp that a node's clock must not pass until the next view, 0 for none (Algorithm 4, line 15).
    \* @type: Int -> Int;
    hold,
    \* The register: the elected leader.
    \* @type: Int;
    leader,
    \* The register: the view changes decided so far.
    \* @type: Seq({ kind: Str, who: Int, irts: Set(Int), aborted: Bool, committed: Bool, kept: Bool, ts: Int, log: Seq(Int) });
    decided,
    \* The change that a manager is preparing, kind "" for none; answers: member, what it reported.
    \* @type: Int -> { kind: Str, vid: Int, who: Int, ts: Int, log: Seq(Int), crt: Str, answers: Int -> { irts: Set(Int), crt: Str, ts: Int } };
    prop,
    \* The highest anticipated timestamp that each node has accepted.
    \* @type: Int -> Int;
    anticipated,
    \* A node accepted an anticipated timestamp that was not above one before.
    \* @type: Bool;
    wentBack

vars == <<last, irt, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

Node == Member \union Spare
Irt == DOMAIN Coord
Remote == 0
Lowest(S) == CHOOSE x \in S : \A y \in S : x <= y
Highest(S) == CHOOSE x \in S : \A y \in S : x >= y
NoAnswers == [n \in {} |-> [irts |-> {}, crt |-> "none", ts |-> 0]]
NoProp == [kind |-> "", vid |-> 0, who |-> 0, ts |-> 0, log |-> <<>>, crt |-> "none", answers |-> NoAnswers]

Init ==
    /\ last = [p \in Node \union Manager |-> p]
    /\ irt = [t \in Irt |-> [phase |-> "new", ts |-> 0]]
    /\ have = [n \in Node |-> [t \in Irt |-> "none"]]
    /\ crt = [n \in Node \union {Remote} |-> "none"]
    /\ crtPhase = "new"
    /\ log = [n \in Node |-> <<>>]
    /\ max = [n \in Node |-> [x \in Node \union Manager |-> 0]]
    /\ view = [n \in Node |-> 0]
    /\ ignored = [n \in Node |-> {}]
    /\ hold = [n \in Node |-> 0]
    /\ leader = Lowest(Manager)
    /\ decided = <<>>
    /\ prop = [m \in Manager |-> NoProp]
    /\ anticipated = [n \in Node |-> 0]
    /\ wentBack = FALSE

-----------------------------------------------------------------------------
(* Views                                                                   *)

\* Whom a change is about; FailoverTogether removes several at once.
Whom(p) == {p.who}

\* The members and the manager after the first v decided changes.
RECURSIVE MembersAt(_)
MembersAt(v) ==
    IF v = 0 THEN Member
    ELSE CASE decided[v].kind = "remove" -> MembersAt(v - 1) \ Whom(decided[v])
           [] decided[v].kind = "add" -> MembersAt(v - 1) \union Whom(decided[v])
           [] OTHER -> MembersAt(v - 1)
RECURSIVE ManagerAt(_)
ManagerAt(v) ==
    IF v = 0 THEN Lowest(Manager)
    ELSE IF decided[v].kind = "manager" THEN decided[v].who ELSE ManagerAt(v - 1)

Now == Len(decided)
In(n) == n \in MembersAt(view[n])

\* n takes messages of x.
Hears(n, x) == n # x /\ In(n) /\ x \in MembersAt(view[n]) \union {ManagerAt(view[n])} /\ x \notin ignored[n]

\* n's clock after it makes a timestamp at `time`; stretched if that is not below hold.
CreateTs(p, time) == 10 * time + p
May(p, ts) == ts > last[p] /\ (p \in Node => hold[p] = 0 \/ ts < hold[p])

-----------------------------------------------------------------------------
(* IRTs (Algorithm 1)                                                      *)

CoordIrt(t, time) ==
    LET n == Coord[t]
        ts == CreateTs(n, time)
    IN  /\ irt[t].phase = "new" /\ In(n) /\ May(n, ts)
        /\ last' = [last EXCEPT ![n] = ts]
        /\ irt' = [irt EXCEPT ![t] = [phase |-> "prepared", ts |-> ts]]
        /\ have' = [have EXCEPT ![n][t] = "prepared"]
        /\ UNCHANGED <<crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

HandlePrepare(n, t) ==
    /\ irt[t].phase # "new" /\ Hears(n, Coord[t]) /\ have[n][t] = "none"
    /\ have' = [have EXCEPT ![n][t] = "prepared"]
    /\ UNCHANGED <<last, irt, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* Members whose acknowledgements n no longer counts.
Silenced(n) == IF "ReportOwn" \in Repairs THEN ignored[n] ELSE {}
CommitIrt(t) ==
    LET n == Coord[t]
    IN  /\ irt[t].phase = "prepared"
        /\ Cardinality({x \in MembersAt(view[n]) \ Silenced(n) : have[x][t] # "none"}) >= Majority
        /\ irt' = [irt EXCEPT ![t].phase = "committed"]
        /\ have' = [have EXCEPT ![n][t] = "committed"]
        /\ UNCHANGED <<last, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

HandleCommit(n, t) ==
    /\ irt[t].phase \in {"committed", "done"} /\ Hears(n, Coord[t]) /\ have[n][t] = "prepared"
    /\ have' = [have EXCEPT ![n][t] = "committed"]
    /\ UNCHANGED <<last, irt, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* Whose transactions x tells others of.
TellsOf(x) == {x} \union IF "Inherit" \in Repairs THEN UNION {Whom(decided[v]) : v \in {u \in 1 .. view[x] : decided[u].kind = "remove"}} ELSE {}
Better(a, b) == IF a = "committed" \/ b = "none" THEN a ELSE b

\* x's clock message reaches n, with x's transactions.
Announce(x, n, time) ==
    LET ts == IF time * 10 + x = last[x] THEN last[x] ELSE CreateTs(x, time)
    IN  /\ Hears(n, x)
        /\ ts = last[x] \/ May(x, ts)
        /\ x \in Manager => ManagerAt(Now) = x
        /\ last' = [last EXCEPT ![x] = ts]
        /\ max' = [max EXCEPT ![n][x] = IF ts > @ THEN ts ELSE @]
        /\ have' = IF x \in Manager THEN have
                   ELSE [have EXCEPT ![n] = [t \in Irt |-> IF Coord[t] \in TellsOf(x) THEN Better(have[x][t], @[t]) ELSE @[t]]]
        /\ UNCHANGED <<irt, crt, crtPhase, log, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

Executed(n) == {log[n][i] : i \in DOMAIN log[n]}
ReadyQ(n) == {t \in Irt : have[n][t] # "none"} \ Executed(n)

Execute(n, t, time) ==
    LET ts == IF time * 10 + n = last[n] THEN last[n] ELSE CreateTs(n, time)
    IN  /\ In(n) /\ t \in ReadyQ(n) /\ have[n][t] = "committed"
        /\ \A u \in ReadyQ(n) : irt[u].ts >= irt[t].ts
        /\ ts = last[n] \/ May(n, ts)
        /\ ts > irt[t].ts
        /\ \A x \in (MembersAt(view[n]) \union {ManagerAt(view[n])}) \ {n} : max[n][x] > irt[t].ts
        /\ last' = [last EXCEPT ![n] = ts]
        /\ log' = [log EXCEPT ![n] = Append(@, t)]
        /\ UNCHANGED <<irt, have, crt, crtPhase, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* The coordinator has a result and tells the client.
Reply(t) ==
    /\ irt[t].phase = "committed" /\ t \in Executed(Coord[t])
    /\ irt' = [irt EXCEPT ![t].phase = "done"]
    /\ UNCHANGED <<last, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

-----------------------------------------------------------------------------
(* The CRT's commitment (Algorithm 2)                                      *)

\* Prepared by coordinator and participants; the other region's participant after line 2.
PrepareCrt(n) ==
    /\ CrtCoord # 0 /\ crt[n] = "none"
    /\ IF n = Remote THEN Cardinality({x \in Node : crt[x] # "none"}) >= Majority
       ELSE n = CrtCoord \/ Hears(n, CrtCoord)
    /\ n # CrtCoord => crtPhase # "new"
    /\ crt' = [crt EXCEPT ![n] = "prepared"]
    /\ crtPhase' = IF n = CrtCoord THEN "prepared" ELSE crtPhase
    /\ UNCHANGED <<last, irt, have, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* Line 7: a majority of each shard has acknowledged.
CommitCrt ==
    /\ crtPhase = "prepared" /\ crt[Remote] = "prepared"
    /\ Cardinality({x \in Node : crt[x] = "prepared"}) >= Majority
    /\ crtPhase' = "deciding"
    /\ UNCHANGED <<last, irt, have, crt, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* Whose acknowledgements of line 8 the coordinator counts.
Acknowledging == MembersAt(view[CrtCoord]) \ ({CrtCoord} \union Silenced(CrtCoord))

\* Lines 8 and 9: the members get the commit; the coordinator's own replica after a majority of the members has it,
\* the coordinator counted; the other region after that.
HandleCommitCrt(n) ==
    /\ crtPhase = "deciding" /\ crt[n] \in {"none", "prepared"}
    /\ CASE n = CrtCoord -> 1 + Cardinality({x \in Acknowledging : crt[x] = "committed"}) >= Majority
         [] n = Remote -> crt[CrtCoord] = "committed"
         [] OTHER -> Hears(n, CrtCoord)
    /\ crt' = [crt EXCEPT ![n] = "committed"]
    /\ UNCHANGED <<last, irt, have, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* Algorithm 3, line 17, at a participant of either region.
HandleAbort(n, v) ==
    /\ v \in 1 .. Now /\ decided[v].aborted /\ crt[n] \in {"none", "prepared"}
    /\ crt' = [crt EXCEPT ![n] = "aborted"]
    /\ UNCHANGED <<last, irt, have, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

\* With CommittedWins, the commit instead.
HandleResolved(n, v) ==
    /\ v \in 1 .. Now /\ decided[v].committed /\ crt[n] \in {"none", "prepared"}
    /\ crt' = [crt EXCEPT ![n] = "committed"]
    /\ UNCHANGED <<last, irt, have, crtPhase, log, max, view, ignored, hold, leader, decided, prop, anticipated, wentBack>>

-----------------------------------------------------------------------------
(* View changes                                                            *)

Serves(m) == leader = m /\ ManagerAt(Now) = m /\ prop[m] = NoProp /\ Now < MaxViews

\* Algorithm 3, lines 4 to 9.
RemoveNode(m, n) ==
    /\ Serves(m) /\ n \in MembersAt(Now) \intersect Suspects
    /\ prop' = [prop EXCEPT ![m] = [NoProp EXCEPT !.kind = "remove", !.vid = Now + 1, !.who = n]]
    /\ UNCHANGED <<last, irt, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, anticipated, wentBack>>

\* Algorithm 4, lines 1 to 7: x has sent its checkpoint to n.
AddReplica(m, n, x, time) ==
    /\ Serves(m) /\ n \in Spare \ MembersAt(Now) /\ x \in MembersAt(Now) /\ Hears(x, m)
    /\ CreateTs(m, time) > last[m]
    /\ last' = [last EXCEPT ![m] = CreateTs(m, time)]
    /\ prop' = [prop EXCEPT ![m] = [NoProp EXCEPT !.kind = "add", !.vid = Now + 1, !.who = n,
                                                  !.ts = 10 * (time + Ahead), !.log = log[x], !.crt = crt[x]]]
    /\ UNCHANGED <<irt, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, anticipated, wentBack>>

\* The SMR service elects another manager, which starts a view of its own.
Elect(m) ==
    /\ leader # m /\ Now < MaxViews
    /\ leader' = m
    /\ prop' = [prop EXCEPT ![m] = [NoProp EXCEPT !.kind = "manager", !.vid = Now + 1, !.who = m]]
    /\ UNCHANGED <<last, irt, have, crt, crtPhase, log, max, view, ignored, hold, decided, anticipated, wentBack>>

Reported == IF "ReportAll" \in Repairs THEN {"prepared", "committed"} ELSE {"prepared"}

\* What n reports of the CRT when p removes a node; nothing of one that an earlier view has decided.
CrtReport(n, p) ==
    CASE \E v \in 1 .. view[n] : decided[v].committed \/ decided[v].aborted -> "none"
      [] CrtCoord \in Whom(p) -> crt[n]
      [] n = CrtCoord /\ crtPhase = "deciding" /\ "ReportOwnCrt" \in Repairs -> "committed"
      [] n = CrtCoord /\ crtPhase = "prepared" /\ "KeepPrepared" \in Repairs -> "kept"
      [] OTHER -> "none"

\* A member answers remove-prep, add-prep or the prepare of a new manager's view.
HandleViewPrep(n, m) ==
    LET p == prop[m]
        theirs == {t \in Irt : (Coord[t] \in Whom(p) \/ (Coord[t] = n /\ "ReportOwn" \in Repairs)) /\ have[n][t] \in Reported}
        old == ManagerAt(view[n])
        answer == CASE p.kind = "remove" -> [irts |-> theirs, crt |-> CrtReport(n, p), ts |-> 0]
                    [] p.kind = "add" -> [irts |-> {}, crt |-> "none", ts |-> last[n]]
                    [] OTHER -> [irts |-> {}, crt |-> "none",
                                 ts |-> Highest({max[n][old]} \union
                                                IF "KeepAnticipated" \in Repairs THEN {anticipated[n]} ELSE {})]
    IN  /\ p.kind # "" /\ n \notin Whom(p) /\ In(n) /\ p.vid = view[n] + 1
        /\ n \notin DOMAIN p.answers /\ m \notin ignored[n]
        /\ p.kind # "manager" => ManagerAt(view[n]) = m
        /\ prop' = [prop EXCEPT ![m].answers = [x \in DOMAIN @ \union {n} |-> IF x = n THEN answer ELSE @[x]]]
        /\ ignored' = [ignored EXCEPT ![n] = @ \union CASE p.kind = "remove" -> Whom(p)
                                                        [] p.kind = "manager" /\ old # m -> {old}
                                                        [] OTHER -> {}]
        /\ hold' = [hold EXCEPT ![n] = IF p.kind # "add" THEN @
                                       ELSE IF "AddVote" \in Repairs /\ last[n] >= p.ts THEN last[n] + 10 ELSE p.ts]
        /\ UNCHANGED <<last, irt, have, crt, crtPhase, log, max, view, leader, decided, anticipated, wentBack>>

\* All members have answered and the register takes the change: it is decided, and sent.
DecideView(m) ==
    LET p == prop[m]
        answers == {p.answers[n] : n \in DOMAIN p.answers}
        committed == "CommittedWins" \in Repairs /\ \E a \in answers : a.crt = "committed"
        ts == CASE p.kind = "add" -> IF "AddVote" \in Repairs
                                     THEN Highest({p.ts} \union {10 * (a.ts \div 10) + 10 : a \in answers}) ELSE p.ts
                [] p.kind = "manager" -> Highest({a.ts : a \in answers} \union {last[m]})
                [] OTHER -> 0
    IN  /\ p.kind # "" /\ leader = m /\ p.vid = Now + 1
        /\ MembersAt(Now) \ Whom(p) \subseteq DOMAIN p.answers
        /\ decided' = Append(decided, [kind |-> p.kind, who |-> p.who, irts |-> UNION {a.irts : a \in answers},
                                       aborted |-> ~committed /\ \E a \in answers : a.crt \in {"prepared"},
                                       committed |-> committed, kept |-> \E a \in answers : a.crt = "kept", ts |-> ts, log |-> p.log])
        /\ prop' = [prop EXCEPT ![m] = NoProp]
        /\ last' = IF p.kind = "manager" THEN [last EXCEPT ![m] = 10 * (ts \div 10) + 10 + m]
                   ELSE IF p.kind = "add" THEN [last EXCEPT ![p.who] = ts + p.who] ELSE last
        /\ log' = IF p.kind = "add" THEN [log EXCEPT ![p.who] = p.log] ELSE log
        /\ crt' = IF p.kind = "add" THEN [crt EXCEPT ![p.who] = p.crt] ELSE crt
        /\ view' = IF p.kind = "add" THEN [view EXCEPT ![p.who] = p.vid] ELSE view
        /\ UNCHANGED <<irt, have, crtPhase, max, ignored, hold, leader, anticipated, wentBack>>

\* A member takes the next decided view (Algorithm 3, lines 23 to 26; Algorithm 4, lines 17 to 21).
HandleViewCommit(n) ==
    LET d == decided[view[n] + 1]
    IN  /\ In(n) /\ view[n] < Now /\ (d.kind = "remove" => n \notin Whom(d))
        /\ view' = [view EXCEPT ![n] = @ + 1]
        /\ have' = [have EXCEPT ![n] = [t \in Irt |-> IF t \in d.irts THEN "committed" ELSE @[t]]]
        /\ crt' = IF d.kept /\ crt[n] = "none" THEN [crt EXCEPT ![n] = "prepared"] ELSE crt
        /\ hold' = [hold EXCEPT ![n] = 0]
        /\ max' = IF d.kind = "add" THEN [max EXCEPT ![n][d.who] = d.ts] ELSE max
        /\ UNCHANGED <<last, irt, crtPhase, log, ignored, leader, decided, prop, anticipated, wentBack>>

\* Algorithm 2, lines 13 to 18: a CRT's anticipated timestamp reaches a member.
Anticipate(m, n, time, rtt) ==
    LET now == CreateTs(m, time)
        base == now + 10 * rtt
        at == IF "KeepAnticipated" \in Repairs
              THEN Highest({base} \union {anticipated[x] + 10 : x \in {y \in Node : ManagerAt(view[y]) = m}}) ELSE base
    IN  /\ Hears(n, m) /\ ManagerAt(Now) = m /\ leader = m
        /\ now > last[m]
        /\ last' = [last EXCEPT ![m] = now]
        /\ anticipated' = [anticipated EXCEPT ![n] = at]
        /\ wentBack' = (wentBack \/ at <= anticipated[n])
        /\ UNCHANGED <<irt, have, crt, crtPhase, log, max, view, ignored, hold, leader, decided, prop>>

Next ==
    \/ \E t \in Irt, time \in Times : CoordIrt(t, time)
    \/ \E n \in Node, t \in Irt : HandlePrepare(n, t)
    \/ \E t \in Irt : CommitIrt(t)
    \/ \E n \in Node, t \in Irt : HandleCommit(n, t)
    \/ \E x \in Node \union Manager, n \in Node, time \in Times : Announce(x, n, time)
    \/ \E n \in Node, t \in Irt, time \in Times : Execute(n, t, time)
    \/ \E t \in Irt : Reply(t)
    \/ \E n \in Node \union {Remote} : PrepareCrt(n)
    \/ CommitCrt
    \/ \E n \in Node \union {Remote} : HandleCommitCrt(n)
    \/ \E n \in Node \union {Remote}, v \in 1 .. MaxViews : HandleAbort(n, v)
    \/ \E n \in Node \union {Remote}, v \in 1 .. MaxViews : HandleResolved(n, v)
    \/ \E m \in Manager, n \in Node : RemoveNode(m, n)
    \/ \E m \in Manager, n \in Spare, x \in Node, time \in Times : AddReplica(m, n, x, time)
    \/ \E m \in Manager : Elect(m)
    \/ \E n \in Node, m \in Manager : HandleViewPrep(n, m)
    \/ \E m \in Manager : DecideView(m)
    \/ \E n \in Node : HandleViewCommit(n)
    \/ \E m \in Manager, n \in Node, time \in Times, rtt \in Rtts : Anticipate(m, n, time, rtt)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

\* 4.4, 4.5: a transaction is all or nothing, in all regions.
AllOrNothingInv == ~(\E n, x \in DOMAIN crt : crt[n] = "committed" /\ crt[x] = "aborted")

\* The same for those who are in the newest view, and the other region. Who was removed has a state of its own that
\* nobody hears of and that no execution comes of: its region's clocks, which it would have to hear, stay below a prepared
\* CRT until it is decided, and then no member sends it any.
AllOrNothingMembersInv ==
    LET ours == MembersAt(Now) \union {Remote}
    IN  ~(\E n, x \in ours : crt[n] = "committed" /\ crt[x] = "aborted")

\* Lemma 1 across failovers: who executes has executed, before, whatever anybody executed with a smaller timestamp.
\* So executed IRTs survive, replicas stay copies, and a new replica has the whole history.
HistoryInv ==
    \A n, x \in Node : \A i \in DOMAIN log[n] : \A t \in Executed(x) :
        irt[t].ts < irt[log[n][i]].ts => \E j \in 1 .. i - 1 : log[n][j] = t

\* The same for IRTs that somebody has as committed.
CommittedInv ==
    \A n \in Node : \A i \in DOMAIN log[n] : \A t \in Irt :
        (\E x \in Node : have[x][t] = "committed") /\ irt[t].ts < irt[log[n][i]].ts => \E j \in 1 .. i - 1 : log[n][j] = t

\* 4.4: a member that has a view is never behind one that was told a result.
AnsweredInv == \A t \in Irt : irt[t].phase = "done" =>
    \A n \in Node : In(n) /\ view[n] = Now => t \in Executed(n) \/ \A u \in Executed(n) : irt[u].ts < irt[t].ts

\* 4.5: two managers are never both heard by members of the newest view, whichever view each of them has taken.
OneManagerInv ==
    \A n, x \in MembersAt(Now) : \A m, o \in Manager : Hears(n, m) /\ Hears(x, o) => m = o

\* 4.4: anticipated timestamps never go back.
AnticipatedInv == ~wentBack

\* 4.4, 4.5: no member stamps below what another one has executed (a new replica included).
NewStampInv == \A n, x \in Node : In(n) /\ In(x) /\ view[n] = Now /\ view[x] = Now =>
    \A t \in Executed(x) : last[n] > irt[t].ts

\* Reachability.
RemovedAndExecutedReach == \E v \in 1 .. Now : decided[v].kind = "remove" /\ \E n \in Node : In(n) /\ view[n] = Now
    /\ \E t \in Executed(n) : Coord[t] = decided[v].who /\ irt[t].phase = "prepared"
AddedAndExecutedReach == \E n \in Spare : In(n) /\ view[n] = Now /\ \E v \in 1 .. Now : decided[v].kind = "add" /\ Len(log[n]) > Len(decided[v].log)
ReplacedReach == Now > 0 /\ ManagerAt(Now) # Lowest(Manager) /\ \E n \in Node : Executed(n) # {} /\ view[n] = Now
\* A member executes the answered IRT of a node that was removed.
SavedReach == \E t \in Irt : \E n \in MembersAt(Now) : irt[t].phase = "done" /\ t \in Executed(n) /\ Coord[t] \notin MembersAt(Now)
AbortedReach == crt[Remote] = "aborted"
ResolvedReach == crtPhase = "deciding" /\ crt[Remote] = "committed" /\ \E v \in 1 .. Now : decided[v].committed
=============================================================================
