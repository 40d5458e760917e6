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

(* In place of ServeWrite: a client keeps all that its update is tagged with, so that the tag   *)
(* of what it writes next covers it, and its sum is larger (ENGAGE-F10). Machines do not.       *)
ServeWriteWhole(r) ==
  LET u == NewUpdate(r)
      v == Max(clock[r.at], Only(r.at, u.snb))
      wc == Max(writeClock[r.c], u.vc)
  IN
  /\ clock' = [clock EXCEPT ![r.at] = v]
  /\ store' = [store EXCEPT ![r.at][r.obj] = Put(@, u)]
  /\ writeClock' = [writeClock EXCEPT ![r.c] = wc]
  /\ attached' = [attached EXCEPT ![r.c] = AttachedAfter(r, v, readClock[r.c], wc)]
  /\ hist' = [hist EXCEPT ![r.c] = Append(@, [op |-> "w", obj |-> r.obj, at |-> r.at, g |-> r.g,
                                              id |-> IdOf(u), saw |-> <<>>])]
  /\ UNCHANGED <<waiting, heard, readClock>>
=============================================================================
