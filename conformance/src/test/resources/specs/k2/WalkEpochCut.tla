----------------------------- MODULE WalkEpochCut -----------------------------
(* EpochCut held to a log's rows, one a step, forgetting nothing.          *)
EXTENDS TraceEpochCut, Sequences

CONSTANT Rows

VARIABLE row

Take(e) ==
    CASE e.step = "start" -> CutStart(e.c, e.at, e.local)
      [] e.step = "tick" -> CutTick(e.c, e.at, e.local, e.ticks, e.units)
      [] e.step = "RequestBatch" -> CutRequestBatch(e.c, e.id)
      [] e.step = "OracleReply" -> CutOracleReply(e.o, [coordinator |-> e.c, id |-> e.id], e.up)
      [] e.step = "InstallBatch" -> CutInstallBatch([coordinator |-> e.c, id |-> e.id, oracle |-> e.o, up |-> e.up])
      [] e.step = "Begin" -> CutBegin(e.t, e.c)
      [] e.step = "Assign" -> CutAssign(e.t, e.n, e.o)
      [] e.step = "RestartCoordinator" -> CutRestartCoordinator(e.c)
      [] e.step = "TimerExpires" -> TraceTimerExpires(e.t, e.c, e.role, e.epoch)
      [] e.step = "TooEarly" -> TraceTooEarly(e.t, e.c, e.role, e.epoch)
      [] e.step = "CutEpoch" -> TraceCutEpoch(e.t, e.c, e.role, e.epoch)

WalkInit == CutInit /\ row = 0
WalkNext == row < Len(Rows) /\ Take(Rows[row + 1]) /\ row' = row + 1
WalkSpec == WalkInit /\ [][WalkNext]_<<cutVars, row>>
=============================================================================
