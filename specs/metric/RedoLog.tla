------------------------------- MODULE RedoLog -------------------------------
(***************************************************************************)
(* Do populate, execution on the local database, local commit, append to   *)
(* the redo log and clearing of the local tx-queue give clients strict     *)
(* serializability, whatever crashes in between (Metric paper, sections    *)
(* 3.2, 3.3 and 4)?                                                        *)
(*                                                                         *)
(* Modelled: Metric processes with a durable local database and a durable  *)
(* local tx-queue in it; the redo log; appends that are half done; crash   *)
(* and restart of a process, and of its local database in the middle of a  *)
(* transaction, between any two steps; forced release of locks (lease      *)
(* over, or a holder wrongly taken for failed, who is not told); requests  *)
(* and replies that arrive late or never; nacks; retries at another        *)
(* process; read-only transactions; transactions that come query by query  *)
(* (Led); release after any number of transactions.                        *)
(* Assumed, not checked: the EC store's guarantees (EntryConsistency) and  *)
(* own() as repaired (Ownership), taken as one step that makes a new log   *)
(* entry when all locks needed are free; a process is single-threaded      *)
(* (section 3.2); disks of local databases survive.                        *)
(* Merged steps: a crash and its restart (a process that is down is one    *)
(* that takes no step).                                                    *)
(* Out of scope: how own() keeps earlier queries' tables (Ownership),      *)
(* schema changes, background population.                                  *)
(*                                                                         *)
(* A table is one record. A request writes its own number, so retries of   *)
(* it write the same values. A request counts once, however often the      *)
(* service replica sent it: what section 3.3 calls retrying "the entire    *)
(* transaction" is the client's one transaction.                           *)
(*                                                                         *)
(* Readings                                                                *)
(*   TargetSet  "accessed": the table-set has every table that the query   *)
(*              reads or writes (section 3.1, Listing 1's example);        *)
(*              "modified": only those it modifies (section 3.2's          *)
(*              definition)                                                *)
(*   Leftover   what happens to records left in the local tx-queue by a    *)
(*              transaction that was not finished: "append": the next      *)
(*              commit writes them too, since it writes what the local     *)
(*              tx-queue holds; "discard": they are deleted when the       *)
(*              process restarts or returns a nack                         *)
(* Repairs                                                                 *)
(*   readCheck  a read-only transaction ends with a critical operation on  *)
(*              its entry, so a preempted owner returns a nack             *)
(*   rebuild    populate replaces a table's records; it doesn't just apply *)
(*              the log to what is there                                   *)
(*   discard    the local tx-queue is emptied on restart and on a nack     *)
(*   dedupe     the log keeps each request's identity and results; a       *)
(*              process that finds a request in the log returns them and   *)
(*              doesn't execute it again                                   *)
(*   unknown    once the append has been sent, a failure is reported as    *)
(*              "outcome unknown", not as failed                           *)
(*   unbroken   (of Ownership, for Led) a later query's own() returns a    *)
(*              nack when a table that was read was taken over since       *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
  \* Metric processes.
  \* @type: Set(Int);
  Procs,
  \* Records, one a table.
  \* @type: Set(Str);
  Keys,
  \* Work[r]: what request r reads and writes.
  \* @type: Int -> { reads: Set(Str), writes: Set(Str) };
  Work,
  \* How often a service replica sends one request at most.
  \* @type: Int;
  MaxAttempts,
  \* Transactions come query by query, in any parts: a site leads them, and may give them up. They read what they write.
  \* @type: Bool;
  Led,
  \* Reading: "accessed" or "modified".
  \* @type: Str;
  TargetSet,
  \* Reading: "append" or "discard".
  \* @type: Str;
  Leftover,
  \* A process that waits for a lock or an append may give up and return a nack (section 3.3).
  \* @type: Bool;
  Timeouts,
  \* Forced releases that may happen.
  \* @type: Int;
  MaxExpiries,
  \* Crashes that may happen.
  \* @type: Int;
  MaxCrashes,
  \* Repairs in force.
  \* @type: Set(Str);
  Repairs

VARIABLES
  \* The redo log's entries in order of ownership, as stored at a quorum; `sent` is a half-done append.
  \* @type: Seq({ tables: Set(Str), lock: Int, queue: Seq({ req: Int, keys: Set(Str), reads: Set(<<Str, Int>>) }), sent: Seq({ req: Int, keys: Set(Str), reads: Set(<<Str, Int>>) }) });
  log,
  \* pc[p]: the handler that p runs next (volatile).
  \* @type: Int -> Str;
  pc,
  \* job[p]: the request and attempt that p works on (volatile).
  \* @type: Int -> { req: Int, att: Int };
  job,
  \* mine[p]: the log entry whose lock p believes it holds, 0 for none (volatile).
  \* @type: Int -> Int;
  mine,
  \* owned[p]: the tables that p believes it owns (volatile).
  \* @type: Int -> Set(Str);
  owned,
  \* fresh[p]: tables acquired and not yet populated (volatile).
  \* @type: Int -> Set(Str);
  fresh,
  \* result[p]: what the running transaction has read (volatile).
  \* @type: Int -> Set(<<Str, Int>>);
  result,
  \* db[p][k]: the committed record in p's local database (durable).
  \* @type: Int -> (Str -> Int);
  db,
  \* localQueue[p]: the local tx-queue, written by triggers in the same local transaction (durable).
  \* @type: Int -> Seq({ req: Int, keys: Set(Str), reads: Set(<<Str, Int>>) });
  localQueue,
  \* calls: requests on their way to a process.
  \* @type: Set({ req: Int, att: Int, proc: Int });
  calls,
  \* replies: answers on their way to service replicas; a growing set, since each may arrive late or never.
  \* @type: Set({ req: Int, att: Int, kind: Str, reads: Set(<<Str, Int>>) });
  replies,
  \* client[r]: what r's service replica knows. `open`: an earlier attempt ended without a definite answer.
  \* @type: Int -> { status: Str, att: Int, open: Bool, reads: Set(<<Str, Int>>), after: Set(Int) };
  client,
  \* Forced releases and crashes so far: bounds the model.
  \* @type: { expiries: Int, crashes: Int };
  faults

volatile == <<pc, job, mine, owned, fresh, result>>
durable  == <<db, localQueue>>
network  == <<calls, replies>>
vars     == <<log, volatile, durable, network, client, faults>>

Requests == DOMAIN Work
Nobody   == 0
NoJob    == [req |-> 0, att |-> 0]
ReadOnly(r) == Work[r].writes = {}

Repaired(name) == name \in Repairs

Init ==
  /\ log = <<[tables |-> Keys, lock |-> Nobody, queue |-> <<>>, sent |-> <<>>]>>
  /\ pc = [p \in Procs |-> "idle"]
  /\ job = [p \in Procs |-> NoJob]
  /\ mine = [p \in Procs |-> 0]
  /\ owned = [p \in Procs |-> {}]
  /\ fresh = [p \in Procs |-> {}]
  /\ result = [p \in Procs |-> {}]
  /\ db = [p \in Procs |-> [k \in Keys |-> 0]]
  /\ localQueue = [p \in Procs |-> <<>>]
  /\ calls = {} /\ replies = {}
  /\ client = [r \in Requests |-> [status |-> "new", att |-> 0, open |-> FALSE, reads |-> {}, after |-> {}]]
  /\ faults = [expiries |-> 0, crashes |-> 0]

-------------------------------------------------------------------------------
(* The redo log *)

\* The latest entry that contains table k: whoever holds its lock owns k.
Latest(k) == CHOOSE e \in DOMAIN log : k \in log[e].tables /\ \A f \in DOMAIN log : k \in log[f].tables => f <= e

\* The topmost value of record k in the entries up to `last` that contain its table; 0 when there is none.
TopmostTo(k, last) ==
  LET with == {e \in DOMAIN log : e <= last /\ k \in log[e].tables
                                   /\ \E i \in DOMAIN log[e].queue : k \in log[e].queue[i].keys}
  IN  IF with = {} THEN 0
      ELSE LET e  == CHOOSE e \in with : \A f \in with : f <= e
               is == {i \in DOMAIN log[e].queue : k \in log[e].queue[i].keys}
           IN  log[e].queue[CHOOSE i \in is : \A j \in is : j <= i].req
Topmost(k) == TopmostTo(k, Len(log))

\* Where the log has request r: entry and position.
Logged(r) ==
  UNION {{<<e, i>> : i \in {j \in DOMAIN log[e].queue : log[e].queue[j].req = r}} : e \in DOMAIN log}

\* The part of it that p has read or written: its own entry and those that this one follows. A process that
\* was preempted doesn't see what came after it.
Known(p, r)      == {x \in Logged(r) : x[1] <= mine[p] /\ log[x[1]].queue[x[2]].keys \intersect owned[p] # {}}
KnownValue(p, k) == TopmostTo(k, mine[p])

-------------------------------------------------------------------------------
(* Service replicas *)

Completed == {r \in Requests : client[r].status = "ok"}

\* The request is sent for the first time.
Submit(r, p) ==
  /\ client[r].status = "new"
  /\ calls' = calls \union {[req |-> r, att |-> 1, proc |-> p]}
  /\ client' = [client EXCEPT ![r] = [@ EXCEPT !.status = "waiting", !.att = 1, !.after = Completed]]
  /\ UNCHANGED <<log, volatile, durable, replies, faults>>

\* No answer in time, or a nack: the whole transaction again, at any process.
Retry(r, p) ==
  /\ client[r].status \in {"waiting", "failed", "unknown"}
  /\ client[r].att < MaxAttempts
  /\ calls' = calls \union {[req |-> r, att |-> client[r].att + 1, proc |-> p]}
  /\ client' = [client EXCEPT ![r] = [@ EXCEPT !.status = "waiting", !.att = @ + 1,
                                               !.open = @ \/ client[r].status # "failed"]]
  /\ UNCHANGED <<log, volatile, durable, replies, faults>>

\* The answer to the last attempt; the connection of an earlier one is closed.
ReceiveReply(m) ==
  LET r == m.req
  IN  /\ client[r].status = "waiting" /\ m.att = client[r].att
      /\ client' = [client EXCEPT ![r] =
                      [@ EXCEPT !.status = CASE m.kind = "ok" -> "ok"
                                             [] m.kind = "failed" /\ ~client[r].open -> "failed"
                                             [] OTHER -> "unknown",
                                !.reads = m.reads]]
      /\ UNCHANGED <<log, volatile, durable, network, faults>>

-------------------------------------------------------------------------------
(* Metric process p *)

\* The store would accept a critical operation of p on its entry.
HoldsLock(p) == mine[p] # 0 /\ log[mine[p]].lock = p

Target(r) == IF TargetSet = "accessed" THEN Work[r].reads \union Work[r].writes ELSE Work[r].writes

\* What the queries of p's transaction have read so far, and what a query still may.
Used(p)   == {x[1] : x \in result[p]}
Unread(p) == Work[job[p].req].reads \ Used(p)

\* p takes up a request.
ReceiveCall(p, m) ==
  /\ m \in calls /\ m.proc = p /\ pc[p] = "idle"
  /\ calls' = calls \ {m}
  /\ job' = [job EXCEPT ![p] = [req |-> m.req, att |-> m.att]]
  /\ \/ pc' = [pc EXCEPT ![p] = IF Target(m.req) \subseteq owned[p] THEN "execute" ELSE "own"]
     \/ /\ Led /\ Work[m.req].reads \intersect owned[p] # {}
        /\ pc' = [pc EXCEPT ![p] = "execute"]
  /\ UNCHANGED <<log, mine, owned, fresh, result, durable, replies, client, faults>>

\* The tables that own() may be for: of a later query with those of the earlier ones (repair hold of Ownership).
Needs(p) ==
  LET target == Target(job[p].req)
  IN  IF Led THEN {S \in SUBSET target : Used(p) \subseteq S /\ ~(S \subseteq owned[p])} ELSE {target}

\* own() as repaired: p gives up what it has and gets the latest entries of the target, if their locks
\* are free. Each half-done append to them has now happened, or never will; applied: one has.
OwnTables(p, applied, need) ==
  LET olds  == {Latest(k) : k \in need}
      half  == {e \in olds : log[e].sent # <<>>}
      after(come) == [e \in DOMAIN log |->
                        [log[e] EXCEPT
                           !.lock  = IF @ = p THEN Nobody ELSE @,
                           !.queue = IF e \in come THEN @ \o log[e].sent ELSE @,
                           !.sent  = IF e \in half THEN <<>> ELSE @]]
  IN  /\ pc[p] = "own"
      /\ \A e \in olds : log[e].lock \in {Nobody, p}
      /\ Repaired("unbroken") => \A k \in Used(p) : Latest(k) = mine[p]
      /\ \E come \in SUBSET half :
           /\ applied = (come # {})
           /\ log' = Append(after(come), [tables |-> need, lock |-> p, queue |-> <<>>, sent |-> <<>>])
      /\ mine' = [mine EXCEPT ![p] = Len(log) + 1]
      /\ owned' = [owned EXCEPT ![p] = need]
      /\ fresh' = [fresh EXCEPT ![p] = {k \in need : Used(p) = {} \/ Latest(k) # mine[p]}]
      /\ pc' = [pc EXCEPT ![p] = "populate"]
      /\ UNCHANGED <<job, result, durable, network, client, faults>>
Own(p, applied) == pc[p] = "own" /\ \E need \in Needs(p) : OwnTables(p, applied, need)

\* The local database gets the records of the tables just acquired (persisted).
Populate(p) ==
  /\ pc[p] = "populate"
  /\ db' = [db EXCEPT ![p] =
              [k \in Keys |-> IF k \in fresh[p] /\ (KnownValue(p, k) # 0 \/ Repaired("rebuild"))
                              THEN KnownValue(p, k) ELSE @[k]]]
  /\ fresh' = [fresh EXCEPT ![p] = {}]
  /\ pc' = [pc EXCEPT ![p] = "execute"]
  /\ UNCHANGED <<log, job, mine, owned, result, localQueue, network, client, faults>>

\* Queries run in a local transaction that is still open, and read `part`, maybe the last.
ExecutePart(p, part) ==
  LET r    == job[p].req
      last == part = Unread(p) /\ (Led => Target(r) \subseteq owned[p])
  IN  /\ pc[p] = "execute"
      /\ ~(Repaired("dedupe") /\ Known(p, r) # {})
      /\ result' = [result EXCEPT ![p] = @ \union {<<k, db[p][k]>> : k \in part}]
      /\ IF last
         THEN pc' = [pc EXCEPT ![p] = IF ~ReadOnly(r) THEN "localCommit"
                                      ELSE IF Repaired("readCheck") THEN "check" ELSE "reply"]
         ELSE \/ ~(Target(r) \subseteq owned[p]) /\ pc' = [pc EXCEPT ![p] = "own"]
              \/ (Unread(p) \ part) \intersect owned[p] # {} /\ UNCHANGED pc
      /\ UNCHANGED <<log, job, mine, owned, fresh, durable, network, client, faults>>
Execute(p) == pc[p] = "execute" /\
  \E part \in IF Led THEN SUBSET (Unread(p) \intersect owned[p]) \ {{}} ELSE {Unread(p)} : ExecutePart(p, part)

\* Repair dedupe: the request is in the log already; its results go to the client.
AnswerFromLog(p) ==
  LET r == job[p].req
  IN  /\ pc[p] = "execute"
      /\ Repaired("dedupe") /\ Known(p, r) # {}
      /\ \E x \in Known(p, r) : result' = [result EXCEPT ![p] = log[x[1]].queue[x[2]].reads]
      /\ pc' = [pc EXCEPT ![p] = "reply"]
      /\ UNCHANGED <<log, job, mine, owned, fresh, durable, network, client, faults>>

\* Repair readCheck: a critical operation on p's entry at the end of a read-only transaction.
CheckRead(p) ==
  /\ pc[p] = "check"
  /\ HoldsLock(p)
  /\ pc' = [pc EXCEPT ![p] = "reply"]
  /\ UNCHANGED <<log, job, mine, owned, fresh, result, durable, network, client, faults>>

\* The local database commits; the triggers' records are part of it (persisted).
LocalCommit(p) ==
  LET r == job[p].req
  IN  /\ pc[p] = "localCommit"
      /\ db' = [db EXCEPT ![p] = [k \in Keys |-> IF k \in Work[r].writes THEN r ELSE @[k]]]
      /\ localQueue' = [localQueue EXCEPT ![p] =
                          Append(@, [req |-> r, keys |-> Work[r].writes, reads |-> result[p]])]
      /\ pc' = [pc EXCEPT ![p] = "append"]
      /\ UNCHANGED <<log, job, mine, owned, fresh, result, network, client, faults>>

\* Critical put of the local tx-queue to p's entry, sent. A preempted process learns at its end that the
\* store refuses it.
SendAppend(p) ==
  /\ pc[p] = "append"
  /\ log' = IF HoldsLock(p) THEN [log EXCEPT ![mine[p]].sent = localQueue[p]] ELSE log
  /\ pc' = [pc EXCEPT ![p] = "appending"]
  /\ UNCHANGED <<job, mine, owned, fresh, result, durable, network, client, faults>>

\* A quorum has it: the commit point.
AppendDone(p) ==
  /\ pc[p] = "appending"
  /\ HoldsLock(p)
  /\ log' = [log EXCEPT ![mine[p]] = [@ EXCEPT !.queue = @ \o log[mine[p]].sent, !.sent = <<>>]]
  /\ pc' = [pc EXCEPT ![p] = "clear"]
  /\ UNCHANGED <<job, mine, owned, fresh, result, durable, network, client, faults>>

\* The local tx-queue is emptied (persisted).
ClearLocalQueue(p) ==
  /\ pc[p] = "clear"
  /\ localQueue' = [localQueue EXCEPT ![p] = <<>>]
  /\ pc' = [pc EXCEPT ![p] = "reply"]
  /\ UNCHANGED <<log, job, mine, owned, fresh, result, db, network, client, faults>>

\* Success goes to the service replica.
ReplyOk(p) ==
  /\ pc[p] = "reply"
  /\ replies' = replies \union {[req |-> job[p].req, att |-> job[p].att, kind |-> "ok", reads |-> result[p]]}
  /\ pc' = [pc EXCEPT ![p] = "idle"]
  /\ job' = [job EXCEPT ![p] = NoJob]
  /\ result' = [result EXCEPT ![p] = {}]
  /\ UNCHANGED <<log, mine, owned, fresh, durable, calls, client, faults>>

\* What p forgets when it returns a nack or crashes. It must not touch the entry any more (section 3.3).
Forget(p) ==
  /\ pc' = [pc EXCEPT ![p] = "idle"]
  /\ job' = [job EXCEPT ![p] = NoJob]
  /\ mine' = [mine EXCEPT ![p] = 0]
  /\ owned' = [owned EXCEPT ![p] = {}]
  /\ fresh' = [fresh EXCEPT ![p] = {}]
  /\ result' = [result EXCEPT ![p] = {}]
  /\ localQueue' = IF Leftover = "discard" \/ Repaired("discard")
                   THEN [localQueue EXCEPT ![p] = <<>>] ELSE localQueue

\* p returns a nack: the store rejected an operation, or there was no answer in time, or the local
\* database failed or refused to commit, or the site gives up what it leads (or isn't heard of any more).
Nack(p) ==
  /\ \/ pc[p] \in {"check", "appending"} /\ ~HoldsLock(p)
     \/ pc[p] \in {"own", "localCommit", "append", "appending"} /\ Timeouts
     \/ pc[p] \in {"own", "populate", "execute"} /\ Led
  /\ replies' = replies \union
       {[req |-> job[p].req, att |-> job[p].att, reads |-> {},
         kind |-> IF pc[p] = "appending" /\ Repaired("unknown") THEN "unknown" ELSE "failed"]}
  /\ Forget(p)
  /\ UNCHANGED <<log, db, calls, client, faults>>

\* p gives its tables back, after any number of transactions (alpha).
ReleaseOwnership(p) ==
  /\ pc[p] = "idle" /\ mine[p] # 0
  /\ log' = IF HoldsLock(p) THEN [log EXCEPT ![mine[p]].lock = Nobody] ELSE log
  /\ mine' = [mine EXCEPT ![p] = 0]
  /\ owned' = [owned EXCEPT ![p] = {}]
  /\ UNCHANGED <<pc, job, fresh, result, durable, network, client, faults>>

\* p crashes and is restarted: an open local transaction is rolled back, its locks stay.
CrashProcess(p) ==
  /\ faults.crashes < MaxCrashes
  /\ pc[p] # "idle" \/ mine[p] # 0
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ Forget(p)
  /\ UNCHANGED <<log, db, network, client>>

\* The EC store takes an entry's lock away. The holder isn't told.
ExpireLock(e) ==
  /\ faults.expiries < MaxExpiries
  /\ log[e].lock # Nobody
  /\ log' = [log EXCEPT ![e].lock = Nobody]
  /\ faults' = [faults EXCEPT !.expiries = @ + 1]
  /\ UNCHANGED <<volatile, durable, network, client>>

Next ==
  \/ \E r \in Requests, p \in Procs : Submit(r, p)
  \/ \E r \in Requests, p \in Procs : Retry(r, p)
  \/ \E m \in replies : ReceiveReply(m)
  \/ \E p \in Procs, m \in calls : ReceiveCall(p, m)
  \/ \E p \in Procs, applied \in BOOLEAN : Own(p, applied)
  \/ \E p \in Procs : Populate(p)
  \/ \E p \in Procs : Execute(p)
  \/ \E p \in Procs : AnswerFromLog(p)
  \/ \E p \in Procs : CheckRead(p)
  \/ \E p \in Procs : LocalCommit(p)
  \/ \E p \in Procs : SendAppend(p)
  \/ \E p \in Procs : AppendDone(p)
  \/ \E p \in Procs : ClearLocalQueue(p)
  \/ \E p \in Procs : ReplyOk(p)
  \/ \E p \in Procs : Nack(p)
  \/ \E p \in Procs : ReleaseOwnership(p)
  \/ \E p \in Procs : CrashProcess(p)
  \/ \E e \in DOMAIN log : ExpireLock(e)

Spec == Init /\ [][Next]_vars

\* Everybody takes steps, answers arrive, locks whose holder has forgotten them run out, clients retry
\* what got no answer or a nack. Nothing obliges a process to time out.
Stuck(r) ==
  \/ client[r].status \in {"failed", "unknown"}
  \/ /\ client[r].status = "waiting"
     /\ \A m \in calls : m.req # r
     /\ \A p \in Procs : job[p].req # r
     /\ \A m \in replies : m.req = r => m.att # client[r].att
Orphaned(e) == log[e].lock # Nobody /\ mine[log[e].lock] # e

Fairness ==
  /\ \A r \in Requests :
       /\ WF_vars(\E p \in Procs : Submit(r, p))
       /\ WF_vars(Stuck(r) /\ \E p \in Procs : Retry(r, p))
  /\ WF_vars(\E m \in replies : ReceiveReply(m))
  /\ WF_vars(\E e \in DOMAIN log : Orphaned(e) /\ ExpireLock(e))
  /\ \A p \in Procs :
       /\ SF_vars(\E m \in calls : ReceiveCall(p, m))
       /\ SF_vars(\E applied \in BOOLEAN : Own(p, applied))
       /\ WF_vars(Populate(p)) /\ WF_vars(Execute(p)) /\ WF_vars(AnswerFromLog(p)) /\ WF_vars(CheckRead(p))
       /\ WF_vars(LocalCommit(p)) /\ WF_vars(SendAppend(p)) /\ WF_vars(AppendDone(p))
       /\ WF_vars(ClearLocalQueue(p)) /\ WF_vars(ReplyOk(p)) /\ WF_vars(ReleaseOwnership(p))
       /\ WF_vars(pc[p] \in {"check", "appending"} /\ Nack(p))

FairSpec == Spec /\ Fairness

-------------------------------------------------------------------------------
(* Claims *)

TypeInv ==
  /\ \A p \in Procs :
       /\ pc[p] \in {"idle", "own", "populate", "execute", "check", "localCommit", "append", "appending",
                     "clear", "reply"}
       /\ mine[p] \in 0..Len(log)
       /\ owned[p] \subseteq Keys
       /\ db[p] \in [Keys -> Requests \union {0}]
  /\ \A r \in Requests : client[r].status \in {"new", "waiting", "ok", "failed", "unknown"}

Judged(rs) ==
  LET ok   == rs \intersect Completed
      open == {r \in rs : client[r].status \in {"waiting", "unknown"}}
  IN  StrictSerializable(ok, open,
                         [r \in rs |-> IF r \in ok THEN client[r].reads ELSE {}],
                         [r \in rs |-> Work[r].writes], 0,
                         UNION {{<<s, r>> : s \in client[r].after \intersect rs} : r \in ok \union open})

\* MET-SS (claimed, sections 1 and 4): strict serializability of all requests as their clients saw them.
StrictSerializabilityInv == Judged(Requests)
\* The same for the requests that write something (ours: tells which claim read-only ones break).
UpdatesSerializableInv == Judged({r \in Requests : ~ReadOnly(r)})

\* MET-FAIL (implied, 3.2 "returns failure" and Definition 3): a failed transaction has no effect.
FailedHasNoEffectInv == \A r \in Requests : client[r].status = "failed" => Logged(r) = {}

\* MET-RETRY (implied, 3.3): however often it is sent, a request takes effect at most once.
AtMostOnceInv == \A r \in Requests : Cardinality(Logged(r)) <= 1

\* MET-INV1 (claimed, section 4, Invariant 1): the latest value of an owned record, by Definition 3 that of
\* the last successful write, is topmost in the log; a write that may still succeed may be above it.
LatestRecordInLogInv ==
  \A k \in Keys : log[Latest(k)].lock # Nobody =>
    LET v == Topmost(k)
    IN  /\ v # 0 => client[v].status # "failed"
        /\ \A r \in Completed : k \in Work[r].writes => v = r \/ (v # 0 /\ v \notin client[r].after)

\* MET-LATEST (claimed, section 4, Latest-Record Property): what an owner would read now is the latest value.
OwnerReadsLatestInv ==
  \A p \in Procs : pc[p] \in {"idle", "execute"} /\ HoldsLock(p) =>
    \A k \in owned[p] : db[p][k] = Topmost(k)

\* MET-DUR (claimed, 3.2, commit point): what was acknowledged is in the log.
AcknowledgedIsLoggedInv == \A r \in Completed : ~ReadOnly(r) => Logged(r) # {}

\* MET-LIVE (implied, 3.3): every request eventually succeeds, if failures are few.
RequestsLive == \A r \in Requests : <>(client[r].status = "ok")

\* A request succeeded at its second attempt.
RetriedReach == \E r \in Completed : client[r].att = 2 /\ ~ReadOnly(r)
\* An append that its process gave up on was finished for it by the next owner.
RolledForwardReach == \E r \in Requests : client[r].status = "unknown" /\ Logged(r) # {}
\* A preempted process still believes that it owns what another one owns.
TwoBelieversReach == \E p, q \in Procs : p # q /\ owned[p] \intersect owned[q] # {}
===============================================================================
