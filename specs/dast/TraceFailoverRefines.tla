------------------------- MODULE TraceFailoverRefines -------------------------
(***************************************************************************)
(* Is every step of TraceFailover a step of Failover? Here no log leads    *)
(* the trace module: an environment offers its operators every argument    *)
(* within small bounds. One region with one shard is Failover's; another   *)
(* region with a shard of two replicas is what Failover has as one         *)
(* participant of the CRT. Ours is the Failover that TraceFailover's       *)
(* variables stand for.                                                    *)
(*                                                                         *)
(* What a log does not show of Failover is kept beside: clocks that        *)
(* nobody was told (clock), a checkpoint before its replica has its first  *)
(* view (sent, base), answers and decisions as they were when they were    *)
(* made (said, made). Two steps of Failover that an event takes together   *)
(* are shown one after the other (lag).                                    *)
(*                                                                         *)
(* TraceFailover allows more than Failover in what Names lists. With       *)
(* Differences = {} the environment leaves exactly these out; with one of  *)
(* them taken in RefinesStep is violated.                                  *)
(*                                                                         *)
(*  clocks      Clocks and their readings: a clock message is one step in  *)
(*              Failover, a log has late ones; the reading at which a node *)
(*              executes, answers or installs is not logged.               *)
(*  notes       A late clock message has what its sender knew then. A note *)
(*              may be of a CRT.                                           *)
(*  kept        Who keeps a CRT (Algorithm 2, lines 2, 8 and 9).           *)
(*  sender      A CRT is prepared by the manager or another replica, not   *)
(*              by its coordinator, which may be ignored by then.          *)
(*  votes       A vote that arrives late counts.                           *)
(*  rescued     Who was told by a view that an IRT is committed tells so.  *)
(*  rounds      A change is proposed, and answered, again; a new manager   *)
(*              removes.                                                   *)
(*  own         What all who stay have executed need not be reported.      *)
(*  hold        An add-prep's hold ends with the next prepare.             *)
(*  checkpoint  Whose checkpoint it is, and when it was made.              *)
(*  anticipates A replaced manager goes on anticipating; by how much a     *)
(*              manager anticipates is not judged.                         *)
(*  goes-on     What members know of the old manager's clock holds for the *)
(*              new one's.                                                 *)
(*  reply       A client is answered with any replica's result.            *)
(*                                                                         *)
(* Not looked at: Forget, which is no step of the protocol.                *)
(***************************************************************************)
EXTENDS TraceFailover

CONSTANTS
    \* What is taken in that Failover does not have.
    Differences,
    \* An action of Failover that is looked for.
    Watched

Names == {"clocks", "notes", "kept", "sender", "votes", "rescued", "rounds", "own", "hold", "checkpoint",
          "anticipates", "goes-on", "reply"}
ASSUME Differences \subseteq Names

VARIABLES clock, sent, base, said, made, lag
all == <<vars, clock, sent, base, said, made, lag>>

Unless(difference, guard) == difference \in Differences \/ guard

-----------------------------------------------------------------------------
(* The system: manager 7 and nodes 5 and 6 are the other region.           *)

Far == {5, 6} \intersect Node
Regional == [p \in Node \union Manager |-> IF p \in Far \union {7} THEN "r2" ELSE "r1"]
Sharded == [n \in Node |-> IF n \in Far THEN "s2" ELSE "s1"]
Accessed == [t \in DOMAIN Coord |-> IF t \in Crts THEN {"s1", "s2"} ELSE {"s1"}]
Elected == [m \in Manager |-> IF m = 9 THEN 2 ELSE 1]
One == <<1>>
Both == <<1, 1>>

Near == {n \in Node : RegionOf[n] = "r1"}
Managers == ManagersOf("r1")
Irts == Irt \ Crts
Stamps(p) == {10 * time + p : time \in Times}
NoCheckpoint == [who |-> 0, log |-> <<>>, crt |-> "none"]

-----------------------------------------------------------------------------
(* Ours                                                                    *)

Phase(n, t) ==
    IF Knows(n, t) THEN "committed" ELSE IF t \in have[n].aborted THEN "aborted"
    ELSE IF t \in have[n].prepared THEN "prepared" ELSE "none"
Added(n) == {v \in DOMAIN made : made[v].kind = "add" /\ made[v].who = n}
Waits(n) == view[n] = -1 /\ Added(n) # {}
Had == [n \in Near |-> [t \in Irts |-> Phase(n, t)]]

\* Members keep the CRT from the view on to which its coordinator has reported it, which a log does not show.
Keeps(n) == \E v \in 1 .. view[n] : made[v].kept /\ \A u \in Added(n) : u < v

\* The coordinator's own part is prepared when it begins.
Crt(n) ==
    LET c == Lowest(Crts)
    IN  CASE Crts = {} -> "none"
          [] n # Remote -> IF Waits(n) THEN base[n].crt
                           ELSE IF Phase(n, c) = "none" /\ (Keeps(n) \/ (n = Coord[c] /\ irt[c].phase # "new"))
                           THEN "prepared" ELSE Phase(n, c)
          [] OTHER -> LET phases == {Phase(x, c) : x \in Far}
                      IN  IF "committed" \in phases THEN "committed" ELSE IF "aborted" \in phases THEN "aborted"
                          ELSE IF phases = {"prepared"} THEN "prepared" ELSE "none"
CrtPhase ==
    IF Crts = {} THEN "new" ELSE LET c == irt[Lowest(Crts)] IN IF c.phase = "new" THEN "new" ELSE IF c.ts = 0 THEN "prepared" ELSE "deciding"

Logged(n) == SelectSeq(IF Waits(n) THEN base[n].log ELSE log[n], LAMBDA t : t \in Irts)

\* A new manager is heard once it has told its own clock.
Heard(n, x) == LET ts == Get(max[n], x, 0) IN IF x \in Manager /\ ts % 10 # x THEN 0 ELSE ts

Proposed(m) ==
    LET p == prop[m]
        kind == IF p.adds THEN "add" ELSE IF p.remove # {} THEN "remove" ELSE "manager"
    IN  IF p.vid = 0 THEN NoProp
        ELSE [kind |-> kind, vid |-> p.vid,
              who |-> CASE kind = "add" -> sent[m].who [] kind = "remove" -> Lowest(p.remove) [] OTHER -> m,
              ts |-> p.ts, log |-> sent[m].log, crt |-> sent[m].crt, answers |-> said[m]]

Ours == INSTANCE Failover WITH
    Member <- Member \intersect Near,
    Manager <- Managers,
    Coord <- [t \in Irts |-> Coord[t]],
    CrtCoord <- IF Crts = {} THEN 0 ELSE Coord[Lowest(Crts)],
    last <- IF lag = <<>> THEN clock ELSE lag.clock,
    irt <- [t \in Irts |-> irt[t]],
    have <- IF lag = <<>> THEN Had ELSE lag.have,
    crt <- [n \in Near \union {Remote} |-> Crt(n)],
    crtPhase <- CrtPhase,
    log <- [n \in Near |-> Logged(n)],
    max <- [n \in Near |-> [x \in Near \union Managers |-> Heard(n, x)]],
    view <- [n \in Near |-> IF view[n] >= 0 THEN view[n] ELSE IF Waits(n) THEN Lowest(Added(n)) ELSE 0],
    ignored <- [n \in Near |-> ignored[n]],
    hold <- [n \in Near |-> hold[n]],
    leader <- leader["r1"],
    decided <- made,
    prop <- [m \in Managers |-> Proposed(m)],
    anticipated <- IF lag = <<>> THEN [n \in Near |-> anticipated[n]] ELSE lag.anticipated

-----------------------------------------------------------------------------
(* The environment                                                         *)

Shown == [clock |-> clock, have |-> Had, anticipated |-> [n \in Near |-> anticipated[n]]]
\* TLC takes nothing from two variables in SUBSET {}.
Sets(S) == IF S = {} THEN {{}} ELSE SUBSET S
Clocked(p, ts) == clock' = [clock EXCEPT ![p] = ts]
Lags(shown) == lag = <<>> /\ lag' = shown
Rest == UNCHANGED <<sent, base, said, made>>
Aside == Rest /\ Lags(<<>>) /\ UNCHANGED clock

\* p read its clock and told nobody.
Untold(p) == clock[p] > Highest({p, last[p]} \union {Heard(n, p) : n \in Near})

OnCoordIrt == \E t \in Irt : \E ts \in Stamps(Coord[t]) :
    /\ TraceCoordIrt(t, ts)
    /\ Unless("clocks", Untold(Coord[t]) => ts > clock[Coord[t]])
    /\ Clocked(Coord[t], ts) /\ Rest /\ Lags(<<>>)

OnHandlePrepare == \E n \in Near, t \in Irt, s \in Near : TraceHandlePrepare(n, t, s) /\ Aside

OnCommitIrt == \E t \in Irt : TraceCommitIrt(t) /\ Aside

OnHandleCommit == \E n \in Near, t \in Irt, s \in Near :
    /\ TraceHandleCommit(n, t, s)
    /\ Unless("rescued", s = Coord[t] /\ irt[t].phase \in {"committed", "done"})
    /\ Lags(IF Phase(n, t) = "none" THEN [Shown EXCEPT !.have[n][t] = "prepared"] ELSE <<>>)
    /\ Rest /\ UNCHANGED clock

\* What x tells in its clock messages.
Told(x) == {t \in Irts : x \in Near /\ Coord[t] \in Ours!TellsOf(x)}
OnHear == \E n \in Near, x \in Near \union Managers : \E now \in Stamps(x), prepared, committed \in Sets(Irt) :
    /\ TraceHear(n, x, now, prepared, committed)
    /\ Unless("clocks", now >= clock[x] /\ (now > clock[x] => Ours!May(x, now)))
    /\ Unless("clocks", x \in Managers => Ours!ManagerAt(Ours!Now) = x)
    /\ Unless("notes", /\ {t \in Told(x) : Phase(x, t) = "prepared"} \subseteq prepared
                       /\ {t \in Told(x) : Phase(x, t) = "committed"} \subseteq committed
                       /\ prepared \intersect Crts = {} /\ committed \intersect Crts = {})
    /\ Unless("rescued", (\A t \in prepared : Has(x, t)) /\ \A t \in committed : Knows(x, t))
    /\ Clocked(x, now) /\ Rest /\ Lags(<<>>)

\* The first reading at which n may execute.
Readings(n, at) == {ts \in Stamps(n) : ts > at /\ (ts = clock[n] \/ Ours!May(n, ts))}
OnExecute == \E n \in Near, t \in Irt :
    LET at == irt[t].ts
        boss == ViewOf(n).manager
    IN  /\ TraceExecute(n, t, at)
        /\ t \in Irts => /\ Unless("clocks", Readings(n, at) # {})
                         /\ Unless("goes-on", Heard(n, boss) > at)
        /\ clock' = IF t \in Irts /\ Readings(n, at) # {} THEN [clock EXCEPT ![n] = Lowest(Readings(n, at))] ELSE clock
        /\ Rest /\ Lags(<<>>)

OnReply == \E t \in Irt :
    /\ TraceReply(t)
    /\ t \in Irts => Unless("reply", irt[t].phase = "committed" /\ Done(Coord[t], t))
    /\ Aside

OnCoordCrt == \E t \in Irt : TraceCoordCrt(t) /\ Aside

Anticipated == IF Rtts = {} THEN {0} ELSE 0 .. 10 * (Highest(Times) + Highest(Rtts)) + 30
OnAnticipate == \E m \in Managers, at \in Anticipated : Rtts # {} /\ TraceAnticipate(m, at) /\ ~wentBack' /\ Aside

\* When m anticipated at.
Anticipating(m, at) == {ts \in Stamps(m) : ts > clock[m] /\ \E rtt \in Rtts :
    at = Highest({ts + 10 * rtt} \union {anticipated[x] + 10 : x \in {y \in Near : Ours!ManagerAt(view[y]) = m}})}
OnHandlePrepCrt == \E n \in Node, t \in Irt, s \in Node \union Manager :
    \E asked \in IF n \in Near /\ s \in Managers THEN Anticipated ELSE {0} :
        LET news == n \in Near /\ s \in Managers /\ asked > anticipated[n]
            when == Anticipating(s, asked)
        IN  /\ TraceHandlePrepCrt(n, t, s, asked)
            /\ Phase(n, t) = "none" =>
                IF n \in Far THEN Unless("kept", Cardinality({x \in Near : Crt(x) # "none"}) >= Majority)
                ELSE Unless("sender", n = Coord[t] \/ Ours!Hears(n, Coord[t]))
            /\ news => Unless("anticipates", Ours!ManagerAt(Ours!Now) = s /\ leader["r1"] = s /\ when # {})
            /\ clock' = IF news /\ when # {} THEN [clock EXCEPT ![s] = Lowest(when)] ELSE clock
            /\ Lags(IF news THEN Shown ELSE <<>>)
            /\ Rest

OnCommitCrt == \E t \in Irt :
    /\ TraceCommitCrt(t, 1)
    /\ Unless("votes", Crt(Remote) = "prepared" /\ Cardinality({x \in Near : Crt(x) = "prepared"}) >= Majority)
    /\ Aside

OnHandleCommitCrt == \E n \in Node, t \in Irt, s \in Node :
    /\ TraceHandleCommitCrt(n, t, s)
    /\ Unless("kept", \/ Phase(n, t) = "committed" \/ Rescued(t)
                      \/ CASE n = Coord[t] -> 1 + Cardinality({x \in Ours!Acknowledging : Crt(x) = "committed"}) >= Majority
                           [] n \in Far -> Crt(Coord[t]) = "committed"
                           [] OTHER -> s = Coord[t] /\ irt[t].ts # 0)
    /\ Aside

OnHandleResolved == \E n \in Node, t \in Irt : TraceHandleResolved(n, t) /\ Aside
OnHandleAbort == \E n \in Node, t \in Irt : TraceHandleAbort(n, t) /\ Aside

Asking(m) == Unless("rounds", prop[m].vid = 0) /\ Newest("r1") < MaxViews
Asked(m) == said' = [said EXCEPT ![m] = NoAnswers] /\ UNCHANGED <<base, made>> /\ Lags(<<>>)

OnRemoveNode == \E m \in Managers, vid \in 1 .. MaxViews, round \in {1, 2}, remove \in Sets(Suspects \intersect Near) :
    /\ TraceRemoveNode(m, vid, round, remove)
    /\ Asking(m) /\ Unless("rounds", round = 1)
    /\ Asked(m) /\ sent' = [sent EXCEPT ![m] = NoCheckpoint] /\ UNCHANGED clock

OnAddReplica == \E m \in Managers, vid \in 1 .. MaxViews, time \in Times, n \in Spare, x \in Near :
    /\ TraceAddReplica(m, vid, 1, 10 * (time + Ahead))
    /\ Asking(m)
    /\ n \notin Ours!MembersAt(Ours!Now) /\ x \in Ours!MembersAt(Ours!Now)
    /\ Unless("checkpoint", Ours!Hears(x, m))
    /\ Unless("clocks", Untold(m) => 10 * time + m > clock[m])
    /\ sent' = [sent EXCEPT ![m] = [who |-> n, log |-> Logged(x), crt |-> Crt(x)]]
    /\ Clocked(m, 10 * time + m) /\ Asked(m)

OnElect == \E m \in Managers, vid \in 1 .. MaxViews, round \in {1, 2}, remove \in Sets(Suspects \intersect Near) :
    /\ TraceElect(m, vid, round, remove)
    /\ Newest("r1") < MaxViews /\ Unless("rounds", leader["r1"] # m /\ remove = {} /\ round = 1)
    /\ Asked(m) /\ sent' = [sent EXCEPT ![m] = NoCheckpoint] /\ UNCHANGED clock

\* An answer in Failover's words.
Answer(n, m, irts, prepared, committed, ts) ==
    LET p == Proposed(m)
    IN  [irts |-> irts,
         crt |-> IF committed # {} THEN "committed" ELSE IF prepared # {} THEN "prepared"
                 ELSE IF p.kind = "remove" /\ Crts # {} /\ p.who = Coord[Lowest(Crts)] /\ Crt(n) = "aborted"
                         /\ ~(\E v \in 1 .. view[n] : made[v].committed \/ made[v].aborted) THEN "aborted"
                 ELSE IF p.kind = "remove" /\ Crts # {} /\ n = Coord[Lowest(Crts)] /\ CrtPhase = "prepared" THEN "kept" ELSE "none",
         ts |-> CASE p.kind = "add" -> ts
                  [] p.kind = "manager" -> Highest({Heard(n, ViewOf(n).manager), anticipated[n]})
                  [] OTHER -> 0]
Holds(n, m) ==
    IF ~prop[m].adds THEN {hold[n]}
    ELSE IF clock[n] >= prop[m].ts THEN {clock[n] + 10} ELSE {prop[m].ts}
OnHandleViewPrep == \E n \in Near, m \in Managers : \E asked \in prop[m].asked : \E lastLogged \in Stamps(n) \union {n} :
    \E held \in {0} \union {10 * time : time \in Times} \union Holds(n, m), irts \in Sets(Irts), prepared, committed \in Sets(Crts) :
        /\ TraceHandleViewPrep(n, m, asked[1], asked[2], asked[3], held, irts, prepared, committed, lastLogged)
        /\ Unless("rounds", prop[m].vid = asked[1] /\ prop[m].remove = asked[3] /\ n \notin DOMAIN prop[m].answers)
        /\ Unless("clocks", lastLogged = clock[n])
        /\ Unless("hold", ~prop[m].adds => hold[n] = 0)
        /\ Unless("clocks", prop[m].adds /\ lastLogged >= prop[m].ts => held \in Holds(n, m))
        /\ asked[3] # {} => Unless("own", {t \in Irts : Coord[t] \in asked[3] \union {n} /\ Phase(n, t) # "none"} \subseteq irts)
        /\ Unless("kept", /\ prepared # {} => Crt(n) = "prepared"
                          /\ \A t \in committed : Crt(n) = "committed" \/ (Coord[t] = n /\ CrtPhase = "deciding"))
        /\ said' = [said EXCEPT ![m] = (n :> Answer(n, m, irts, prepared, committed, lastLogged)) @@ @]
        /\ UNCHANGED <<clock, sent, base, made>> /\ Lags(<<>>)

Start(m) == Highest({prop[m].ts} \union {10 * (said[m][n].ts \div 10) + 10 : n \in DOMAIN said[m]})
OnDecideView == \E m \in Managers : \E add \in {0} \union Spare, irts \in Sets(Irts), committed, aborted \in Sets(Crts) :
    \E at \in IF add = 0 THEN {0} ELSE {10 * time : time \in Times} \union {Start(m)} :
        LET p == prop[m]
            was == Proposed(m)
            ts == IF was.kind = "manager" THEN Highest({said[m][n].ts : n \in DOMAIN said[m]} \union {clock[m]}) ELSE at
            members == (ViewAt("r1", Newest("r1")).members \ p.remove) \union ({add} \ {0})
        IN  /\ TraceDecideView(m, p.vid, p.round, members, p.remove, add, at, irts, committed, aborted)
            /\ Unless("checkpoint", add # 0 => add = sent[m].who)
            /\ Unless("clocks", add # 0 => at = Start(m))
            /\ made' = Append(made, [kind |-> was.kind, who |-> was.who, irts |-> irts, aborted |-> aborted # {},
                                     committed |-> committed # {},
                                     kept |-> \E n \in DOMAIN said[m] : said[m][n].crt = "kept", ts |-> ts, log |-> was.log])
            /\ clock' = CASE was.kind = "manager" -> [clock EXCEPT ![m] = 10 * (ts \div 10) + 10 + m]
                          [] was.kind = "add" -> [clock EXCEPT ![add] = at + add]
                          [] OTHER -> clock
            /\ base' = IF add = 0 THEN base ELSE [base EXCEPT ![add] = sent[m]]
            /\ sent' = [sent EXCEPT ![m] = NoCheckpoint]
            /\ said' = [said EXCEPT ![m] = NoAnswers]
            /\ Lags(<<>>)

OnHandleViewCommit == \E n \in Near, vid \in 1 .. MaxViews : TraceHandleViewCommit(n, vid) /\ Aside

OnJoin == \E n \in Spare, vid \in 1 .. MaxViews, x \in Near : \E i \in 0 .. Len(log[x]), prepared, committed, aborted \in Sets(Irt) :
    LET executed == SubSeq(log[x], 1, i)
    IN  /\ TraceJoin(n, vid, executed, prepared, committed, aborted)
        /\ Unless("checkpoint", SelectSeq(executed, LAMBDA t : t \in Irts) = base[n].log)
        /\ Aside

\* The second step of two.
Catch == lag # <<>> /\ lag' = <<>> /\ UNCHANGED <<vars, clock, sent, base, said, made>>

RefInit ==
    /\ TraceInit
    /\ clock = [p \in Near \union Managers |-> p]
    /\ sent = [m \in Managers |-> NoCheckpoint]
    /\ base = [n \in Spare |-> NoCheckpoint]
    /\ said = [m \in Managers |-> NoAnswers]
    /\ made = <<>>
    /\ lag = <<>>

RefNext ==
    \/ OnCoordIrt \/ OnHandlePrepare \/ OnCommitIrt \/ OnHandleCommit \/ OnHear \/ OnExecute \/ OnReply
    \/ OnCoordCrt \/ OnAnticipate \/ OnHandlePrepCrt \/ OnCommitCrt \/ OnHandleCommitCrt \/ OnHandleResolved \/ OnHandleAbort
    \/ OnRemoveNode \/ OnAddReplica \/ OnElect \/ OnHandleViewPrep \/ OnDecideView \/ OnHandleViewCommit \/ OnJoin \/ Catch
RefSpec == RefInit /\ [][RefNext]_all

-----------------------------------------------------------------------------
\* A new replica has what its checkpoint had, and what waited there; in Failover it has the executed alone, and does not
\* know that it has them.
Installs == \E n \in Spare :
    /\ view[n] = -1 /\ view'[n] # -1
    /\ \A t \in Irts : Had'[n][t] # "none" => \E x \in Near \ {n} : Ours!Better(Had[x][t], Had'[n][t]) = Had[x][t]
    /\ UNCHANGED <<clock, irt, CrtPhase, [x \in Near |-> Logged(x)], max, ignored, hold, leader, made, prop, anticipated, wentBack>>
    /\ \A x \in Near \ {n} : Had'[x] = Had[x] /\ Crt(x)' = Crt(x)

IsA(action) ==
    CASE action = "CoordIrt" -> \E t \in Irts, time \in Times : Ours!CoordIrt(t, time)
      [] action = "HandlePrepare" -> \E n \in Near, t \in Irts : Ours!HandlePrepare(n, t)
      [] action = "CommitIrt" -> \E t \in Irts : Ours!CommitIrt(t)
      [] action = "HandleCommit" -> \E n \in Near, t \in Irts : Ours!HandleCommit(n, t)
      [] action = "Announce" -> \E x \in Near \union Managers, n \in Near, time \in Times : Ours!Announce(x, n, time)
      [] action = "Execute" -> \E n \in Near, t \in Irts, time \in Times : Ours!Execute(n, t, time)
      [] action = "Reply" -> \E t \in Irts : Ours!Reply(t)
      [] action = "PrepareCrt" -> \E n \in Near \union {Remote} : Ours!PrepareCrt(n)
      [] action = "CommitCrt" -> Ours!CommitCrt
      [] action = "HandleCommitCrt" -> \E n \in Near \union {Remote} : Ours!HandleCommitCrt(n)
      [] action = "HandleAbort" -> \E n \in Near \union {Remote}, v \in 1 .. MaxViews : Ours!HandleAbort(n, v)
      [] action = "HandleResolved" -> \E n \in Near \union {Remote}, v \in 1 .. MaxViews : Ours!HandleResolved(n, v)
      [] action = "RemoveNode" -> \E m \in Managers, n \in Near : Ours!RemoveNode(m, n)
      [] action = "AddReplica" -> \E m \in Managers, n \in Spare, x \in Near, time \in Times : Ours!AddReplica(m, n, x, time)
      [] action = "Elect" -> \E m \in Managers : Ours!Elect(m)
      [] action = "HandleViewPrep" -> \E n \in Near, m \in Managers : Ours!HandleViewPrep(n, m)
      [] action = "DecideView" -> \E m \in Managers : Ours!DecideView(m)
      [] action = "HandleViewCommit" -> \E n \in Near : Ours!HandleViewCommit(n)
      [] action = "Anticipate" -> \E m \in Managers, n \in Near, time \in Times, rtt \in Rtts : Ours!Anticipate(m, n, time, rtt)
      [] action = "Installs" -> Installs

\* A step of Ours!Next. What changes tells which can be meant.
Meant ==
    CASE made' # made -> {"DecideView"}
      [] view' # view -> {"HandleViewCommit", "Installs"}
      [] leader' # leader \/ prop' # prop -> {"RemoveNode", "AddReplica", "Elect", "HandleViewPrep"}
      [] irt' # irt -> {"CoordIrt", "CommitIrt", "Reply", "PrepareCrt", "CommitCrt"}
      [] log' # log -> {"Execute"}
      [] max' # max -> {"Announce"}
      [] have' # have -> {"HandlePrepare", "HandleCommit", "Announce", "PrepareCrt", "HandleCommitCrt", "HandleAbort", "HandleResolved"}
      [] OTHER -> {"HandleCommit", "Announce", "Anticipate"}
RefinesStep == [][\E action \in Meant : IsA(action)]_(Ours!vars)
BeginsInv == RefInit => Ours!Init

\* For the other direction: violated where the action of Failover is taken.
NeverStep == [][~IsA(Watched)]_(Ours!vars)
===============================================================================
