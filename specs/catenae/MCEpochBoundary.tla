--------------------------- MODULE MCEpochBoundary ---------------------------
(* Bounds for EpochBoundary: transaction t's client is in data centre t. *)
EXTENDS EpochBoundary

MCOrigin == [t \in Txn |-> t]
==============================================================================
