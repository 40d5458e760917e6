------------------------- MODULE TraceStretchableClock -------------------------
(***************************************************************************)
(* Steps StretchableClock along a log. Times are the log's microseconds,   *)
(* counted from just below the log's earliest.                             *)
(*                                                                         *)
(* What events say: docs/mapping.md. wall is an event's local; offset      *)
(* shows with the next CreateTs; the head of waitQ is args.head.           *)
(*                                                                         *)
(* Of waitQ the log has the time of its head alone, which is all that the  *)
(* clock reads with FreezeTime; who enters and leaves is                   *)
(* TwoPhaseAnticipation's. The core module calibrates by the clock that    *)
(* another node has now; in a log, by one that it had when it sent         *)
(* (TraceCalibrate). Calibrations that change nothing are not logged.      *)
(*                                                                         *)
(* Forgotten: made, which only claims read, so that uniqueness is not      *)
(* judged on logs; that a node's timestamps grow, is.                      *)
(***************************************************************************)
EXTENDS StretchableClock

\* The clock shows a wall clock; waitQ's head is at head, or there is none (-1).
BeforeEach(n, wallLogged, head) ==
    /\ wall' = [wall EXCEPT ![n] = wallLogged]
    /\ waitQ' = [waitQ EXCEPT ![n] = IF head < 0 THEN {} ELSE {<<head, Manager, 0>>}]
    /\ UNCHANGED <<offset, last, below, made, repeated, fellBack>>

TraceCreateTs(n, ts) == CreateTs(n) /\ last'[n] = ts

\* What n sees is a clock that was made in the step that sent the message, or the timestamp of the message's IRT.
SeenAsSent(seen, sent) == seen \in sent /\ UNCHANGED vars

TraceCalibrate(n, seen, lastLogged) == CalibrateBy(n, seen) /\ last'[n] = lastLogged
================================================================================
