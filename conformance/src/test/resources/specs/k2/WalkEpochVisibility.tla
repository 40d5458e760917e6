------------------------- MODULE WalkEpochVisibility -------------------------
(* EpochVisibility held to a log's rows, one a step, forgetting nothing.   *)
EXTENDS TraceEpochVisibility, Sequences

CONSTANT Rows

VARIABLE row

Take(e) ==
    CASE e.step = "tick" -> TraceTick(e.at)
      [] e.step = "ask" -> Ask(e.t, e.k)
      [] e.step = "first" -> First(e.t, e.k)
      [] e.step = "returned" -> Returned(e.t, e.k, e.w)
      [] e.step = "recover" -> Recover(e.role, e.at)
      [] e.step = "Begin" -> Begin(e.t, e.at)
      [] e.step = "BeginLinearizable" -> BeginLinearizable(e.t, e.at)
      [] e.step = "BeginSnapshot" -> BeginSnapshot(e.t, e.at)
      [] e.step = "PrimaryRead" -> TracePrimaryRead(e.t, e.k, e.w, e.role)
      [] e.step = "PrimaryWrite" -> TracePrimaryWrite(e.t, e.k, e.refused, e.epoch, e.role)
      [] e.step = "Commit" -> TraceCommit(e.t, e.status, e.epoch, e.role)
      [] e.step = "Abort" -> TraceAbort(e.t)
      [] e.step = "Tell" -> TraceTell(e.t)
      [] e.step = "ReplicaRead" -> TraceReplicaRead(e.t, e.k, e.w, e.primary, e.epoch)
      [] e.step = "Cut" -> TraceCut(e.n, e.role, e.epoch)
      [] e.step = "Replay" -> TraceReplay(e.n, e.epoch, e.before)

WalkInit == Init /\ row = 0
WalkNext == row < Len(Rows) /\ Take(Rows[row + 1]) /\ row' = row + 1
WalkSpec == WalkInit /\ [][WalkNext]_<<vars, row>>
=============================================================================
