------------------------ MODULE EpochFailoverContracts ------------------------
(***************************************************************************)
(* What a recovered node owes the others in EpochFailover, with the        *)
(* repairs. The paper claims none of this but Property 6.1; errors in the  *)
(* recovery that leave the claims intact are caught here.                  *)
(***************************************************************************)
EXTENDS MCEpochFailover

\* All keys on one node.
OneNode == [k \in Keys |-> 1]

\* A tracker moves for a read, or with its node's others to one floor that is below none of them.
FloorStep == [][
    /\ \A k \in Keys : tracker'[k] >= tracker[k]
    /\ tracker' # tracker =>
        \/ \E t \in Txns, k \in Keys : /\ txn'[t].reads # txn[t].reads
                                       /\ tracker' = [tracker EXCEPT ![k] = IF ts[t] > @ THEN ts[t] ELSE @]
        \/ /\ txn' = txn
           /\ \E k \in Keys : \A j \in Keys :
                tracker'[j] = IF Home[j] = Home[k] THEN tracker'[k] ELSE tracker[j]]_vars

\* What is in storage stays: writes, intents and cuts, and what a replica has of them. Each epoch is cut in a step of its
\* own here, after its promised end (6.1).
StorageStep == [][
    /\ \A k \in Keys : versions[k] \subseteq versions'[k]
    /\ \A n \in Nodes : /\ replayed'[n] >= replayed[n]
                        /\ epoch'[n] # epoch[n] => epoch'[n] = epoch[n] + 1 /\ now > epoch[n] * Interval]_vars
=============================================================================
