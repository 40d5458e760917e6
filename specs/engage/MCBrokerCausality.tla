-------------------------- MODULE MCBrokerCausality --------------------------
(***************************************************************************)
(* Bounds for BrokerCausality: a tree, a placement and two clients, chosen *)
(* by name in the configurations.                                          *)
(***************************************************************************)
EXTENDS BrokerCausality, EngageBounds

CONSTANTS
  \* "star": one broker; "chain": two, with c3 (and c4) behind the second.
  \* @type: Str;
  Shape,
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

TheTree == IF Shape = "star" THEN {{i, "b1"} : i \in Cloudlets}
           ELSE {{i, "b1"} : i \in Cloudlets \cap {"c1", "c2"}} \union {{"b1", "b2"}}
                  \union {{i, "b2"} : i \in Cloudlets \ {"c1", "c2"}}
TheReplicas == Placements[Placement]
TheAsks == "A" :> Styles[AsksA] @@ "B" :> Styles[AsksB]
TheOps == "A" :> OpsA @@ "B" :> OpsB

(* In place of Kept: all that the update is tagged with. The tag of what the client writes next *)
(* covers it as with "keepTag", but RYW and MW wait for all of it (ENGAGE-F10).                 *)
KeptWhole(u) == u.vc
(* Reachable: a client reads again what it was shown before a link failed and a process crashed. *)
ReadAgainReach ==
  /\ faults.failures > 0 /\ faults.crashes > 0
  /\ \E c \in Clients : \E m, n \in 1..Len(hist[c]) :
       m < n /\ hist[c][m].op = "r" /\ hist[c][m].saw # <<>> /\ hist[c][n].op = "r" /\ hist[c][n].obj = hist[c][m].obj
       /\ hist[c][n].at # hist[c][m].at
=============================================================================
