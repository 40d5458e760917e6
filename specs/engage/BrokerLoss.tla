------------------------------ MODULE BrokerLoss ------------------------------
(***************************************************************************)
(* Do ENGAGE's guarantees survive a broker that is lost for good, and one  *)
(* that shares a machine with a cloudlet? (III-A, III-B, III-F.)           *)
(*                                                                         *)
(* Modelled: all of BrokerCausality;                                       *)
(*  - a broker that is lost with its disk, and a new one that takes its    *)
(*    place in the tree (the text says nothing of either: Saturn, which    *)
(*    III-F follows, rebuilds its tree);                                   *)
(*  - a cloudlet with several links: by III-B an inner node of the tree    *)
(*    may run at a cloudlet or a datacenter, while III-F connects each     *)
(*    cloudlet to one broker. So it is a cloudlet whose only link goes to  *)
(*    a broker on the same machine, which has the others: the two crash    *)
(*    and restart together.                                                *)
(*                                                                         *)
(* Merged step: the tree changes for everybody at once.                    *)
(* Assumed, not checked: a cloudlet that is lost for good is out of scope  *)
(* (what it alone stored is gone).                                         *)
(* Out of scope: trees of another shape than before.                       *)
(* Readings: an inner node of the tree at a cloudlet (III-B) is a cloudlet *)
(* with a broker on the same machine.                                      *)
(***************************************************************************)
EXTENDS BrokerCausality

CONSTANTS
  \* The broker on a cloudlet's machine; cloudlets that are not in the domain have none there.
  \* @type: Str -> Str;
  Host,
  \* The brokers that may be lost for good.
  \* @type: Set(Str);
  Mortal

(* "newTree": when a broker is replaced all messages and pending flushes of the old tree are    *)
(* dropped, each cloudlet sends its own updates again from the first on, and a cloudlet takes   *)
(* an update that it has for nothing but its metadata.                                          *)
LossRepairs == {"newTree"}

Known(i, u) ==
  \/ u \in waiting[i]
  \/ u.obj \in Here(i) /\ \E n \in 1..Len(store[i][u.obj].log) : IdOf(store[i][u.obj].log[n]) = IdOf(u)

(* A cloudlet handles the next message; one that was sent again may be known.                   *)
ReceiveAgain(i) ==
  LET e == <<Uplink(i)[2], i>> IN
  /\ Works(e)
  /\ link[e] # <<>>
  /\ Head(link[e]).kind = "UN" /\ Known(i, Head(link[e]).u)
  /\ LearnClock(i, Head(link[e]).mf)
  /\ link' = [link EXCEPT ![e] = Tail(@)]
  /\ UNCHANGED <<clientVars, pending, directVars, faultVars>>

ReceiveNew(i) ==
  /\ LET e == <<Uplink(i)[2], i>> IN
     link[e] # <<>> => ~(Head(link[e]).kind = "UN" /\ Known(i, Head(link[e]).u))
  /\ CloudletReceive(i)

(* The updates that cloudlet i made, as it has them stored, oldest first.                       *)
OwnUpdates(i) ==
  UNION {{u \in {store[i][o].log[n] : n \in 1..Len(store[i][o].log)} : u.src = i} : o \in Here(i)}
OwnInOrder(i) ==
  [n \in 1..Cardinality(OwnUpdates(i)) |-> Notification(CHOOSE u \in OwnUpdates(i) : u.snb = n, Zero)]

(* Broker b is lost with all that it had, and an empty one is in its place. What others sent it *)
(* and what it did not acknowledge they send again (repair "resend").                           *)
LoseBroker(b) ==
  /\ b \in Mortal
  /\ faults.crashes < MaxCrashes
  /\ IF "newTree" \in Repairs
     THEN /\ link' = [e \in Edges |-> IF e[1] \in Cloudlets THEN OwnInOrder(e[1]) ELSE <<>>]
          /\ pending' = [e \in Edges |-> Zero]
     ELSE /\ link' = [e \in Edges |-> IF e[1] = b THEN <<>> ELSE IF e[2] = b THEN AfterBreak(e) ELSE link[e]]
          /\ pending' = [e \in Edges |-> IF e[1] = b THEN Zero ELSE pending[e]]
  /\ crashed' = crashed \ {b}
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, down>>

(* A cloudlet and the broker on its machine crash.                                              *)
CrashSite(i) ==
  LET site == {i, Host[i]} IN
  /\ i \in Fallible
  /\ site \cap crashed = {}
  /\ faults.crashes < MaxCrashes
  /\ crashed' = crashed \union site
  /\ link' = [e \in Edges |-> IF site \cap {e[1], e[2]} # {} THEN AfterBreak(e) ELSE link[e]]
  /\ pending' = [e \in Edges |-> IF e[1] = Host[i] /\ "durableBroker" \notin Repairs THEN Zero ELSE pending[e]]
  /\ IF "durableCloudlet" \in Repairs THEN UNCHANGED <<clock, waiting, heard>>
     ELSE /\ clock' = [clock EXCEPT ![i] = Rebuilt(i)]
          /\ waiting' = [waiting EXCEPT ![i] = {}]
          /\ heard' = [heard EXCEPT ![i] = Zero]
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ UNCHANGED <<store, clientVars, directVars, down>>

RestartSite(i) ==
  /\ {i, Host[i]} \subseteq crashed
  /\ crashed' = crashed \ {i, Host[i]}
  /\ UNCHANGED <<cloudletVars, clientVars, treeVars, directVars, down, faults>>

LossNext ==
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientRead(c, o, i, G)
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientWrite(c, o, i, G)
  \/ \E r \in held : ServeHeld(r)
  \/ \E a \in Nodes, b \in Brokers : BrokerReceive(a, b)
  \/ \E b \in Brokers, n \in Nodes : FlushTimer(b, n)
  \/ \E i \in Cloudlets : ReceiveNew(i)
  \/ \E i \in Cloudlets : ReceiveAgain(i)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)
  \/ \E t \in Tree : LinkFails(t)
  \/ \E t \in Tree : LinkReturns(t)
  \/ \E b \in Brokers : LoseBroker(b)
  \/ \E i \in DOMAIN Host : CrashSite(i)
  \/ \E i \in DOMAIN Host : RestartSite(i)

LossSpec == Init /\ [][LossNext]_vars

LossFairness ==
  /\ Fairness
  /\ \A i \in Cloudlets : WF_vars(ReceiveNew(i)) /\ WF_vars(ReceiveAgain(i))
  /\ \A i \in DOMAIN Host : WF_vars(RestartSite(i))

(* NoStallInv of BrokerCausality, where updates come again and a cloudlet restarts with its      *)
(* broker.                                                                                      *)
LossMovesOn ==
  \/ \E r \in held : ServeHeld(r)
  \/ \E a \in Nodes, b \in Brokers : BrokerReceive(a, b)
  \/ \E b \in Brokers, n \in Nodes : FlushTimer(b, n)
  \/ \E i \in Cloudlets : ReceiveNew(i) \/ ReceiveAgain(i)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)
  \/ \E t \in Tree : LinkReturns(t)
  \/ \E i \in DOMAIN Host : RestartSite(i)
LossNoStallInv == (Quiet /\ held = {}) \/ ENABLED LossMovesOn

(* Reachable: an update that was lost with a broker arrives from the new one, and another is    *)
(* received again.                                                                              *)
SentAgainReach == faults.crashes > 0 /\ \E i \in Cloudlets : \E e \in Edges :
  e[2] = i /\ link[e] # <<>> /\ Head(link[e]).kind = "UN" /\ Known(i, Head(link[e]).u)
=============================================================================
