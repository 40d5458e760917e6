------------------------ MODULE MCSessionGuarantees ------------------------
(***************************************************************************)
(* Bounds for SessionGuarantees: a placement and two clients, chosen by    *)
(* name in the configurations.                                             *)
(***************************************************************************)
EXTENDS SessionGuarantees, EngageBounds

CONSTANTS
  \* A name in Placements.
  \* @type: Str;
  Placement,
  \* Names in Styles: what clients A and B may ask for.
  \* @type: Str;
  AsksA,
  \* @type: Str;
  AsksB,
  \* How many operations A and B perform.
  \* @type: Int;
  OpsA,
  \* @type: Int;
  OpsB

TheReplicas == Placements[Placement]
TheAsks == "A" :> Styles[AsksA] @@ "B" :> Styles[AsksB]
TheOps == "A" :> OpsA @@ "B" :> OpsB
=============================================================================
