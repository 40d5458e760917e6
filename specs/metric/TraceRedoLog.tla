----------------------------- MODULE TraceRedoLog -----------------------------
(***************************************************************************)
(* Steps RedoLog along a log of Metric processes. A record is the number   *)
(* of the request that wrote a table last.                                 *)
(*                                                                         *)
(*  spec field        log field                      code field            *)
(*  pc[p]             action                         MetricProcess.phase   *)
(*  job[p]            args.req of ReceiveCall        MetricProcess.job     *)
(*  owned[p]          args.owned of Own              MetricProcess.via     *)
(*  db[p]             state.records of Populate      LocalDatabase.writer  *)
(*  result[p]         state.read of Execute          LocalDatabase.writer  *)
(*  localQueue[p]     action                         LocalDatabase.queue   *)
(*  log               action                         the store             *)
(*                                                                         *)
(* The log has no step for a lock that the store takes away: the holder    *)
(* isn't told, and its operations are served until the next holder has     *)
(* synchronized. It is read where it shows: with the Own that takes over   *)
(* (Take), or the Nack (Lose).                                             *)
(* An end of an operation that the log has after such an Own is read       *)
(* before it, if the operation had started (MetricReading).                *)
(* Clients are no nodes: a request is there when a process takes it up     *)
(* (Arrives), and what clients saw is the run's history.                   *)
(* Forgotten: replies, which clients read; faults, which bounds read.      *)
(***************************************************************************)
EXTENDS RedoLog

\* A request reaches a process.
Arrives(p, req) ==
  /\ calls' = {[req |-> req, att |-> 1, proc |-> p]}
  /\ UNCHANGED <<log, volatile, durable, replies, client, faults>>
TraceReceiveCall(p, req) == ReceiveCall(p, [req |-> req, att |-> 1, proc |-> p])

Freed(es) == log' = [e \in DOMAIN log |-> IF e \in es THEN [log[e] EXCEPT !.lock = Nobody] ELSE log[e]]

\* The store has taken away what stands in the way of p's own().
Take(p) ==
  /\ Freed({Latest(k) : k \in Target(job[p].req)})
  /\ UNCHANGED <<volatile, durable, network, client, faults>>
TraceOwn(p, ownedLogged) == Target(job[p].req) = ownedLogged /\ \E applied \in BOOLEAN : Own(p, applied)

\* The store has taken away the lock under which p was refused.
Lose(p) ==
  /\ Freed(IF pc[p] \in {"check", "appending"} THEN {mine[p]} ELSE {})
  /\ UNCHANGED <<volatile, durable, network, client, faults>>

\* A process that has nothing forgets nothing.
TraceCrash(p) == CrashProcess(p) \/ (pc[p] = "idle" /\ mine[p] = 0 /\ UNCHANGED vars)

-----------------------------------------------------------------------------
(* Shows: the state that an event logged is the specification's            *)

PopulateShows(p, records) == (\A k \in DOMAIN records : db[p][k] = records[k]) /\ UNCHANGED vars
ExecuteShows(p, read) == result[p] = {<<k, read[k]>> : k \in DOMAIN read} /\ UNCHANGED vars
=============================================================================
