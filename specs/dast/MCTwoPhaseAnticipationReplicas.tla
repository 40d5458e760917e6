-------------------- MODULE MCTwoPhaseAnticipationReplicas --------------------
(* 2f+1 replicas a shard with f = 1: three, of which a majority is two.      *)
EXTENDS MCTwoPhaseAnticipation

\* Region B alone.
RegionB == 2 :> "B" @@ 3 :> "B" @@ 4 :> "B" @@ 9 :> "B"
ReplicasB == "Y" :> {2, 3, 4}

IrtOfB == 1 :> Simple(2, Y)
=============================================================================
