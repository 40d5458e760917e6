----------------------------- MODULE MCBrokerLoss -----------------------------
(***************************************************************************)
(* Bounds for BrokerLoss: a tree, a placement and two clients, chosen by   *)
(* name in the configurations.                                             *)
(***************************************************************************)
EXTENDS BrokerLoss, EngageBounds

CONSTANTS
  \* "star": one broker; "chain": two, with c3 behind the second.
  \* @type: Str;
  Shape,
  \* A name in Placements.
  \* @type: Str;
  Placement,
  \* How many operations A and B perform, each of which asks for all four guarantees.
  \* @type: Int;
  OpsA,
  \* @type: Int;
  OpsB

TheTree == IF Shape = "star" THEN {{i, "b1"} : i \in Cloudlets}
           ELSE {{i, "b1"} : i \in Cloudlets \cap {"c1", "c2"}} \union {{"b1", "b2"}}
                  \union {{i, "b2"} : i \in Cloudlets \ {"c1", "c2"}}
TheReplicas == Placements[Placement]
TheAsks == "A" :> Styles["causal"] @@ "B" :> Styles["causal"]
TheOps == "A" :> OpsA @@ "B" :> OpsB
\* The inner broker b1 runs at c1, whose links are b1's.
AtC1 == "c1" :> "b1"
Nowhere == [i \in {} |-> "none"]
=============================================================================
