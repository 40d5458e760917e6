---------------------------- MODULE EngageBounds ----------------------------
(***************************************************************************)
(* Placements and clients of small sizes, by name, shared by the models of *)
(* SessionGuarantees and BrokerCausality.                                  *)
(***************************************************************************)
EXTENDS Naturals, TLC

Ranks == "c1" :> 1 @@ "c2" :> 2 @@ "c3" :> 3 @@ "c4" :> 4

(* In "ring" no cloudlet has all objects; in "meet" c3 has both, each with one other cloudlet.  *)
(* In "pair" c1 and c2 share x while c3 has only y, of which c2 keeps a copy.                   *)
Placements ==
  [ring |-> "x" :> {"c1", "c3"} @@ "y" :> {"c1", "c2"},
   meet |-> "x" :> {"c1", "c3"} @@ "y" :> {"c2", "c3"},
   pair |-> "x" :> {"c1", "c2"} @@ "y" :> {"c2", "c3"},
   full |-> "x" :> {"c1", "c2", "c3"} @@ "y" :> {"c1", "c2", "c3"},
   one  |-> "x" :> {"c1", "c2", "c3"},
   far  |-> "x" :> {"c1", "c4"} @@ "y" :> {"c2", "c3"}]

(* A cloudlet tests WFR and MR alike, and MW and RYW alike (III-D), so these four sets stand    *)
(* for all sixteen.                                                                             *)
Reads == {"MR", "WFR"}
Writes == {"RYW", "MW"}
AllFour == Reads \union Writes
Styles ==
  [causal |-> {AllFour},
   reads  |-> {Reads},
   writes |-> {Writes},
   none   |-> {{}},
   lax    |-> {{}, AllFour},
   free   |-> {{}, Reads, Writes, AllFour}]
=============================================================================
