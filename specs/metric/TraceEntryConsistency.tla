-------------------------- MODULE TraceEntryConsistency --------------------------
(***************************************************************************)
(* Steps EntryConsistency along a log, for one key of it. Each key of a    *)
(* log is stepped by itself, the tables' and the redo log's, but those     *)
(* where a client goes on under a reference after it was granted another:  *)
(* the module has one operation a client. Of very many keys of a kind the  *)
(* 1,000 are stepped that the log has most of.                             *)
(*                                                                         *)
(* What events say: docs/mapping.md. writes are the stamps that were sent; *)
(* stored is that of StoreWrite.                                           *)
(*                                                                         *)
(* An answer of a replica is read where it is given. Whether the client    *)
(* gets it in time the log says at the end of the operation, by the        *)
(* replicas that it heard from: until then both may be.                    *)
(* A client that gave a lock up, and did not say so in the log, has when   *)
(* it gets the lock again, or when it crashes.                             *)
(* Values are not compared: writes are known by their stamps.              *)
(* Forgotten, since no later event of the log can tell the difference:     *)
(*  - hist, which only claims read;                                        *)
(*  - writes that are nobody's operation, no replica's newest, and that no *)
(*    replica stores later (Trim).                                         *)
(***************************************************************************)
EXTENDS EntryConsistency

\* What an event says is what others have said.
Agrees(says, others) == says \in others /\ UNCHANGED vars

\* later: stamps of writes that replicas still store, or store again.
Trim(later) ==
  \E keep \in {{w \in writes : w.stamp \in later} \union {Newest(stored[r]) : r \in Replicas}
               \union {op[c].best : c \in {d \in Clients : op[d].kind \in {"put", "syncWrite"}}}} :
    /\ writes' = keep
    /\ stored' = [r \in Replicas |-> stored[r] \intersect keep]
    /\ UNCHANGED <<lockVars, clientVars, promised, hist>>

\* c has forgotten what it had.
BeforeGrant(c) ==
  /\ ref' = [ref EXCEPT ![c] = 0]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lastRef, holder, forced, clock, count, storeVars, hist>>
TraceAcquireLock(c, refLogged, forcedLogged) ==
  /\ AcquireLock(c)
  /\ lastRef' = refLogged /\ forced' = forcedLogged

\* The log has forced as it was before.
TraceReleaseLock(c, refLogged, forcedLogged) ==
  holder = refLogged /\ ref[c] = refLogged /\ forced = forcedLogged /\ ReleaseLock(c)
TraceForcedRelease(c, refLogged, forcedLogged) ==
  holder = refLogged /\ ref[c] \in {0, refLogged} /\ forced = forcedLogged /\ ForcedRelease

\* One who is told of a lock that it gave up meanwhile gives up nothing.
TraceGiveUp(c, refLogged) == IF ref[c] = refLogged THEN GiveUp(c) ELSE UNCHANGED vars
TraceCrash(c) == IF ref[c] # 0 THEN GiveUp(c) ELSE UNCHANGED vars
TraceReject(c, refLogged) ==
  IF ref[c] # refLogged THEN UNCHANGED vars
  ELSE /\ \E r \in Replicas : promised[r] > refLogged
       /\ ref' = [ref EXCEPT ![c] = 0]
       /\ op' = [op EXCEPT ![c] = Idle]
       /\ UNCHANGED <<lastRef, holder, forced, clock, count, storeVars, hist>>

TraceStartPut(c, refLogged, stamp) == ref[c] = refLogged /\ StartPut(c, 0) /\ op'[c].best.stamp = stamp
TraceStartGet(c, refLogged) == ref[c] = refLogged /\ StartGet(c)
TraceSyncWriteBack(c, refLogged, from, best, stamp) ==
  /\ ref[c] = refLogged
  /\ op[c].from = from /\ op[c].best.stamp = best
  /\ SyncWriteBack(c, 0)
  /\ op'[c].best.stamp = stamp
TraceFinishPut(c, refLogged) == ref[c] = refLogged /\ FinishPut(c)
TraceFinishSync(c, refLogged) == ref[c] = refLogged /\ FinishSync(c)
TraceFinishGet(c, refLogged, from, best) ==
  ref[c] = refLogged /\ op[c].from = from /\ op[c].best.stamp = best /\ FinishGet(c)

\* A copy of a write that is stored already changes nothing.
TraceStoreWrite(r, stamp) ==
  \E w \in {v \in writes : v.stamp = stamp} :
    IF w \in stored[r] THEN Serves(r, w.stamp[1]) /\ UNCHANGED vars ELSE StoreWrite(r, w)

\* The promise is made; the answer may come too late, or be one to an operation that is over.
Promise(r, promise) ==
  /\ promised' = [promised EXCEPT ![r] = promise]
  /\ UNCHANGED <<lockVars, clientVars, writes, stored, hist>>
TraceReadReply(c, r, refLogged, promisedLogged, stamp) ==
  /\ Serves(r, refLogged)
  /\ GetOne(r).stamp = stamp
  /\ \/ ref[c] = refLogged /\ ReadReply(c, r) /\ promised'[r] = promisedLogged
     \/ promisedLogged \in {promised[r], refLogged} /\ Promise(r, promisedLogged)
=============================================================================
