------------------------- MODULE TwoPhaseAnticipation -------------------------
(***************************************************************************)
(* DAST's ordering of transactions inside a region and across regions      *)
(* (paper, sections 4.1 to 4.3, 4.5, 4.6; Algorithms 1 and 2): do all      *)
(* replicas execute in timestamp order, and what do clients see?           *)
(*                                                                         *)
(* Modelled: coordinators, participants and managers, one action for each  *)
(* message, timer and client step; readyQ (known, by timestamp) and waitQ  *)
(* (Own and told); notifications; execution by PCT with max; the manager's *)
(* entry; values pushed to dependent shards; conditional aborts; 2f+1      *)
(* replicas a shard, majorities counted a shard at a time.                 *)
(*                                                                         *)
(* Channels (section 3.1): msgs only grows and any member is handled at    *)
(* any time, any number of times, or never. Variant "fifo": in order, none *)
(* lost.                                                                   *)
(*                                                                         *)
(* Merged steps: a clock is read when that matters to others or to its own *)
(* node. With Clocks = "merged" a clock message is sent and received in    *)
(* one step: a late one only says less, and a lost one is no step. With    *)
(* "sent" these are two steps (Tell, Hear), and managers hear as well.     *)
(* What a receiver has of a                                                *)
(* sender is therefore max, and this is also the delivered timestamp that  *)
(* Algorithm 1 keeps as notifiedTs. Acknowledgements are counted when the  *)
(* coordinator commits. The replication of a CRT inside its home region    *)
(* (Algorithm 2, lines 2 and 8) matters for Failover only.                 *)
(*                                                                         *)
(* Assumed, not checked: CreateTs is monotonic and unique                  *)
(* (StretchableClock says what that needs). now() + offset is a free       *)
(* choice of Times at each call: no bound on skew or calibration, so the   *)
(* offset is not kept.                                                     *)
(*                                                                         *)
(* Every shard is one key: a piece reads it and may write it.              *)
(*                                                                         *)
(* Out of scope: crashes and views (Failover). The RTT estimate is a free  *)
(* choice of Rtts.                                                         *)
(*                                                                         *)
(* Readings                                                                *)
(*  - every clock value that a node tells was returned by CreateTs;        *)
(*  - the home region's manager anticipates as well (Algorithm 2, line 4); *)
(*  - NoteKey = "now": the note of a committed CRT is due at once (text of *)
(*    4.3); "commit": it is one of Algorithm 1's range of timestamps under *)
(*    its commit timestamp (Algorithm 2, line 26);                         *)
(*  - Notify = "always": every committed CRT is told to the region (text   *)
(*    of 4.3); "waiting": not one that needs no input here (Algorithm 2,   *)
(*    lines 24 to 26 as indented);                                         *)
(*  - nodes that take no part drop a CRT from waitQ when the participant   *)
(*    that told them has dropped it (the text does not say when);          *)
(*  - a notified IRT, and a notified committed CRT, counts like the        *)
(*    message itself at a participant; a notified prepared CRT only holds  *)
(*    the clock;                                                           *)
(*  - a transaction is executed with its inputs ready (4.1; not in         *)
(*    Algorithm 1, lines 21 to 27).                                        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
    \* Edge nodes, by their nid.
    \* @type: Set(Int);
    Node,
    \* Managers, by their nid.
    \* @type: Set(Int);
    Manager,
    \* The region of each node and manager.
    \* @type: Int -> Str;
    Region,
    \* The replicas of each shard, all in one region.
    \* @type: Str -> Set(Int);
    Replicas,
    \* Acknowledgements that a shard needs: f+1 of 2f+1; all where it has fewer replicas.
    \* @type: Int;
    Majority,
    \* The transactions: coordinator, shards accessed, shards written, value dependencies <<from, to>>,
    \* and the shard that a conditional abort depends on ("" for none).
    \* @type: Int -> { coord: Int, shards: Set(Str), writes: Set(Str), deps: Set(<<Str, Str>>), cond: Str };
    Plan,
    \* Readings of now() + offset.
    \* @type: Set(Int);
    Times,
    \* Estimates of a round trip across regions.
    \* @type: Set(Int);
    Rtts,
    \* Values of frac.
    \* @type: Set(Int);
    Fracs,
    \* "any" or "fifo".
    \* @type: Str;
    Channels,
    \* "merged" or "sent", see above.
    \* @type: Str;
    Clocks,
    \* The timing condition of 4.6: inside a region news of a CRT come before the clock gets there.
    \* @type: Bool;
    Timely,
    \* "now" or "commit", see above.
    \* @type: Str;
    NoteKey,
    \* "always" or "waiting", see above.
    \* @type: Str;
    Notify,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* FreezeTime  timestamps are compared by time, frac, nid, and a stretched *)
(*             clock keeps its time below that of waitQ's head. Published: *)
(*             the triple <<time, nid, frac>> as it is written (3.2).      *)
(* Follow      a clock message raises the receiver's last timestamp above  *)
(*             the sender's, as far as waitQ allows, also when stretched.  *)
(* Vote        a node whose time is not below the anticipated one          *)
(*             acknowledges with the next time of its own, and waits there.*)
(* TieBreak    equal timestamps are ordered by transaction.                *)
(* Apart       a CRT is committed at a time that no other CRT has, so that *)
(*             regions which wait for each other's values can stay below   *)
(*             the one and pass the other.                                 *)
(* Climb       a stretched clock goes up to just below waitQ's head        *)
(*             (published: it stays at its last timestamp). With           *)
(*             FreezeTime only.                                            *)
(***************************************************************************)
AllRepairs == {"FreezeTime", "Follow", "Vote", "TieBreak", "Apart", "Climb"}
ASSUME Repairs \subseteq AllRepairs
ASSUME Clocks \in {"merged", "sent"}
ASSUME Channels \in {"any", "fifo"} /\ NoteKey \in {"now", "commit"} /\ Notify \in {"always", "waiting"}

VARIABLES
    \* Messages sent so far.
    \* @type: Set($msg);
    msgs,
    \* Variant "fifo": the messages handled.
    \* @type: Set($msg);
    handled,
    \* Clocks = "sent": clock messages sent so far; each is for the whole region.
    \* @type: Set({ src: Int, ts: <<Int, Int, Int>>, holds: Set(<<Int, Int, <<Int, Int, Int>>>>), notes: Int -> { phase: Str, at: <<Int, Int, Int>> } });
    clocks,
    \* lastTs: the newest timestamp that each process made.
    \* @type: Int -> <<Int, Int, Int>>;
    last,
    \* What clients asked and were told; ts is the IRT's or the CRT's commit timestamp.
    \* @type: Int -> { phase: Str, ts: <<Int, Int, Int>>, reads: Set(<<Str, Int>>), writes: Set(Str), after: Set(Int) };
    txn,
    \* What each node has of each transaction that accesses it; at: a CRT's anticipated timestamp until it is committed.
    \* @type: Int -> (Int -> { phase: Str, at: <<Int, Int, Int>> });
    known,
    \* The part of waitQ that a node was told by others: CRT, teller, timestamp.
    \* @type: Int -> Set(<<Int, Int, <<Int, Int, Int>>>>);
    told,
    \* maxTs: the newest clock that each node has of each process of its region.
    \* @type: Int -> (Int -> <<Int, Int, Int>>);
    max,
    \* Values that arrived from other shards: transaction, shard, writer.
    \* @type: Int -> Set(<<Int, Str, Int>>);
    input,
    \* What each node has executed, in order: transaction, the value read, whether it wrote.
    \* @type: Int -> Seq({ t: Int, read: Int, wrote: Bool });
    log

vars == <<msgs, handled, clocks, last, txn, known, told, max, input, log>>

Txn == DOMAIN Plan
Shard == DOMAIN Replicas
Nobody == 0     \* the writer of every shard's initial value
NoTs == <<0, 0, 0>>
Unknown == [phase |-> "none", at |-> NoTs]

-----------------------------------------------------------------------------
(* Static facts, in tables so that TLC works them out once                 *)

ShardTable == [n \in Node |-> CHOOSE s \in Shard : n \in Replicas[s]]
RegionTable == [t \in Txn |-> {Region[CHOOSE n \in Replicas[s] : TRUE] : s \in Plan[t].shards}]
ParticipantTable == [t \in Txn |-> UNION {Replicas[s] : s \in Plan[t].shards}]
PeerTable == [p \in Node \union Manager |-> {x \in Node \union Manager : Region[x] = Region[p]} \ {p}]
Crts == {t \in Txn : RegionTable[t] # {Region[Plan[t].coord]}}
NeedTable == [s \in Shard |-> IF Cardinality(Replicas[s]) < Majority THEN Cardinality(Replicas[s]) ELSE Majority]
InputTable == [t \in Txn |-> [s \in Shard |-> {d[1] : d \in {e \in Plan[t].deps : e[2] = s}}]]
InvolvedTable == [t \in Txn |-> RegionTable[t] \union {Region[Plan[t].coord]}]
Freezes == "FreezeTime" \in Repairs

ShardOf(n) == ShardTable[n]
Regions(t) == RegionTable[t]
IsCrt(t) == t \in Crts
Participants(t) == ParticipantTable[t]
Peers(p) == PeerTable[p]
NodesOf(r) == {n \in Node : Region[n] = r}
ManagerOf(r) == CHOOSE m \in Manager : Region[m] = r

\* The shards whose values t needs at shard s.
Inputs(t, s) == InputTable[t][s]

-----------------------------------------------------------------------------
(* Timestamps                                                              *)

\* @type: (<<Int, Int, Int>>, <<Int, Int, Int>>) => Bool;
Less(a, b) ==
    \/ a[1] < b[1]
    \/ /\ a[1] = b[1]
       /\ IF Freezes
          THEN a[3] < b[3] \/ (a[3] = b[3] /\ a[2] < b[2])
          ELSE a[2] < b[2] \/ (a[2] = b[2] /\ a[3] < b[3])

Later(a, b) == IF Less(a, b) THEN b ELSE a
Latest(S) == CHOOSE a \in S : \A b \in S : ~Less(a, b)

InLog(n, t) == \E i \in DOMAIN log[n] : log[n][i].t = t
HasInput(n, t, s) == \E v \in input[n] : v[1] = t /\ v[2] = s
InputReady(n, t) == \A s \in Inputs(t, ShardOf(n)) : HasInput(n, t, s)

\* The part of waitQ that a node has at first hand: prepared CRTs, and committed ones without their inputs.
Own(n) == {<<t, n, known[n][t].at>> : t \in {u \in DOMAIN known[n] :
             /\ IsCrt(u)
             /\ \/ known[n][u].phase = "prepared"
                \/ known[n][u].phase = "committed" /\ ~InputReady(n, u)}}
WaitQ(p) == IF p \in Node THEN Own(p) \union told[p] ELSE {}

\* A clock at c has passed an entry of waitQ.
Passes(c, at) == IF Freezes THEN c[1] >= at[1] ELSE Less(at, c)

\* Algorithm 1, lines 4 to 9, made monotonic.
CreateTs(p, time) ==
    LET clock == <<time, p, 0>>
        waits == {w[3] : w \in WaitQ(p)}
        held == \E at \in waits : Passes(clock, at)
        head == CHOOSE at \in waits : \A o \in waits : at[1] <= o[1]
        now == IF "Climb" \in Repairs /\ held THEN <<head[1] - 1, p, 0>> ELSE clock
    IN  IF ~Less(last[p], now) \/ ("Climb" \notin Repairs /\ held)
        THEN <<last[p][1], p, last[p][3] + 1>> ELSE now

\* Timely: somebody in p's region waits, or is about to, for a CRT below ts, and p has not heard.
Uninformed(p, ts) ==
    \/ \E m \in msgs : /\ m.type = "prep-crt" /\ Region[m.dst] = Region[p]
                       /\ known[m.dst][m.t].phase = "none" /\ Passes(ts, m.ts)
    \/ \E x \in Peers(p) \intersect Node : \E w \in Own(x) :
           Passes(ts, w[3]) /\ ~\E v \in told[p] : v[1] = w[1] /\ v[2] = x

\* The repair Follow: p's last timestamp goes above one that it heard of, unless waits forbid.
Follows(p, ts, waits) ==
    /\ "Follow" \in Repairs /\ Less(last[p], ts)
    /\ ~\E w \in waits : Passes(<<ts[1], p, ts[3] + 1>>, w[3])
Raised(p, ts, waits) == IF Follows(p, ts, waits) THEN <<ts[1], p, ts[3] + 1>> ELSE last[p]

MaySet(p, ts) == ts[3] \in Fracs /\ (Timely /\ p \in Node => ~Uninformed(p, ts))

-----------------------------------------------------------------------------
(* Messages                                                                *)

\* New messages get the next number of their link in the variant "fifo".
Numbered(new) ==
    {[m EXCEPT !.no = IF Channels = "any" THEN 0
                      ELSE 1 + Cardinality({o \in msgs : o.src = m.src /\ o.dst = m.dst})] : m \in new}
Send(new) == msgs' = msgs \union Numbered(new)

\* Messages that only a decision of the receiver reads have no action of their own. They can be read as soon as they
\* are sent, and nothing waits for it: more behaviours than channels in order have.
Collected == {"ack", "vote", "result", "prep-remote"}

Handle(m) ==
    /\ m \in msgs
    /\ IF Channels = "any" THEN UNCHANGED handled
       ELSE /\ m \notin handled
            /\ \A o \in msgs : o.src = m.src /\ o.dst = m.dst /\ o.no < m.no /\ o.type \notin Collected => o \in handled
            /\ handled' = handled \union {m}

Drained(x, n) ==
    Channels = "fifo" => \A o \in msgs : o.src = x /\ o.dst = n /\ o.type \notin Collected => o \in handled

\* @type: (Str, Int, Int, Int, <<Int, Int, Int>>) => $msg;
Msg(type, t, src, dst, ts) ==
    [type |-> type, t |-> t, src |-> src, dst |-> dst, ts |-> ts, shard |-> "", val |-> 0, wrote |-> FALSE, no |-> 0]

Got(t, type) == {m.src : m \in {o \in msgs : o.type = type /\ o.t = t}}
Quorum(t, S) == \A s \in Plan[t].shards : Cardinality(S \intersect Replicas[s]) >= NeedTable[s]

Done == {t \in Txn : txn[t].phase = "done"}

Init ==
    /\ msgs = {} /\ handled = {} /\ clocks = {}
    /\ last = [p \in Node \union Manager |-> <<0, p, 0>>]
    /\ txn = [t \in Txn |-> [phase |-> "new", ts |-> NoTs, reads |-> {}, writes |-> {}, after |-> {}]]
    /\ known = [n \in Node |-> [t \in {u \in Txn : n \in Participants(u)} |-> Unknown]]
    /\ told = [n \in Node |-> {}]
    /\ max = [n \in Node |-> [x \in Peers(n) |-> <<0, x, 0>>]]
    /\ input = [n \in Node |-> {}]
    /\ log = [n \in Node |-> <<>>]

-----------------------------------------------------------------------------
(* Intra-region transactions (Algorithm 1)                                 *)

\* Lines 10 to 15: a client submits t, its coordinator stamps it and asks the participants.
StampIrt(t, ts) ==
    LET c == Plan[t].coord
    IN  /\ ~IsCrt(t) /\ txn[t].phase = "new"
        /\ MaySet(c, ts)
        /\ last' = [last EXCEPT ![c] = ts]
        /\ txn' = [txn EXCEPT ![t].phase = "prepared", ![t].ts = ts, ![t].after = Done]
        /\ known' = IF c \in Participants(t)
                    THEN [known EXCEPT ![c][t] = [phase |-> "prepared", at |-> ts]] ELSE known
        /\ Send({Msg("prepare", t, c, n, ts) : n \in Participants(t) \ {c}})
        /\ UNCHANGED <<clocks, handled, told, max, input, log>>
CoordIrt(t, time) == StampIrt(t, CreateTs(Plan[t].coord, time))

\* A participant puts t into readyQ and acknowledges (line 16).
HandlePrepare(n, m) ==
    /\ m.type = "prepare" /\ m.dst = n
    /\ Handle(m)
    /\ known' = IF known[n][m.t].phase = "none"
                THEN [known EXCEPT ![n][m.t] = [phase |-> "prepared", at |-> m.ts]] ELSE known
    /\ Send({Msg("ack", m.t, n, m.src, NoTs)})
    /\ last' = [last EXCEPT ![n] = Raised(n, m.ts, WaitQ(n))]
    /\ Follows(n, m.ts, WaitQ(n)) => MaySet(n, Raised(n, m.ts, WaitQ(n)))
    /\ UNCHANGED <<clocks, txn, told, max, input, log>>

\* Lines 18 to 20: a majority of each shard has acknowledged.
CommitIrt(t) ==
    LET c == Plan[t].coord
    IN  /\ ~IsCrt(t) /\ txn[t].phase = "prepared"
        /\ Quorum(t, Got(t, "ack") \union {c})
        /\ txn' = [txn EXCEPT ![t].phase = "committed"]
        /\ known' = IF c \in Participants(t) THEN [known EXCEPT ![c][t].phase = "committed"] ELSE known
        /\ Send({Msg("commit", t, c, n, txn[t].ts) : n \in Participants(t) \ {c}})
        /\ UNCHANGED <<clocks, handled, last, told, max, input, log>>

HandleCommit(n, m) ==
    /\ m.type = "commit" /\ m.dst = n
    /\ Handle(m)
    /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "committed", at |-> m.ts]]
    /\ last' = [last EXCEPT ![n] = Raised(n, m.ts, WaitQ(n))]
    /\ Follows(n, m.ts, WaitQ(n)) => MaySet(n, Raised(n, m.ts, WaitQ(n)))
    /\ UNCHANGED <<clocks, msgs, txn, told, max, input, log>>

-----------------------------------------------------------------------------
(* Clocks and notifications (4.2, 4.3)                                     *)

\* What x tells of transaction t.
NoteOf(x, t) ==
    IF ~IsCrt(t)
    THEN IF Plan[t].coord = x /\ txn[t].phase # "new"
         THEN [phase |-> IF txn[t].phase = "prepared" THEN "prepared" ELSE "committed", at |-> txn[t].ts]
         ELSE Unknown
    ELSE IF /\ x \in Participants(t) /\ known[x][t].phase = "committed"
            /\ Notify = "waiting" => Inputs(t, ShardOf(x)) # {}
         THEN known[x][t] ELSE Unknown
\* What of it is for n, with x's clock at now.
Due(x, n, t, note, now) ==
    IF /\ NoteKey = "commit" /\ note # Unknown /\ IsCrt(t)
       /\ ~(Less(max[n][x], note.at) /\ Less(note.at, now))
    THEN Unknown ELSE note

Rank(phase) == CASE phase = "none" -> 0 [] phase = "prepared" -> 1 [] OTHER -> 2

\* n takes in x's clock, what holds it, and notes as Due gives them.
TakeIn(n, x, now, hears, notes) ==
    /\ IF x \in Node
       THEN /\ known' = [known EXCEPT ![n] = [t \in DOMAIN @ |-> IF Rank(notes[t].phase) > Rank(@[t].phase) THEN notes[t] ELSE @[t]]]
            /\ told' = [told EXCEPT ![n] = hears]
       ELSE UNCHANGED <<known, told>>
    /\ max' = [max EXCEPT ![n][x] = Later(@, now)]
Hears(n, x, holds) == IF x \in Node THEN {w \in told[n] : w[2] # x} \union holds ELSE told[n]

\* x's clock message reaches n: its clock (the newest timestamp, or a new one), and what n is to know of x's
\* transactions.
Announce(x, n, time) ==
    LET now == IF time = last[x][1] THEN last[x] ELSE CreateTs(x, time)
        notes == [t \in DOMAIN known[n] |-> IF x \in Node THEN Due(x, n, t, NoteOf(x, t), now) ELSE Unknown]
        hears == Hears(n, x, IF x \in Node THEN Own(x) ELSE {})
        raised == Raised(n, now, Own(n) \union hears)
    IN  /\ Clocks = "merged" /\ x \in Peers(n)
        /\ MaySet(x, now)
        /\ raised # last[n] => MaySet(n, raised)
        /\ Drained(x, n)
        /\ TakeIn(n, x, now, hears, notes)
        /\ last' = [last EXCEPT ![x] = now, ![n] = raised]
        /\ UNCHANGED <<clocks, msgs, handled, txn, input, log>>

\* The same in two steps. A message has what x would tell anybody of its region.
Notes(x) ==
    [t \in IF x \in Node THEN UNION {DOMAIN known[n] : n \in Peers(x) \intersect Node} ELSE {} |-> NoteOf(x, t)]
Tell(x, time) ==
    LET now == IF time = last[x][1] THEN last[x] ELSE CreateTs(x, time)
    IN  /\ Clocks = "sent"
        /\ MaySet(x, now)
        /\ last' = [last EXCEPT ![x] = now]
        /\ clocks' = clocks \union {[src |-> x, ts |-> now, holds |-> IF x \in Node THEN Own(x) ELSE {},
                                     notes |-> Notes(x)]}
        /\ UNCHANGED <<msgs, handled, txn, known, told, max, input, log>>

Hear(n, m) ==
    LET notes == [t \in DOMAIN known[n] |->
                    IF t \in DOMAIN m.notes THEN Due(m.src, n, t, m.notes[t], m.ts) ELSE Unknown]
        hears == Hears(n, m.src, m.holds)
        waits == IF n \in Node THEN Own(n) \union hears ELSE {}
    IN  /\ m \in clocks /\ m.src \in Peers(n)
        /\ Follows(n, m.ts, waits) => MaySet(n, Raised(n, m.ts, waits))
        /\ IF n \in Node
           THEN /\ ~Less(m.ts, max[n][m.src])
                /\ Drained(m.src, n)
                /\ TakeIn(n, m.src, m.ts, hears, notes)
           ELSE UNCHANGED <<known, told, max>>
        /\ last' = [last EXCEPT ![n] = Raised(n, m.ts, waits)]
        /\ UNCHANGED <<clocks, msgs, handled, txn, input, log>>

-----------------------------------------------------------------------------
(* Cross-region transactions (Algorithm 2)                                 *)

\* Lines 1 to 5. srcTs only serves the estimate of the round trip, which is free here.
CoordCrt(t) ==
    LET c == Plan[t].coord
    IN  /\ IsCrt(t) /\ txn[t].phase = "new"
        /\ txn' = [txn EXCEPT ![t].phase = "prepared", ![t].after = Done]
        /\ Send({Msg("prep-remote", t, c, ManagerOf(r), NoTs) : r \in Regions(t)})
        /\ UNCHANGED <<clocks, handled, last, known, told, max, input, log>>

\* Lines 10 to 16: the manager of a region anticipates when the commit will be there.
AnticipateAt(m, q, now, rtt) ==
    LET at == <<now[1] + rtt, m, now[3]>>
    IN  /\ q.type = "prep-remote" /\ q.dst = m /\ q \in msgs
        /\ ~\E o \in msgs : o.type = "prep-crt" /\ o.t = q.t /\ o.src = m
        /\ now[3] \in Fracs
        /\ Timely => \A n \in NodesOf(Region[m]) : ~Passes(last[n], at)
        /\ last' = [last EXCEPT ![m] = now]
        /\ Send({Msg("prep-crt", q.t, m, n, at) : n \in Participants(q.t) \intersect NodesOf(Region[m])})
        /\ UNCHANGED <<clocks, handled, txn, known, told, max, input, log>>
Anticipate(m, q, time, rtt) == AnticipateAt(m, q, CreateTs(m, time), rtt)

\* Lines 17 to 20. Published: no look at the clock.
HandlePrepCrt(n, m) ==
    LET at == IF "Vote" \in Repairs /\ Passes(last[n], m.ts) THEN <<last[n][1] + 1, n, 0>> ELSE m.ts
    IN  /\ m.type = "prep-crt" /\ m.dst = n
        /\ Handle(m)
        /\ IF known[n][m.t].phase = "none"
           THEN /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "prepared", at |-> at]]
                /\ Send({Msg("vote", m.t, n, Plan[m.t].coord, at)})
           ELSE UNCHANGED <<clocks, known, msgs>>
        /\ UNCHANGED <<clocks, last, txn, told, max, input, log>>

\* Where a CRT may be put that must not lie below top.
CommitStamps(c, top) ==
    IF "Apart" \in Repairs
    THEN {<<time, c, 0>> : time \in {x \in Times : x > top[1] /\ \A u \in Txn : IsCrt(u) => txn[u].ts[1] # x}}
    ELSE {top}

\* Lines 6 to 9, with the votes of got; the coordinator need not wait for all.
Ballots(t) == IF txn[t].phase = "prepared" THEN SUBSET {m \in msgs : m.type = "vote" /\ m.t = t} ELSE {}
CommitCrtAt(t, now, got, ts) ==
    LET c == Plan[t].coord
    IN  /\ IsCrt(t) /\ txn[t].phase = "prepared"
        /\ Quorum(t, {m.src : m \in got})
        /\ MaySet(c, now)
        /\ last' = [last EXCEPT ![c] = now]
        /\ txn' = [txn EXCEPT ![t].phase = "committed", ![t].ts = ts]
        /\ Send({Msg("commit-remote", t, c, n, ts) : n \in Participants(t)})
        /\ UNCHANGED <<clocks, handled, known, told, max, input, log>>
CommitCrt(t, time) ==
    LET c == Plan[t].coord
        now == CreateTs(c, time)
    IN  \E got \in Ballots(t) :
        \E ts \in CommitStamps(c, Latest({m.ts : m \in got} \union {now})) : CommitCrtAt(t, now, got, ts)

\* Lines 21 to 26: from waitQ into readyQ; it stays in waitQ, at its commit timestamp, if inputs are missing (Own).
HandleCommitCrt(n, m) ==
    /\ m.type = "commit-remote" /\ m.dst = n
    /\ Handle(m)
    /\ known' = [known EXCEPT ![n][m.t] = [phase |-> "committed", at |-> m.ts]]
    /\ UNCHANGED <<clocks, msgs, last, txn, told, max, input, log>>

\* A value of another shard arrives (SendOutput, section 5).
HandleOutput(n, m) ==
    /\ m.type = "output" /\ m.dst = n
    /\ Handle(m)
    /\ input' = IF HasInput(n, m.t, m.shard) THEN input
                ELSE [input EXCEPT ![n] = @ \union {<<m.t, m.shard, m.val>>}]
    /\ UNCHANGED <<clocks, msgs, last, txn, known, told, max, log>>

-----------------------------------------------------------------------------
(* Execution (Algorithm 1, lines 21 to 27; 4.3)                            *)

\* The newest value of a node's shard.
Value(n) ==
    LET wrote == {i \in DOMAIN log[n] : log[n][i].wrote}
    IN  IF wrote = {} THEN Nobody ELSE log[n][CHOOSE i \in wrote : \A j \in wrote : j <= i].t

\* What t sees of the shard its writes depend on, at n.
CondValue(n, t) ==
    IF Plan[t].cond = ShardOf(n) THEN Value(n)
    ELSE (CHOOSE v \in input[n] : v[1] = t /\ v[2] = Plan[t].cond)[3]
Applies(n, t) == Plan[t].cond = "" \/ CondValue(n, t) = Nobody

ReadyQ(n) == {t \in DOMAIN known[n] :
                /\ ~InLog(n, t)
                /\ known[n][t].phase = "committed" \/ (known[n][t].phase = "prepared" /\ ~IsCrt(t))}
Before(a, t, b, u) == Less(a, b) \/ ("TieBreak" \in Repairs /\ a = b /\ t < u)

\* The node's own entry of maxTs is its clock as it is now.
Execute(n, t, time) ==
    LET ts == known[n][t].at
        now == IF time = last[n][1] THEN last[n] ELSE CreateTs(n, time)
        s == ShardOf(n)
        entry == [t |-> t, read |-> Value(n), wrote |-> s \in Plan[t].writes /\ Applies(n, t)]
    IN  /\ t \in DOMAIN known[n] /\ known[n][t].phase = "committed" /\ ~InLog(n, t)
        /\ \A u \in ReadyQ(n) : ~Before(known[n][u].at, u, ts, t)
        /\ InputReady(n, t)
        /\ Less(ts, now) /\ \A x \in Peers(n) : Less(ts, max[n][x])
        /\ MaySet(n, now)
        /\ last' = [last EXCEPT ![n] = now]
        /\ log' = [log EXCEPT ![n] = Append(@, entry)]
        /\ Send({[Msg("output", t, n, x, NoTs) EXCEPT !.shard = s, !.val = Value(n)] :
                    x \in UNION {Replicas[d[2]] : d \in {e \in Plan[t].deps : e[1] = s}}}
                \union {[Msg("result", t, n, Plan[t].coord, NoTs) EXCEPT
                            !.shard = s, !.val = Value(n), !.wrote = entry.wrote]})
        /\ UNCHANGED <<clocks, handled, txn, known, told, max, input>>

\* The coordinator has a result of each shard and tells the client.
Reply(t, pick) ==
    LET got == {m \in msgs : m.type = "result" /\ m.t = t /\ m.src = pick[m.shard]}
    IN  /\ txn[t].phase = "committed"
        /\ \A s \in Plan[t].shards : \E m \in got : m.shard = s
        /\ txn' = [txn EXCEPT ![t].phase = "done",
                              ![t].reads = {<<m.shard, m.val>> : m \in got},
                              ![t].writes = {m.shard : m \in {o \in got : o.wrote}}]
        /\ UNCHANGED <<clocks, msgs, handled, last, known, told, max, input, log>>

Next ==
    \/ \E t \in Txn, time \in Times : CoordIrt(t, time)
    \/ \E n \in Node, m \in msgs : HandlePrepare(n, m)
    \/ \E t \in Txn : CommitIrt(t)
    \/ \E n \in Node, m \in msgs : HandleCommit(n, m)
    \/ \E x \in Node \union Manager, n \in Node, time \in Times : Announce(x, n, time)
    \/ \E x \in Node \union Manager, time \in Times : Tell(x, time)
    \/ \E n \in Node \union Manager, m \in clocks : Hear(n, m)
    \/ \E t \in Txn : CoordCrt(t)
    \/ \E m \in Manager, q \in msgs, time \in Times, rtt \in Rtts : Anticipate(m, q, time, rtt)
    \/ \E n \in Node, m \in msgs : HandlePrepCrt(n, m)
    \/ \E t \in Txn, time \in Times : CommitCrt(t, time)
    \/ \E n \in Node, m \in msgs : HandleCommitCrt(n, m)
    \/ \E n \in Node, m \in msgs : HandleOutput(n, m)
    \/ \E n \in Node, t \in Txn, time \in Times : Execute(n, t, time)
    \/ \E t \in Txn : \E pick \in [Plan[t].shards -> Node] : Reply(t, pick)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

Stamped == {t \in Txn : txn[t].ts # NoTs}
Position(n, t) == CHOOSE i \in DOMAIN log[n] : log[n][i].t = t

\* Lemma 1: who executes a transaction has executed all relevant ones with smaller timestamps.
Lemma1Inv ==
    \A n \in Node : \A i \in DOMAIN log[n] : \A u \in Stamped :
        n \in Participants(u) /\ Before(txn[u].ts, u, txn[log[n][i].t].ts, log[n][i].t) =>
            \E j \in 1 .. i - 1 : log[n][j].t = u

\* R2 (4.6): nobody would have to abort a CRT, since nothing later has been executed before it.
NoLateCommitInv ==
    \A n \in Node : \A t \in Stamped : IsCrt(t) /\ n \in Participants(t) /\ ~InLog(n, t) =>
        \A i \in DOMAIN log[n] : ~Before(txn[t].ts, t, txn[log[n][i].t].ts, log[n][i].t)

\* 3.2: no two transactions have the same timestamp (with TieBreak they are told apart by their numbers).
UniqueInv == \A t, u \in Stamped : t # u => txn[t].ts # txn[u].ts

\* Proposition 1, one copy: the replicas of a shard execute the same in the same order.
OneCopyInv ==
    \A s \in Shard : \A n, x \in Replicas[s] : \A i \in DOMAIN log[n] \intersect DOMAIN log[x] :
        log[n][i] = log[x][i]

Written(t) ==
    IF txn[t].phase = "done" THEN txn[t].writes
    ELSE LET ran == {n \in Participants(t) : InLog(n, t)}
         IN  {s \in Plan[t].writes : \A n \in ran : ShardOf(n) = s => log[n][Position(n, t)].wrote}
Begun == {t \in Txn : txn[t].phase # "new"}
Explained(before) ==
    SerializableIn(Done, Begun \ Done, [t \in Txn |-> txn[t].reads], [t \in Txn |-> Written(t)], Nobody, before)
RealTime == UNION {{<<u, t>> : u \in txn[t].after} : t \in Txn}
Together(t, u) == Regions(t) \intersect Regions(u) # {}

\* Proposition 1, as clients see it.
SerializableInv == Explained({})

\* No stale reads (3.1, 4.5), as clients see it: the order keeps real time between transactions that share a region.
NoStaleReadInv == Explained({p \in RealTime : Together(p[1], p[2])})

\* Strict serializability, which section 4.5 does not promise.
StrictInv == Explained(RealTime)

\* Proposition 2: of two transactions that share a region, the one that starts after the other finished is later.
Prop2Inv == \A p \in RealTime : Together(p[1], p[2]) /\ p[2] \in Stamped =>
    Before(txn[p[1]].ts, p[1], txn[p[2]].ts, p[2])

\* 4.1: all participants agree on whether a transaction's writes are applied.
AtomicInv ==
    \A t \in Txn : \A n, x \in Participants(t) :
        /\ InLog(n, t) /\ InLog(x, t) /\ ShardOf(n) \in Plan[t].writes /\ ShardOf(x) \in Plan[t].writes
        => log[n][Position(n, t)].wrote = log[x][Position(x, t)].wrote

\* 4.1: a conditional abort is what the client's read of that shard says.
ConditionInv ==
    \A t \in Done : Plan[t].cond # "" =>
        \E r \in txn[t].reads : /\ r[1] = Plan[t].cond
                               /\ txn[t].writes = IF r[2] = Nobody THEN Plan[t].writes ELSE {}

\* R1 (4.6): no IRT has a timestamp above that of a CRT that waits for another region.
R1Inv ==
    \A t \in Stamped : ~IsCrt(t) =>
        \A n \in Participants(t) : ~InLog(n, t) =>
            \A x \in NodesOf(Region[n]) : \A w \in Own(x) : ~Passes(txn[t].ts, w[3])

\* R3 (4.6): nothing about a CRT leaves the regions that take part (and its coordinator's).
R3Inv ==
    \A m \in msgs : IsCrt(m.t) => Region[m.src] \in InvolvedTable[m.t] /\ Region[m.dst] \in InvolvedTable[m.t]

\* R1: an IRT ends without any message from another region (TwoPhaseAnticipationLive: LocalSpec).
IrtLive == \A t \in Txn : ~IsCrt(t) => <>(txn[t].phase = "done")

\* R2: a CRT ends (TwoPhaseAnticipationLive: FairSpec).
CrtLive == \A t \in Txn : IsCrt(t) => <>(txn[t].phase = "done")

-----------------------------------------------------------------------------
(* Reachability                                                            *)

\* A stretched clock stamped an IRT below a CRT that waits.
StretchedReach == \E t \in Stamped : /\ ~IsCrt(t) /\ txn[t].ts[3] > 0
                                     /\ \E n \in Participants(t) : InLog(n, t) /\ Own(n) # {}
\* A committed CRT waits for its input, and an IRT went ahead of it.
WaitingReach == \E n \in Node : \E w \in Own(n) :
    known[n][w[1]].phase = "committed" /\ \E i \in DOMAIN log[n] : ~IsCrt(log[n][i].t)
AllDoneReach == Done = Txn
\* A conditional abort.
AbortReach == \E t \in Done : Plan[t].cond # "" /\ txn[t].writes = {} /\ Plan[t].writes # {}
\* A replica learned of a committed CRT from its peer.
NotifiedReach == \E n \in Node : \E t \in DOMAIN known[n] :
    /\ IsCrt(t) /\ InLog(n, t)
    /\ ~\E m \in msgs : m.type = "vote" /\ m.t = t /\ m.src = n
=============================================================================
