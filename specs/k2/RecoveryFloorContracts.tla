----------------------- MODULE RecoveryFloorContracts -----------------------
(***************************************************************************)
(* What the steps of RecoveryFloor owe each other. The paper claims none   *)
(* of this; mutants of the module that leave its claims intact are caught  *)
(* here. For the repaired protocol only.                                   *)
(***************************************************************************)
EXTENDS MCRecoveryFloor

OldServes == leaseEnd = -1 \/ now < leaseEnd
At(w) == IF w = NoTxn THEN 0 ELSE ts[w]
Given(n) == n \in now + 1 .. now + Lead /\ n # floor /\ \A u \in Txns : ts[u] # n
Goes(t) == OldServes /\ ts[t] # 0 /\ read[t] = t /\ t \notin versions

\* A timestamp is given once and is no other's.
StampStep == [][\A t \in Txns : ts'[t] # ts[t] => ts[t] = 0 /\ Given(ts'[t])]_vars

\* A transaction reads the newest version below its timestamp, once, from a node that serves, which remembers it.
ReadStep == [][\A t \in Txns : read'[t] # read[t] =>
    /\ Goes(t)
    /\ read'[t] \in versions \union {NoTxn} /\ At(read'[t]) < ts[t]
    /\ \A w \in versions : ts[w] < ts[t] => ts[w] <= At(read'[t])
    /\ tracker' = IF tracker > ts[t] THEN tracker ELSE ts[t]]_vars

\* A node that serves takes a write at or above its tracker, once; storage forgets none.
WriteStep == [][versions \subseteq versions' /\ \A t \in versions' \ versions : Goes(t) /\ ts[t] >= tracker]_vars

\* A tracker changes with a read, or begins at the floor.
TrackerStep == [][tracker' # tracker =>
    (\E t \in Txns : read'[t] # read[t]) \/ (leaseEnd # -1 /\ leaseEnd' = -1 /\ tracker' = floor)]_vars

\* A node is suspected until another has taken over, a commit wait after the lease, with its floor.
LeaseStep == [][leaseEnd' # leaseEnd =>
    IF leaseEnd = -1 THEN leaseEnd' \in now .. now + Lease /\ floor' = 0
                     ELSE leaseEnd' = -1 /\ now >= leaseEnd + Lead /\ floor # 0 /\ tracker' = floor]_vars

\* A floor is a fresh timestamp, given once a suspicion, a commit wait after the lease.
FloorStep == [][floor' # floor =>
    \/ leaseEnd = -1 /\ leaseEnd' # -1
    \/ floor = 0 /\ leaseEnd # -1 /\ now >= leaseEnd + Lead /\ Given(floor')]_vars
=============================================================================
