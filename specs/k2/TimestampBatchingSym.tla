------------------------ MODULE TimestampBatchingSym ------------------------
(***************************************************************************)
(* TimestampBatchingInd's invariant as a start for Apalache: every variable *)
(* any value of its type that satisfies it. Times and counters are         *)
(* unbounded; at most two requests and two replies are in the network,     *)
(* which is enough since a step takes at most one of each and adds one.    *)
(***************************************************************************)
EXTENDS TimestampBatchingInd, Integers, Apalache

SymInit ==
    /\ now \in Int
    /\ clock \in [Coordinators -> Int]
    /\ incarnation \in [Coordinators -> Int]
    /\ sent \in [Coordinators -> Int]
    /\ last \in [Coordinators -> Int]
    /\ pending = Gen(2) /\ DOMAIN pending = Coordinators
    /\ batch = Gen(2) /\ DOMAIN batch = Coordinators
    /\ requests = Gen(2)
    /\ replies = Gen(2)
    /\ txn = Gen(3) /\ DOMAIN txn = Txns
    /\ IndInv
=============================================================================
