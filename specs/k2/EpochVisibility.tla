--------------------------- MODULE EpochVisibility ---------------------------
(***************************************************************************)
(* K2-VCR: which versions a reader at a replica sees (K2, section 6).      *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - every data node cuts epochs by itself, not before the promised time  *)
(*    (Property 6.1, which EpochCut establishes); several at once are as   *)
(*    many cuts with nothing between, and so are their replays;            *)
(*  - each write answers with its node's epoch; the recorder takes the     *)
(*    maximum of those and of its own node's epoch (6.3);                  *)
(*  - each data node's log is replayed at a replica of its own, cut by     *)
(*    cut, as late as one likes (3, 6.4);                                  *)
(*  - linearizable and snapshot reads there: the ceiling epoch of the read *)
(*    timestamp, then timestamp order inside that view, with PUSHWS for    *)
(*    undecided writes (6.4);                                              *)
(*  - transactions that read and write at the primaries meanwhile, so that *)
(*    readers at replicas are judged together with them.                   *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - Property 4.1 (TimestampBatching): a timestamp lies after the real    *)
(*    time at which it is given and before the end of its transaction,     *)
(*    and no two are equal (4.3, with the repair NameIssuer);              *)
(*  - the rules of Mvto, applied in one step each: a read takes the newest *)
(*    version below its timestamp and waits while that is undecided; a     *)
(*    write below the read tracker aborts.                                 *)
(*                                                                         *)
(* Out of scope: failover of data nodes (Mvto); epochs survive it because  *)
(* cuts are in the node's log.                                             *)
(*                                                                         *)
(* Readings (figures 10 and 13 are not in the text): an epoch n covers     *)
(* real time up to n*Interval; a write is in the view of epoch n if it     *)
(* entered the node's log before cut n; the commit epoch of a write that   *)
(* the view does not show as decided comes with the answer to PUSHWS.      *)
(***************************************************************************)
EXTENDS ClientHistory

CONSTANTS
    \* Transactions at the primaries.
    \* @type: Set(TXN);
    Txns,
    \* Read-only transactions at the replicas.
    \* @type: Set(TXN);
    Readers,
    \* @type: Set(KEY);
    Keys,
    \* The data node of each key; its recorder is there too.
    \* @type: KEY -> NODE;
    Home,
    \* Stands for the initial value of every key, and for no transaction.
    \* @type: TXN;
    NoTxn,
    \* @type: KEY;
    NoKey,
    \* Length of an epoch, in ticks.
    \* @type: Int;
    Interval,
    \* How far above real time a timestamp may be when it is given, in ticks.
    \* @type: Int;
    Lead,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

(***************************************************************************)
(* CloseEpochs   the commit epoch is that of the writes alone, and where   *)
(*               it is above the ceiling epoch of the timestamp (a write   *)
(*               came too late for its epoch) the recorder aborts.         *)
(***************************************************************************)
AllRepairs == {"CloseEpochs"}

VARIABLES
    \* Real time, in ticks.
    \* @type: Int;
    now,
    \* The epoch that each data node is in; cut n ended epoch n.
    \* @type: NODE -> Int;
    epoch,
    \* How many cuts of each node's log its replica has replayed.
    \* @type: NODE -> Int;
    replayed,
    \* Timestamp of every transaction and reader, 0 before it has one.
    \* @type: TXN -> Int;
    ts,
    \* running, committing, done; what a transaction read, and what it wrote.
    \* @type: TXN -> { phase: Str, reads: Set(<<KEY, TXN>>), writes: Set(KEY) };
    txn,
    \* The first key written: where the recorder is.
    \* @type: TXN -> KEY;
    first,
    \* The write intents of each key, with the node's epoch when they were created (6.3).
    \* @type: KEY -> Set({ writer: TXN, epoch: Int });
    versions,
    \* Read tracker of each key at its primary.
    \* @type: KEY -> Int;
    tracker,
    \* Transaction records; epoch is the commit epoch.
    \* @type: TXN -> { status: Str, epoch: Int };
    record,
    \* Clients that were told, in order.
    \* @type: Seq(TXN);
    told,
    \* How many were told before this one's client began.
    \* @type: TXN -> Int;
    seen

primaryVars == <<txn, first, versions, tracker, record>>
vars == <<now, epoch, replayed, ts, primaryVars, told, seen>>

All == Txns \union Readers
Nodes == {Home[k] : k \in Keys}
Idle == [phase |-> "idle", reads |-> {}, writes |-> {}]

Init ==
    /\ now = 0
    /\ epoch = [n \in Nodes |-> 1]
    /\ replayed = [n \in Nodes |-> 0]
    /\ ts = [t \in All |-> 0]
    /\ txn = [t \in All |-> Idle]
    /\ first = [t \in Txns |-> NoKey]
    /\ versions = [k \in Keys |-> {}]
    /\ tracker = [k \in Keys |-> 0]
    /\ record = [t \in Txns |-> [status |-> "none", epoch |-> 0]]
    /\ told = << >>
    /\ seen = [t \in All |-> 0]

\* The ceiling epoch of a timestamp (6.4): the least n with timestamp <= n*Interval.
Ceiling(n) == (n + Interval - 1) \div Interval
MaxOf(S) == CHOOSE n \in S : \A i \in S : i <= n
Max(a, b) == MaxOf({a, b})

Tick ==
    /\ now' = now + 1
    /\ UNCHANGED <<epoch, replayed, ts, primaryVars, told, seen>>

-----------------------------------------------------------------------------
(* Epochs and their replay                                                 *)

\* A node ends its epoch, after the promised time (Property 6.1).
Cut(n) ==
    /\ now > epoch[n] * Interval
    /\ epoch' = [epoch EXCEPT ![n] = @ + 1]
    /\ UNCHANGED <<now, replayed, ts, primaryVars, told, seen>>

\* The replica of n replays the log up to the next cut.
Replay(n) ==
    /\ replayed[n] < epoch[n] - 1
    /\ replayed' = [replayed EXCEPT ![n] = @ + 1]
    /\ UNCHANGED <<now, epoch, ts, primaryVars, told, seen>>

-----------------------------------------------------------------------------
(* Transactions at the primaries (Mvto in one step each)                   *)

\* A timestamp n is given to a client that begins now.
Start(t, n) ==
    /\ ts[t] = 0
    /\ \A u \in All : ts[u] # n
    /\ ts' = [ts EXCEPT ![t] = n]
    /\ seen' = [seen EXCEPT ![t] = Len(told)]
    /\ txn' = [txn EXCEPT ![t].phase = "running"]

Begin(t, n) ==
    /\ t \in Txns
    /\ n \in now + 1 .. now + Lead
    /\ Start(t, n)
    /\ UNCHANGED <<now, epoch, replayed, first, versions, tracker, record, told>>

TsOf(w) == IF w = NoTxn THEN 0 ELSE ts[w]

\* The writers of vs below timestamp n that a reader may not pass over.
Candidates(vs, n) == {w \in {v.writer : v \in vs} : ts[w] < n /\ record[w].status # "aborted"}

\* The newest writer in S, or the initial value.
NewestOf(S) == IF S = {} THEN NoTxn ELSE CHOOSE w \in S : \A u \in S : ts[u] <= ts[w]

PrimaryRead(t, k) ==
    LET w == NewestOf(Candidates(versions[k], ts[t])) IN
    /\ t \in Txns /\ txn[t].phase = "running" /\ k \notin txn[t].writes
    /\ \A r \in txn[t].reads : r[1] # k
    /\ w # NoTxn => record[w].status = "committed"
    /\ txn' = [txn EXCEPT ![t].reads = @ \union {<<k, w>>}]
    /\ tracker' = [tracker EXCEPT ![k] = Max(@, ts[t])]
    /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, record, told, seen>>

\* The write enters the node's log in the node's present epoch; below the read
\* tracker it aborts its transaction.
PrimaryWrite(t, k) ==
    LET refused == ts[t] < tracker[k] IN
    /\ t \in Txns /\ txn[t].phase = "running" /\ k \notin txn[t].writes
    /\ IF refused
       THEN /\ record' = [record EXCEPT ![t].status = "aborted"]
            /\ txn' = [txn EXCEPT ![t].phase = "done"]
            /\ UNCHANGED <<first, versions>>
       ELSE /\ versions' = [versions EXCEPT ![k] = @ \union {[writer |-> t, epoch |-> epoch[Home[k]]]}]
            /\ first' = IF first[t] = NoKey THEN [first EXCEPT ![t] = k] ELSE first
            /\ record' = IF record[t].status = "none" THEN [record EXCEPT ![t].status = "pending"] ELSE record
            /\ txn' = [txn EXCEPT ![t].writes = @ \union {k}]
    /\ UNCHANGED <<now, epoch, replayed, ts, tracker, told, seen>>

\* What the coordinator forwards: the epochs that the writes were answered with.
Proposed(t) == {v.epoch : v \in {u \in UNION {versions[k] : k \in txn[t].writes} : u.writer = t}}

\* The recorder decides and computes the commit epoch (6.3).
Commit(t) ==
    LET closing == "CloseEpochs" \in Repairs
        e == MaxOf(Proposed(t) \union (IF closing THEN {} ELSE {epoch[Home[first[t]]]}))
        tooLate == closing /\ e > Ceiling(ts[t]) IN
    /\ t \in Txns /\ txn[t].phase = "running" /\ record[t].status = "pending"
    /\ record' = [record EXCEPT ![t] = IF tooLate THEN [status |-> "aborted", epoch |-> 0]
                                       ELSE [status |-> "committed", epoch |-> e]]
    /\ txn' = [txn EXCEPT ![t].phase = IF tooLate THEN "done" ELSE "committing"]
    /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, tracker, told, seen>>

\* The coordinator failed, or is thought to have failed.
Abort(t) ==
    /\ t \in Txns /\ record[t].status = "pending"
    /\ record' = [record EXCEPT ![t].status = "aborted"]
    /\ txn' = [txn EXCEPT ![t].phase = "done"]
    /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, tracker, told, seen>>

\* The client is told after the commit wait.
Tell(t) ==
    /\ \/ t \in Txns /\ txn[t].phase = "committing"
       \/ t \in Txns /\ txn[t].phase = "running" /\ txn[t].writes = {} /\ txn[t].reads # {}
       \/ t \in Readers /\ txn[t].phase \in {"running", "snapshot"} /\ txn[t].reads # {}
    /\ txn[t].phase # "snapshot" => now > ts[t]
    /\ txn' = [txn EXCEPT ![t].phase = "done"]
    /\ told' = Append(told, t)
    /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, tracker, record, seen>>

-----------------------------------------------------------------------------
(* Readers at replicas (6.4)                                               *)

\* A linearizable read takes its timestamp from K2-TB.
BeginLinearizable(r, n) ==
    /\ r \in Readers
    /\ n \in now + 1 .. now + Lead
    /\ Start(r, n)
    /\ UNCHANGED <<now, epoch, replayed, first, versions, tracker, record, told>>

\* A snapshot read takes the timestamp that its client names: meant to be past, but
\* clients have no synchronized clock (3). No two timestamps are equal here.
BeginSnapshot(r, n) ==
    /\ r \in Readers
    /\ n \in 1 .. now + Lead
    /\ ts[r] = 0 /\ \A u \in All : ts[u] # n
    /\ ts' = [ts EXCEPT ![r] = n]
    /\ seen' = [seen EXCEPT ![r] = Len(told)]
    /\ txn' = [txn EXCEPT ![r].phase = "snapshot"]
    /\ UNCHANGED <<now, epoch, replayed, first, versions, tracker, record, told>>

\* What the view of epoch e shows of key k: the intents logged before cut e.
View(k, e) == {v \in versions[k] : v.epoch <= e}

\* The newest version below the reader's timestamp whose commit epoch is in the view.
\* Every newer candidate must be decided first (PUSHWS).
ReplicaRead(r, k) ==
    LET e == Ceiling(ts[r])
        candidates == Candidates(View(k, e), ts[r])
        w == NewestOf({u \in candidates : record[u].status = "committed" /\ record[u].epoch <= e}) IN
    /\ r \in Readers /\ txn[r].phase \in {"running", "snapshot"}
    /\ \A q \in txn[r].reads : q[1] # k
    /\ replayed[Home[k]] >= e
    /\ \A u \in candidates : ts[u] > TsOf(w) => record[u].status \in {"committed", "aborted"}
    /\ txn' = [txn EXCEPT ![r].reads = @ \union {<<k, w>>}]
    /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, tracker, record, told, seen>>

Next ==
    \/ Tick
    \/ \E n \in Nodes : Cut(n)
    \/ \E n \in Nodes : Replay(n)
    \/ \E t \in Txns, n \in now + 1 .. now + Lead : Begin(t, n)
    \/ \E t \in Txns, k \in Keys : PrimaryRead(t, k)
    \/ \E t \in Txns, k \in Keys : PrimaryWrite(t, k)
    \/ \E t \in Txns : Commit(t)
    \/ \E t \in Txns : Abort(t)
    \/ \E t \in All : Tell(t)
    \/ \E r \in Readers, n \in now + 1 .. now + Lead : BeginLinearizable(r, n)
    \/ \E r \in Readers, n \in 1 .. now + Lead : BeginSnapshot(r, n)
    \/ \E r \in Readers, k \in Keys : ReplicaRead(r, k)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

Told == {told[i] : i \in DOMAIN told}
Unknown == {t \in Txns \ Told : record[t].status = "committed"}
Before == UNION {{<<told[i], u>> : i \in 1 .. seen[u]} : u \in All}
Reads == [t \in All |-> txn[t].reads]
Writes == [t \in All |-> txn[t].writes]

\* 3, 6: what readers at replicas return fits into one serial order together with
\* the transactions of the primaries.
SerializableInv == Told \cap Readers # {} =>
    Serializable(Told, Unknown, Reads, Writes, NoTxn)

\* 6.4: linearizable readers fit in real time too. (A snapshot read asks for the
\* past; where there is one, only SerializableInv is meant.)
StrictSerializabilityInv == Told \cap Readers # {} =>
    StrictSerializable(Told, Unknown, Reads, Writes, NoTxn, Before)

\* 6.4: a read at a replica is the state at its timestamp: it misses no committed
\* version below it and shows none that is not committed.
ReadAtTimestampInv == \A r \in Readers : \A q \in txn[r].reads :
    /\ q[2] # NoTxn => record[q[2]].status = "committed"
    /\ \A u \in Txns : (record[u].status = "committed" /\ q[1] \in txn[u].writes /\ ts[u] < ts[r])
                       => ts[u] <= TsOf(q[2])

\* Property 6.2: writes of a transaction with commit epoch C are invisible in the
\* views before C and visible from C on.
Prop62Inv == \A r \in Readers : \A q \in txn[r].reads :
    /\ q[2] # NoTxn => record[q[2]].epoch <= Ceiling(ts[r])
    /\ \A u \in Txns : (/\ record[u].status = "committed" /\ q[1] \in txn[u].writes
                        /\ ts[u] < ts[r] /\ record[u].epoch <= Ceiling(ts[r]))
                       => ts[u] <= TsOf(q[2])

\* Invariant 6.1: a reader that sees a transaction also sees those that ended before
\* it began.
Inv61Inv == \A r \in Readers : \A t, u \in Txns :
    (<<t, u>> \in Before /\ \E q \in txn[r].reads : q[2] = u)
    => \A q \in txn[r].reads : (q[1] \in txn[t].writes /\ record[t].status = "committed")
                               => ts[t] <= TsOf(q[2])

\* 6.2, 6.4: no transaction is turned away for the sake of replica readers: only a
\* reader's timestamp or a failure aborts. (The repair gives this up.)
NoEpochAbortStep == [][\A t \in Txns :
    Commit(t) => record'[t].status = "committed"]_vars

-----------------------------------------------------------------------------
(* Reachability                                                            *)

ReplicaSeesReach == \E r \in Readers \cap Told : \E q \in txn[r].reads : q[2] # NoTxn
PushedReach == \E r \in Readers : txn[r].phase = "running" /\ \E k \in Keys :
    /\ replayed[Home[k]] >= Ceiling(ts[r])
    /\ \E u \in Candidates(View(k, Ceiling(ts[r])), ts[r]) : record[u].status = "pending"
\* A reader has read a key, and another one in its view is undecided below its timestamp.
ElsewhereReach == \E r \in Readers : \E q \in txn[r].reads, k \in Keys : k # q[1] /\
    \E u \in Candidates(View(k, Ceiling(ts[r])), ts[r]) : record[u].status = "pending"
EpochsApartReach == \E m, n \in Nodes : epoch[m] > epoch[n] + 1
LateEpochReach == \E t \in Txns : record[t].status = "committed" /\ record[t].epoch > MaxOf(Proposed(t))
\* A snapshot reader's timestamp is above a writer that it sees.
SnapshotSeesReach == \E r \in Readers : txn[r].phase = "snapshot" /\ \E q \in txn[r].reads : q[2] # NoTxn
\* A reader sees a transaction, and another one ended before that one began.
RealTimeReach == \E r \in Readers : \E t, u \in Txns :
    <<t, u>> \in Before /\ record[t].status = "committed" /\ \E q \in txn[r].reads : q[2] = u
\* The same, and the reader has read what the one before has written, under another key.
BothSeenReach == \E r \in Readers : \E t, u \in Txns :
    /\ <<t, u>> \in Before /\ record[t].status = "committed" /\ \E q \in txn[r].reads : q[2] = u
    /\ \E q \in txn[r].reads : q[1] \in txn[t].writes \ txn[u].writes
\* A transaction at the primaries ended before a replica reader began.
WriterBeforeReaderReach == \E t \in Txns, r \in Readers : <<t, r>> \in Before
=============================================================================
