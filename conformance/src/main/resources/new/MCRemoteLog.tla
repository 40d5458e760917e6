----------------------------- MODULE MCRemoteLog -----------------------------
(* RemoteLog as it is checked: its constants are all that bounds it.       *)
EXTENDS RemoteLog
=============================================================================
