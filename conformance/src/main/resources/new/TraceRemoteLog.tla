---------------------------- MODULE TraceRemoteLog ----------------------------
(* Steps RemoteLog along a log. An event's state is that after its step, and *)
(* is compared with the specification's.                                     *)
EXTENDS RemoteLog

\* The primary's log has this length, and so much of it is known to be stored.
PrimaryShows(length, knownLogged) ==
    Len(log) = length /\ known = knownLogged /\ UNCHANGED vars

RunShows(length, knownLogged) == PrimaryShows(length, knownLogged)
HandleStateShows(length, knownLogged) == PrimaryShows(length, knownLogged)
HandleHeldShows(length, knownLogged) == PrimaryShows(length, knownLogged)

\* The backup's log has this length.
HandleEntryShows(length) == Len(stored) = length /\ UNCHANGED vars
=============================================================================
