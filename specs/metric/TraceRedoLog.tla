----------------------------- MODULE TraceRedoLog -----------------------------
(***************************************************************************)
(* Steps RedoLog along a log of Metric processes. A record is the number   *)
(* of the request that wrote a table last.                                 *)
(*                                                                         *)
(* What events say: docs/mapping.md. job is args.req of ReceiveCall; pc,   *)
(* localQueue and log follow from the actions; db is state.records of      *)
(* Populate, result state.read of Execute.                                 *)
(*                                                                         *)
(* The log has no step for a lock that the store takes away: the holder    *)
(* isn't told, and its operations are served until the next holder has     *)
(* synchronized. It is read where it shows: with the Own that takes over   *)
(* (Take), or the Nack (Lose).                                             *)
(* An end of an operation that the log has after such an Own is read       *)
(* before it, if the operation had started (MetricReading).                *)
(* Clients are no nodes: a request is there when a process takes it up     *)
(* (Arrives), and what clients saw is the run's history.                   *)
(* Where a site leads a transaction (Led), the log is the process's, and   *)
(* the site's own steps are read where the process shows them: populate    *)
(* and execute with the answer that says what the tables lack (ExecuteLed; *)
(* state.at is where each is then), the local commit with the append, the  *)
(* emptied tx-queue with the end. What the site reads is not in the log:   *)
(* each query reads all of its tables. Rows are not compared: a record is  *)
(* what stands at the position that the site was told; where an append     *)
(* that was not acknowledged may stand there, either. A site that starts   *)
(* again, or undoes what did not reach the log, has no event: its next     *)
(* query is told what its tables lack.                                     *)
(* Forgotten, since no later event of the log can tell the difference:     *)
(*  - replies, which clients read; faults, which bounds read;              *)
(*  - entries that are no table's latest, have no table's newest record    *)
(*    before any process's entry, are nobody's, and hold no request that   *)
(*    comes again (Trim).                                                  *)
(***************************************************************************)
EXTENDS RedoLog

\* What an event says is what others have said.
Agrees(says, others) == says \in others /\ UNCHANGED vars

\* A request reaches a process.
Arrives(p, req) ==
  /\ calls' = {[req |-> req, att |-> 1, proc |-> p]}
  /\ UNCHANGED <<log, volatile, durable, replies, client, faults>>
TraceReceiveCall(p, req) == ReceiveCall(p, [req |-> req, att |-> 1, proc |-> p])

Freed(es) == log' = [e \in DOMAIN log |-> IF e \in es THEN [log[e] EXCEPT !.lock = Nobody] ELSE log[e]]

\* The store has taken away what stands in the way of p's own().
Take(p, ownedLogged) ==
  /\ Freed({Latest(k) : k \in ownedLogged})
  /\ UNCHANGED <<volatile, durable, network, client, faults>>
TraceOwn(p, ownedLogged) ==
  pc[p] = "own" /\ ownedLogged \in Needs(p) /\ \E applied \in BOOLEAN : OwnTables(p, applied, ownedLogged)

\* A site is told what the tables of a query lack, and reads them; those that it has read before are as they were.
PopulateLed(p, at) ==
  IF DOMAIN at \subseteq Used(p) \/ pc[p] = "execute" THEN UNCHANGED vars ELSE Populate(p)
ExecuteLed(p, at) ==
  IF DOMAIN at \subseteq Used(p) THEN UNCHANGED vars ELSE ExecutePart(p, DOMAIN at \ Used(p))
ReadLed(p, at) == (\A k \in DOMAIN at : \E v \in at[k] : <<k, v>> \in result[p]) /\ UNCHANGED vars

\* The store has taken away the lock under which p was refused.
Lose(p) ==
  /\ Freed(IF pc[p] \in {"check", "appending"} THEN {mine[p]} ELSE {})
  /\ UNCHANGED <<volatile, durable, network, client, faults>>

TracePopulate(p, records) == fresh[p] = DOMAIN records /\ Populate(p)

TraceNack(p, kind) == Nack(p) /\ \E m \in replies' \ replies : m.kind = kind
ClearLed(p) == IF pc[p] = "clear" THEN ClearLocalQueue(p) ELSE UNCHANGED vars

\* Without entries that no later event needs. live: requests that come again.
Newest(k, last) ==
  LET with == {e \in 1..last : \E i \in DOMAIN log[e].queue : k \in log[e].queue[i].keys}
  IN  IF with = {} THEN {} ELSE {CHOOSE e \in with : \A f \in with : f <= e}
Needed(live) ==
  {1} \union {Latest(k) : k \in Keys} \union UNION {Newest(k, last) : k \in Keys, last \in {Len(log)} \union {mine[p] : p \in Procs}}
    \union {mine[p] : p \in {q \in Procs : mine[q] # 0}}
    \union {e \in DOMAIN log : log[e].sent # <<>> \/ \E i \in DOMAIN log[e].queue : log[e].queue[i].req \in live}
Trim(live) ==
  \E keep \in {Needed(live)} :
    LET place(e) == Cardinality({f \in keep : f <= e})
        entry(n) == CHOOSE e \in keep : place(e) = n
    IN  /\ log' = [n \in 1..Cardinality(keep) |-> log[entry(n)]]
        /\ mine' = [p \in Procs |-> IF mine[p] = 0 THEN 0 ELSE place(mine[p])]
        /\ UNCHANGED <<pc, job, owned, fresh, result, durable, network, client, faults>>

\* A process that has nothing forgets nothing.
TraceCrash(p) == CrashProcess(p) \/ (pc[p] = "idle" /\ mine[p] = 0 /\ UNCHANGED vars)

-----------------------------------------------------------------------------
(* Shows: the state that an event logged is the specification's            *)

PopulateShows(p, records) == (\A k \in DOMAIN records : db[p][k] = records[k]) /\ UNCHANGED vars
ExecuteShows(p, read) == result[p] = {<<k, read[k]>> : k \in DOMAIN read} /\ UNCHANGED vars
=============================================================================
