---------------------------- MODULE TraceOwnership ----------------------------
(***************************************************************************)
(* Steps Ownership along a log of Metric processes.                        *)
(*                                                                         *)
(* What events say: docs/mapping.md. Plan is what BeginTxn and StartQuery  *)
(* say. What no logged state shows follows from the actions, such as lock, *)
(* tset and dir.                                                           *)
(*                                                                         *)
(* The log has no step for a lock that the store takes away: the holder    *)
(* isn't told, and its operations are served until the next holder has     *)
(* synchronized. It is read where it shows: with the lock that another     *)
(* process gets (Take), or the step that is rejected (Lose): so a process  *)
(* that is rejected without a reason is not noticed. An end of an          *)
(* operation that the log has after such a lock is read before it, if the  *)
(* operation had started (MetricReading).                                  *)
(* Clients are no nodes: a transaction is there when a process takes it up *)
(* (Arrives); one that got a nack comes again as another.                  *)
(* A transaction commits by one append, also if it only reads. Records are *)
(* not compared: RedoLog compares those of transactions of one query; of   *)
(* those of several no log is judged for what they read, nor whether an    *)
(* answer from the redo log is the transaction's own.                      *)
(* Where a site leads a transaction, its queries are those that the log    *)
(* has up to its end. Populate is the answer that the tables are owned; a  *)
(* query is executed when the site asks for what comes after it. Tables    *)
(* that initialization has not listed share entries (FirstEntry).          *)
(* Four steps are not the module's: a put is sent under a lock that was    *)
(* lost (TooLate); a process gives a transaction up since its database     *)
(* refuses, which is read as a crash: locks stay until they are taken      *)
(* (GiveUp); the same where the site that leads it does, anywhere in it    *)
(* (RollBack); and a process answers from the redo log (Answered).         *)
(* Forgotten (Trim), since no later event of the log can tell the          *)
(* difference: transactions that are over, records, and entries that no    *)
(* table's key names or is about to name, and that no process refers to.   *)
(***************************************************************************)
EXTENDS Ownership

\* What an event says is what others have said.
Agrees(says, others) == says \in others /\ UNCHANGED vars

\* A client's transaction reaches p: the nth of the plans.
Arrives(p, nth) ==
  /\ next' = [next EXCEPT ![p] = nth]
  /\ id' = [id EXCEPT ![p] = 0]
  /\ UNCHANGED <<logVars, dirVars, pc, ownVars, db, query, reads, put, hist, faults>>

\* on: the table or the entry whose lock the event says it is about; asked: the step began with an answer.
TraceLockNew(p, on)       == on = mine[p] /\ LockNew(p)
TraceLockDirectory(p, on) == on = table[p] /\ \E applied \in BOOLEAN : LockDirectory(p, applied)
TraceLockFound(p, on, asked) ==
  on = found[p] /\ asked = (found[p] \notin held[p]) /\ \E applied \in BOOLEAN : LockFound(p, applied)
TraceAddDone(p, on)       == on = mine[p] /\ AddDone(p)
TracePointDone(p, on)     == on = table[p] /\ PointDone(p)
TraceCommitPut(p, e, on)  == on = e /\ CommitPut(p, e)
TraceStartQuery(p, number) == query[p] = number /\ StartQuery(p)

\* The store has taken away the lock that p gets now.
TakeDirectory(p) ==
  /\ dirLock' = [dirLock EXCEPT ![table[p]] = IF @ = p THEN p ELSE Nobody]
  /\ UNCHANGED <<logVars, dir, dirPut, pc, ownVars, txnVars, hist, faults>>
TakeEntry(p) ==
  /\ lock' = IF found[p] \in held[p] THEN lock ELSE [lock EXCEPT ![found[p]] = IF @ = p THEN p ELSE Nobody]
  /\ UNCHANGED <<tset, adding, prev, queue, dirVars, pc, ownVars, txnVars, hist, faults>>

\* The store has taken away the lock under which p is refused.
Lose(p) ==
  LET under == CASE pc[p] \in {"add", "adding"} -> {mine[p]} [] pc[p] = "commit" -> Queues(p) [] OTHER -> {}
  IN  /\ lock' = [e \in Entries |-> IF e \in under /\ lock[e] = p THEN Nobody ELSE lock[e]]
      /\ dirLock' = IF pc[p] \in {"point", "pointing"} THEN [dirLock EXCEPT ![table[p]] = IF @ = p THEN Nobody ELSE @]
                    ELSE dirLock
      /\ UNCHANGED <<tset, adding, prev, queue, dir, dirPut, pc, ownVars, txnVars, hist, faults>>

\* p sends a put under a lock that it has lost, which does nothing (EntryConsistency); p will be told.
TooLate(p, now) ==
  /\ pc' = [pc EXCEPT ![p] = now]
  /\ UNCHANGED <<logVars, dirVars, ownVars, txnVars, hist, faults>>
TraceAddTable(p)       == AddTable(p) \/ (pc[p] = "add" /\ lock[mine[p]] # p /\ TooLate(p, "adding"))
TracePointDirectory(p) == PointDirectory(p) \/ (pc[p] = "point" /\ dirLock[table[p]] # p /\ TooLate(p, "pointing"))

\* A process that has nothing forgets the name of its last entry.
TraceCrash(p) ==
  \/ CrashProcess(p)
  \/ pc[p] = "idle" /\ held[p] = {} /\ Abandon(p) /\ UNCHANGED <<lock, dirLock, faults>>

\* p's database refuses; p gives everything back.
GiveUp(p) == pc[p] \in {"execute", "commit"} /\ CrashProcess(p)

\* The site that leads p's transaction gives it up, or isn't heard of any more.
RollBack(p) == pc[p] # "idle" /\ CrashProcess(p)

\* p has found the transaction in the redo log, and keeps its tables.
Answered(p) ==
  /\ pc[p] = "execute"
  /\ pc' = [pc EXCEPT ![p] = "idle"]
  /\ reads' = [reads EXCEPT ![p] = [T \in {} |-> 0]]
  /\ query' = [query EXCEPT ![p] = 1]
  /\ UNCHANGED <<logVars, dirVars, ownVars, db, next, put, id, hist, faults>>

\* Without what no later event needs.
Trim ==
  LET ids     == {id[p] : p \in Procs} \ {0}
      rank(i) == Cardinality({j \in ids : j <= i})
      known   == {NoEntry} \union {dir[T] : T \in Tables} \union {dirPut[T] : T \in Tables}
                 \union UNION {{mine[p], found[p]} \union held[p] \union put[p] \union {via[p][T] : T \in Tables}
                               \union {keys[p][T].entry : T \in DOMAIN keys[p]} : p \in Procs}
      keep    == Entries \intersect known
  IN  /\ lock' = [e \in keep |-> lock[e]]
      /\ tset' = [e \in keep |-> tset[e]]
      /\ adding' = [e \in keep |-> adding[e]]
      /\ prev' = [e \in keep |-> [T \in Tables |-> IF prev[e][T] \in keep THEN prev[e][T] ELSE NoEntry]]
      /\ queue' = [e \in keep |-> <<>>]
      /\ db' = [p \in Procs |-> [T \in Tables |-> 0]]
      /\ id' = [p \in Procs |-> IF id[p] = 0 THEN 0 ELSE rank(id[p])]
      /\ hist' = [n \in 1..Cardinality(ids) |-> [status |-> "unknown", reads |-> {}, writes |-> {}, after |-> {}]]
      /\ UNCHANGED <<dirVars, pc, ownVars, next, query, reads, put, faults>>

-------------------------------------------------------------------------------
(* The state that an event logged is the specification's                   *)

StateShows(p, pcLogged, mineLogged, wantLogged, tableLogged, foundLogged, heldLogged, viaLogged, keysLogged,
           freshLogged) ==
  /\ pc[p] = pcLogged
  /\ mine[p] = mineLogged
  /\ want[p] = wantLogged
  /\ table[p] = tableLogged
  /\ found[p] = foundLogged
  /\ held[p] = heldLogged
  /\ Owned(p) = DOMAIN viaLogged /\ \A T \in Owned(p) : via[p][T] = viaLogged[T]
  /\ DOMAIN keys[p] = DOMAIN keysLogged /\ \A T \in DOMAIN keys[p] : keys[p][T] = keysLogged[T]
  /\ fresh[p] = freshLogged
  /\ UNCHANGED vars
===============================================================================
