-------------------------------- MODULE Mvto --------------------------------
(***************************************************************************)
(* K2-MVTO: multi-version timestamp ordering with one timestamp per        *)
(* transaction, taken at its start (K2, sections 5.1 to 5.3).              *)
(*                                                                         *)
(* Modelled                                                                *)
(*  - interactive transactions: reads one at a time, writes without        *)
(*    waiting, commit when every write is acknowledged (5.2, phase 1, 2);  *)
(*  - data nodes with a read version tracker and a write stream per key    *)
(*    (5.1), the conflict checks of 5.2, PUSHWS to transaction recorders;  *)
(*  - recorders on data nodes, a record being created with the first write *)
(*    (5.2); commit in one round; asynchronous finalization;               *)
(*  - failure of coordinators, recorders and data nodes, detected rightly  *)
(*    or wrongly (5.3); recorders replaced under a fenced storage.         *)
(*  - a network that loses, duplicates, delays and reorders (3): msgs only *)
(*    grows and any member may be handled at any time, any number of       *)
(*    times, or never. A retransmission therefore is no step.              *)
(*                                                                         *)
(* Assumed, not checked                                                    *)
(*  - Invariant 4.1, which TimestampBatching establishes: a timestamp is   *)
(*    above those of all transactions whose clients were told before this  *)
(*    one's client began;                                                  *)
(*  - no two timestamps are equal (4.3), which TimestampBatching           *)
(*    establishes with the repair NameIssuer;                              *)
(*  - the lease protocol for data nodes (5.3: orthogonal): the old owner   *)
(*    of a key has stopped before the new one starts;                      *)
(*  - shared storage loses nothing that it acknowledged.                   *)
(*                                                                         *)
(* Out of scope: cross-region replication and epochs (EpochVisibility).    *)
(*                                                                         *)
(* Readings (figures 9 and 10, pseudocode, are not in the text)            *)
(*  - the reader's timestamp enters the tracker when the read request is   *)
(*    handled (TrackAt = "request") or when a value is returned            *)
(*    (TrackAt = "reply", with the version chosen at the request);         *)
(*  - a write below the tracker aborts; equal is the transaction itself;   *)
(*  - a recorder that is asked about a transaction that it has no record   *)
(*    of holds the answer like for any undecided one.                      *)
(*                                                                         *)
(* ts is immutable once given, so handlers read ts[t] where the message    *)
(* would carry it.                                                         *)
(***************************************************************************)
EXTENDS ClientHistory

CONSTANTS
    \* @type: Set(TXN);
    Txns,
    \* @type: Set(KEY);
    Keys,
    \* Where each key and the recorder of transactions that first write it live.
    \* @type: KEY -> NODE;
    Home,
    \* Stands for the initial value of every key.
    \* @type: TXN;
    NoTxn,
    \* @type: KEY;
    NoKey,
    \* "request" or "reply": when the read tracker is raised.
    \* @type: Str;
    TrackAt,
    \* The failures that may happen: a subset of AllFaults.
    \* @type: Set(Str);
    Faults,
    \* Does the storage refuse the writes of a replaced recorder (5.3)?
    \* @type: Bool;
    Fencing,
    \* Deviations from the published protocol.
    \* @type: Set(Str);
    Repairs

AllFaults == {"coordinator", "suspicion", "recorder", "datanode", "abort"}

(***************************************************************************)
(* ReadFloor      a recovered data node starts its read trackers at a      *)
(*                timestamp that no transaction in flight exceeds.         *)
(* PushRegisters  a PUSHWS about an unknown transaction creates its record.*)
(***************************************************************************)
AllRepairs == {"ReadFloor", "PushRegisters"}

VARIABLES
    \* The timestamp of each transaction, 0 before it has one.
    \* @type: TXN -> Int;
    ts,
    \* The coordinator's volatile state: phase, the key being read, what was read
    \* (<<key, writer>>), the keys written and those acknowledged.
    \* @type: TXN -> { phase: Str, reading: KEY, reads: Set(<<KEY, TXN>>), writes: Set(KEY), acked: Set(KEY) };
    txn,
    \* The first key written, which says where the recorder is; write intents carry it.
    \* @type: TXN -> KEY;
    first,
    \* Read version tracker of each key: highest timestamp that read it. Volatile.
    \* @type: KEY -> Int;
    tracker,
    \* Write stream and committed versions of each key. In shared storage.
    \* @type: KEY -> Set({ writer: TXN, status: Str });
    versions,
    \* Reads that wait at a data node for the decision on a writer. Volatile.
    \* @type: Set({ t: TXN, k: KEY, on: TXN });
    waiting,
    \* Transaction records: none, pending, committed, aborted. In shared storage.
    \* @type: TXN -> Str;
    record,
    \* PUSHWS requests that a recorder holds: transaction asked about, key. Volatile.
    \* @type: Set({ t: TXN, k: KEY });
    held,
    \* What a replaced recorder that still runs believes, "" where there is none.
    \* @type: TXN -> Str;
    expelled,
    \* Messages sent so far.
    \* @type: Set({ type: Str, t: TXN, k: KEY, v: TXN, s: Str });
    msgs,
    \* What clients were told, in order.
    \* @type: Seq({ t: TXN, outcome: Str });
    told,
    \* How many notifications happened before this transaction's client began.
    \* @type: TXN -> Int;
    seen

coordinatorVars == <<ts, txn, first, told, seen>>
dataNodeVars == <<tracker, versions, waiting>>
recorderVars == <<record, held, expelled>>
vars == <<coordinatorVars, dataNodeVars, recorderVars, msgs>>

Idle == [phase |-> "idle", reading |-> NoKey, reads |-> {}, writes |-> {}, acked |-> {}]
InitialVersion == [writer |-> NoTxn, status |-> "committed"]

Init ==
    /\ ts = [t \in Txns |-> 0]
    /\ txn = [t \in Txns |-> Idle]
    /\ first = [t \in Txns |-> NoKey]
    /\ tracker = [k \in Keys |-> 0]
    /\ versions = [k \in Keys |-> {InitialVersion}]
    /\ waiting = {}
    /\ record = [t \in Txns |-> "none"]
    /\ held = {}
    /\ expelled = [t \in Txns |-> ""]
    /\ msgs = {}
    /\ told = << >>
    /\ seen = [t \in Txns |-> 0]

Message(type, t, k, v, s) == [type |-> type, t |-> t, k |-> k, v |-> v, s |-> s]
Request(type, t, k) == Message(type, t, k, NoTxn, "")
Send(ms) == msgs' = msgs \union ms
Max(a, b) == IF a >= b THEN a ELSE b
Decided == {"committed", "aborted"}

-----------------------------------------------------------------------------
(* Coordinators (5.2; Figure 9)                                            *)

\* A client begins after p notifications and gets timestamp n. Invariant 4.1:
\* n is above the timestamps of the transactions that committed before.
Begin(t, n, p) ==
    /\ ts[t] = 0
    /\ \A u \in Txns : ts[u] # n
    /\ \A i \in 1 .. p : told[i].outcome = "committed" => ts[told[i].t] < n
    /\ ts' = [ts EXCEPT ![t] = n]
    /\ seen' = [seen EXCEPT ![t] = p]
    /\ txn' = [txn EXCEPT ![t].phase = "running"]
    /\ UNCHANGED <<first, told, dataNodeVars, recorderVars, msgs>>

Running(t) == txn[t].phase = "running" /\ txn[t].reading = NoKey

\* A coordinator answers reads of its own writes itself, so it asks only for others.
IssueRead(t, k) ==
    /\ Running(t)
    /\ k \notin txn[t].writes
    /\ \A r \in txn[t].reads : r[1] # k
    /\ txn' = [txn EXCEPT ![t].reading = k]
    /\ Send({Request("read", t, k)})
    /\ UNCHANGED <<ts, first, told, seen, dataNodeVars, recorderVars>>

HandleReadReply(m) ==
    /\ m \in msgs /\ m.type = "readReply"
    /\ txn[m.t].phase = "running" /\ txn[m.t].reading = m.k
    /\ txn' = [txn EXCEPT ![m.t].reading = NoKey, ![m.t].reads = @ \union {<<m.k, m.v>>}]
    /\ UNCHANGED <<ts, first, told, seen, dataNodeVars, recorderVars, msgs>>

\* Writes are sent without waiting for the acknowledgement of earlier ones.
IssueWrite(t, k) ==
    /\ Running(t)
    /\ k \notin txn[t].writes
    /\ txn' = [txn EXCEPT ![t].writes = @ \union {k}]
    /\ first' = IF first[t] = NoKey THEN [first EXCEPT ![t] = k] ELSE first
    /\ Send({Request("write", t, k)})
    /\ UNCHANGED <<ts, told, seen, dataNodeVars, recorderVars>>

\* A refused write aborts the transaction (5.2, read-write conflict).
HandleWriteReply(m) ==
    /\ m \in msgs /\ m.type = "writeReply"
    /\ txn[m.t].phase = "running" /\ m.k \in txn[m.t].writes \ txn[m.t].acked
    /\ IF m.s = "ok"
       THEN /\ txn' = [txn EXCEPT ![m.t].acked = @ \union {m.k}]
            /\ UNCHANGED msgs
       ELSE /\ txn' = [txn EXCEPT ![m.t].phase = "aborting", ![m.t].reading = NoKey]
            /\ Send({Request("abort", m.t, first[m.t])})
    /\ UNCHANGED <<ts, first, told, seen, dataNodeVars, recorderVars>>

\* Phase 2. A transaction without writes needs no recorder. The commit wait is
\* over here: that is what Begin assumes of told.
RequestCommit(t) ==
    /\ Running(t)
    /\ txn[t].writes = txn[t].acked
    /\ txn[t].reads # {} \/ txn[t].writes # {}
    /\ IF txn[t].writes = {}
       THEN /\ txn' = [txn EXCEPT ![t].phase = "done"]
            /\ told' = Append(told, [t |-> t, outcome |-> "committed"])
            /\ UNCHANGED msgs
       ELSE /\ txn' = [txn EXCEPT ![t].phase = "committing"]
            /\ Send({Request("commit", t, first[t])})
            /\ UNCHANGED told
    /\ UNCHANGED <<ts, first, seen, dataNodeVars, recorderVars>>

\* The client rolls back, or the coordinator loses patience.
RequestAbort(t) ==
    /\ "abort" \in Faults
    /\ txn[t].phase = "running"
    /\ txn[t].writes # {}
    /\ txn' = [txn EXCEPT ![t].phase = "aborting", ![t].reading = NoKey]
    /\ Send({Request("abort", t, first[t])})
    /\ UNCHANGED <<ts, first, told, seen, dataNodeVars, recorderVars>>

\* Phase 3: the client is told, and the write intents are finalized later.
HandleDecision(m) ==
    /\ m \in msgs /\ m.type = "decision"
    /\ txn[m.t].phase \in {"committing", "aborting"}
    /\ txn' = [txn EXCEPT ![m.t].phase = "done"]
    /\ told' = Append(told, [t |-> m.t, outcome |-> m.s])
    /\ Send({Message("finalize", m.t, k, NoTxn, m.s) : k \in txn[m.t].writes})
    /\ UNCHANGED <<ts, first, seen, dataNodeVars, recorderVars>>

\* 5.3: coordinators are stateless; what they held is gone and the client hears nothing.
CoordinatorFail(t) ==
    /\ "coordinator" \in Faults
    /\ txn[t].phase \in {"running", "committing", "aborting"}
    /\ txn' = [txn EXCEPT ![t].phase = "lost", ![t].reading = NoKey]
    /\ UNCHANGED <<ts, first, told, seen, dataNodeVars, recorderVars, msgs>>

-----------------------------------------------------------------------------
(* Data nodes (5.2; Figure 10)                                             *)

TsOf(w) == IF w = NoTxn THEN 0 ELSE ts[w]

\* The version that a read at timestamp n meets first: the newest not above n.
Newest(vs, n) == CHOOSE v \in vs : /\ TsOf(v.writer) <= n
                                   /\ \A u \in vs : TsOf(u.writer) <= n => TsOf(u.writer) <= TsOf(v.writer)

\* Readable at once: committed, or the reader's own.
Readable(v, t) == v.status = "committed" \/ v.writer = t

Push(t, k, w) == Message("push", w, k, t, "")
ReadReply(t, k, w) == Message("readReply", t, k, w, "")

HandleRead(m) ==
    LET v == Newest(versions[m.k], ts[m.t])
        raised == [tracker EXCEPT ![m.k] = Max(@, ts[m.t])] IN
    /\ m \in msgs /\ m.type = "read"
    /\ IF Readable(v, m.t)
       THEN /\ tracker' = raised
            /\ Send({ReadReply(m.t, m.k, v.writer)})
            /\ UNCHANGED waiting
       ELSE /\ tracker' = IF TrackAt = "request" THEN raised ELSE tracker
            /\ waiting' = waiting \union {[t |-> m.t, k |-> m.k, on |-> v.writer]}
            /\ Send({Request("push", v.writer, m.k)})
    /\ UNCHANGED <<coordinatorVars, versions, recorderVars>>

\* A write intent is created unless a later reader has already missed it. The
\* first write of a transaction creates its record, on the same node. A repeated
\* write finds its version and is acknowledged again.
HandleWrite(m) ==
    LET known == \E v \in versions[m.k] : v.writer = m.t
        refused == ~known /\ ts[m.t] < tracker[m.k]
        intent == [writer |-> m.t, status |-> "intent"] IN
    /\ m \in msgs /\ m.type = "write"
    /\ versions' = IF known \/ refused THEN versions
                   ELSE [versions EXCEPT ![m.k] = @ \union {intent}]
    /\ record' = IF ~refused /\ m.k = first[m.t] /\ record[m.t] = "none"
                 THEN [record EXCEPT ![m.t] = "pending"] ELSE record
    /\ Send({Message("writeReply", m.t, m.k, NoTxn, IF refused THEN "refused" ELSE "ok")})
    /\ UNCHANGED <<coordinatorVars, tracker, waiting, held, expelled>>

\* The decision s on writer w reaches key k: the intent becomes a version or goes,
\* and the reads that waited for it go on: to a value, or to the next intent.
Resolve(k, w, s) ==
    LET resolved == IF \E v \in versions[k] : v.writer = w
                    THEN (versions[k] \ {v \in versions[k] : v.writer = w})
                         \union (IF s = "committed" THEN {[writer |-> w, status |-> "committed"]} ELSE {})
                    ELSE versions[k]
        woken == {r \in waiting : r.k = k /\ r.on = w}
        next(r) == IF TrackAt = "reply" /\ s = "committed"
                   THEN [writer |-> w, status |-> "committed"]
                   ELSE Newest(resolved, ts[r.t])
        answered == {r \in woken : Readable(next(r), r.t)}
        again == woken \ answered
        top == {ts[r.t] : r \in answered} IN
    /\ versions' = [versions EXCEPT ![k] = resolved]
    /\ waiting' = (waiting \ woken) \union {[r EXCEPT !.on = next(r).writer] : r \in again}
    /\ tracker' = IF top = {} THEN tracker
                  ELSE [tracker EXCEPT ![k] = Max(@, CHOOSE n \in top : \A i \in top : i <= n)]
    /\ Send({ReadReply(r.t, k, next(r).writer) : r \in answered}
            \union {Request("push", next(r).writer, k) : r \in again})

HandlePushReply(m) ==
    /\ m \in msgs /\ m.type = "pushReply"
    /\ Resolve(m.k, m.t, m.s)
    /\ UNCHANGED <<coordinatorVars, recorderVars>>

HandleFinalize(m) ==
    /\ m \in msgs /\ m.type = "finalize"
    /\ Resolve(m.k, m.t, m.s)
    /\ UNCHANGED <<coordinatorVars, recorderVars>>

\* 5.3: a new data node takes over from shared storage, where versions and intents
\* are; the text does not store read trackers. floor is the timestamp that the
\* repaired node asks for once the old lease is over and a commit wait has passed: by
\* Property 4.1 it is above all that the old node served.
RecoverDataNode(d, floor) ==
    /\ "datanode" \in Faults
    /\ IF "ReadFloor" \in Repairs THEN \A k \in Keys : Home[k] = d => tracker[k] <= floor
                                  ELSE floor = 0
    /\ tracker' = [k \in Keys |-> IF Home[k] = d THEN floor ELSE tracker[k]]
    /\ waiting' = {r \in waiting : Home[r.k] # d}
    /\ UNCHANGED <<coordinatorVars, versions, recorderVars, msgs>>

-----------------------------------------------------------------------------
(* Transaction recorders (5.2, 5.3)                                        *)

PushReply(t, k, s) == Message("pushReply", t, k, NoTxn, s)
Decision(t, s) == Message("decision", t, NoKey, NoTxn, s)

\* The decision s on t is stored, and everyone who waits for it is answered.
Decide(t, s, answer) ==
    /\ record' = [record EXCEPT ![t] = s]
    /\ held' = {h \in held : h.t # t}
    /\ Send({PushReply(t, h.k, s) : h \in {g \in held : g.t = t}} \union answer)
    /\ UNCHANGED <<expelled, coordinatorVars, dataNodeVars>>

\* PUSHWS: answered once there is a decision.
HandlePush(m) ==
    /\ m \in msgs /\ m.type = "push"
    /\ IF record[m.t] \in Decided
       THEN /\ Send({PushReply(m.t, m.k, record[m.t])})
            /\ UNCHANGED <<held, record>>
       ELSE /\ held' = held \union {[t |-> m.t, k |-> m.k]}
            /\ record' = IF "PushRegisters" \in Repairs THEN [record EXCEPT ![m.t] = "pending"] ELSE record
            /\ UNCHANGED msgs
    /\ UNCHANGED <<expelled, coordinatorVars, dataNodeVars>>

HandleCommit(m) ==
    /\ m \in msgs /\ m.type = "commit"
    /\ IF record[m.t] \in Decided
       THEN Send({Decision(m.t, record[m.t])}) /\ UNCHANGED <<coordinatorVars, dataNodeVars, recorderVars>>
       ELSE Decide(m.t, "committed", {Decision(m.t, "committed")})

HandleAbort(m) ==
    /\ m \in msgs /\ m.type = "abort"
    /\ IF record[m.t] \in Decided
       THEN Send({Decision(m.t, record[m.t])}) /\ UNCHANGED <<coordinatorVars, dataNodeVars, recorderVars>>
       ELSE Decide(m.t, "aborted", {Decision(m.t, "aborted")})

\* 5.3: a coordinator is suspected, rightly or not, and its transactions that the
\* recorder knows of are aborted for good.
SuspectCoordinator(t) ==
    /\ "suspicion" \in Faults
    /\ record[t] = "pending"
    /\ Decide(t, "aborted", {})

\* 5.3: another node becomes the recorder on d; what the old one held is gone, and
\* the old one may go on running without noticing. Fenced, all it can do is to repeat
\* decisions, which never change; so only the unfenced variant keeps its belief.
ReplaceRecorder(d) ==
    /\ "recorder" \in Faults
    /\ LET mine(t) == first[t] # NoKey /\ Home[first[t]] = d IN
       /\ held' = {h \in held : ~mine(h.t)}
       /\ expelled' = IF Fencing THEN expelled
                      ELSE [t \in Txns |-> IF mine(t) THEN record[t] ELSE expelled[t]]
    /\ UNCHANGED <<record, coordinatorVars, dataNodeVars, msgs>>

\* A replaced recorder tries to commit. Fenced, its write is refused and nothing happens.
ExpelledCommit(m) ==
    /\ ~Fencing
    /\ m \in msgs /\ m.type = "commit"
    /\ expelled[m.t] = "pending"
    /\ expelled' = [expelled EXCEPT ![m.t] = "committed"]
    /\ record' = [record EXCEPT ![m.t] = "committed"]
    /\ Send({Decision(m.t, "committed")})
    /\ UNCHANGED <<held, coordinatorVars, dataNodeVars>>

-----------------------------------------------------------------------------
Next ==
    \/ \E t \in Txns, n \in 1 .. Cardinality(Txns), p \in 0 .. Len(told) : Begin(t, n, p)
    \/ \E t \in Txns, k \in Keys : IssueRead(t, k)
    \/ \E t \in Txns, k \in Keys : IssueWrite(t, k)
    \/ \E t \in Txns : RequestCommit(t)
    \/ \E t \in Txns : RequestAbort(t)
    \/ \E t \in Txns : CoordinatorFail(t)
    \/ \E m \in msgs : HandleReadReply(m)
    \/ \E m \in msgs : HandleWriteReply(m)
    \/ \E m \in msgs : HandleDecision(m)
    \/ \E m \in msgs : HandleRead(m)
    \/ \E m \in msgs : HandleWrite(m)
    \/ \E m \in msgs : HandlePushReply(m)
    \/ \E m \in msgs : HandleFinalize(m)
    \/ \E d \in {Home[k] : k \in Keys} : \E floor \in 0 .. Cardinality(Txns) : RecoverDataNode(d, floor)
    \/ \E m \in msgs : HandlePush(m)
    \/ \E m \in msgs : HandleCommit(m)
    \/ \E m \in msgs : HandleAbort(m)
    \/ \E t \in Txns : SuspectCoordinator(t)
    \/ \E d \in {Home[k] : k \in Keys} : ReplaceRecorder(d)
    \/ \E m \in msgs : ExpelledCommit(m)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Claims                                                                  *)

Outcome(t) == {told[i].outcome : i \in {j \in DOMAIN told : told[j].t = t}}
Committed == {t \in Txns : "committed" \in Outcome(t)}
\* Transactions whose clients were not told and that may have taken effect.
Unknown == {t \in Txns : Outcome(t) = {} /\ record[t] = "committed"}

\* <<t, u>>: t's client was told before u's client began.
Before == UNION {{<<told[i].t, u>> : i \in 1 .. seen[u]} : u \in Txns}
Reads == [t \in Txns |-> txn[t].reads]
Writes == [t \in Txns |-> txn[t].writes]

\* 3: strict serializability, as clients see it.
StrictSerializabilityInv ==
    Committed # {} => StrictSerializable(Committed, Unknown, Reads, Writes, NoTxn, Before)

\* Invariant 5.1: committed transactions are serialized in timestamp order: a read
\* returned the newest committed version below the reader's timestamp.
Inv51Inv == \A t \in Committed : \A r \in txn[t].reads :
    /\ r[2] # NoTxn => record[r[2]] = "committed" /\ ts[r[2]] < ts[t]
    /\ \A u \in Txns : (record[u] = "committed" /\ r[1] \in txn[u].writes /\ u # t /\ ts[u] < ts[t])
                       => ts[u] <= TsOf(r[2])

\* A decision is never taken back (5.3: aborted transactions will not be committed).
DecisionStep == [][\A t \in Txns : record[t] \in Decided => record'[t] = record[t]]_vars

\* What clients were told is what was decided.
ToldInv == \A i \in DOMAIN told : txn[told[i].t].writes # {} => told[i].outcome = record[told[i].t]

\* 5.2, 5.4: no deadlock. A read waits only for an older transaction, so no waits form a cycle.
WaitsForOlderInv == \A r \in waiting : ts[r.on] < ts[r.t]

\* 5.2: a write is refused only because of a read with a larger timestamp, never
\* because of another write. (With ReadFloor a failover may refuse too: check this
\* claim without the fault "datanode".)
NoWriteWriteAbortInv == \A m \in msgs : (m.type = "writeReply" /\ m.s = "refused") =>
    \E q \in msgs : q.type = "read" /\ q.k = m.k /\ ts[q.t] > ts[m.t]

\* A commit request always finds the record that the first write created.
CommitFindsRecordInv == \A m \in msgs : m.type = "commit" => record[m.t] # "none"

\* Every read is answered, or its transaction is over.
ReadAnsweredLive == \A t \in Txns : [](txn[t].reading # NoKey => <>(txn[t].reading = NoKey))

\* What must go on happening for ReadAnsweredLive: messages to data nodes, recorders
\* and coordinators are handled in the end, and a coordinator that failed is suspected.
Fairness ==
    /\ \A t \in Txns : WF_vars(txn[t].phase = "lost" /\ SuspectCoordinator(t))
    /\ \A t \in Txns, k \in Keys : WF_vars(\E m \in msgs : m.t = t /\ m.k = k /\ HandleRead(m))
    /\ \A t \in Txns, k \in Keys : WF_vars(\E m \in msgs : m.t = t /\ m.k = k /\ HandleWrite(m))
    /\ \A t \in Txns, k \in Keys : WF_vars(\E m \in msgs : m.t = t /\ m.k = k /\ HandlePush(m))
    /\ \A t \in Txns, k \in Keys : WF_vars(\E m \in msgs : m.t = t /\ m.k = k /\ HandlePushReply(m))
    /\ \A t \in Txns : WF_vars(\E m \in msgs : m.t = t /\ HandleReadReply(m))
    /\ \A t \in Txns : WF_vars(\E m \in msgs : m.t = t /\ HandleWriteReply(m))
    /\ \A t \in Txns : WF_vars(\E m \in msgs : m.t = t /\ HandleDecision(m))
    /\ \A t \in Txns : WF_vars(\E m \in msgs : m.t = t /\ HandleCommit(m))
    /\ \A t \in Txns : WF_vars(\E m \in msgs : m.t = t /\ HandleAbort(m))
    /\ \A t \in Txns : WF_vars(RequestCommit(t))
FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* Reachability                                                            *)

WaitedReach == \E t, u \in Committed : ts[u] < ts[t] /\ \E m \in msgs : m.type = "push" /\ m.t = u
                                       /\ \E r \in txn[t].reads : r[2] = u
RefusedReach == \E m \in msgs : m.type = "writeReply" /\ m.s = "refused"
OldWriteReach == \E t, u \in Committed : \E k \in txn[t].writes \cap txn[u].writes :
    ts[t] < ts[u] /\ \E i, j \in DOMAIN told : told[i].t = u /\ told[j].t = t /\ i < j
UnknownReach == Unknown # {} /\ \E t \in Committed : \E r \in txn[t].reads : r[2] \in Unknown
\* Two writes of a key are undecided at a time: neither waits for the other.
TwoIntentsReach == \E k \in Keys : \E u, v \in versions[k] : u # v /\ u.status = "intent" /\ v.status = "intent"
\* A client that knows of a transaction has read what it wrote: real time counts.
KnownReadReach == \E t, u \in Committed : <<t, u>> \in Before /\ \E r \in txn[u].reads : r[2] = t
SuspectedWronglyReach == \E t \in Txns : record[t] = "aborted" /\ txn[t].phase = "committing"
=============================================================================
