--------------------------- MODULE BrokerCausality ---------------------------
(***************************************************************************)
(* Do ENGAGE's brokers carry updates and metadata so that every clock and  *)
(* every replica tells clients the truth?                                  *)
(* (ENGAGE: Session Guarantees for the Edge, III-B, III-F, III-G.)         *)
(*                                                                         *)
(* Modelled: a tree of brokers and cloudlets; update notifications sent    *)
(* eagerly towards replicas; metadata flushes pending per edge, merged,    *)
(* piggybacked on notifications, sent by a timer; the payload carried by   *)
(* the brokers or, as a variant, sent directly between replicas; links     *)
(* that fail, lose what is under way and come back; single lost messages;  *)
(* brokers and cloudlets that crash, lose what is in memory, and restart.  *)
(* Environment: the paper states no failure model. Its deployment is wide- *)
(* area links and edge nodes, so links and processes that fail and come    *)
(* back are part of it. A link delivers in order (the paper calls this     *)
(* nothing, its argument in III-F needs it); when it breaks, what was      *)
(* under way is lost, as when a TCP connection is replaced.                *)
(* Persistence: an object's value and clock are durable (IV-A: Cassandra). *)
(* Of all else the paper says nothing; as published it is in memory.       *)
(* Assumed, not checked: timers fire eventually; time has no other role.   *)
(* A repaired link sends again, in order, what was not acknowledged, and   *)
(* its receiver drops what it has: modelled as a link that keeps what was  *)
(* under way.                                                              *)
(* Out of scope: changes of the tree; crashes in the direct variants.      *)
(* Readings: the payload goes with the brokers, or directly between        *)
(* replicas (the direct variants).                                         *)
(***************************************************************************)
EXTENDS EngageCloudlet

CONSTANTS
  \* @type: Set(Str);
  Brokers,
  \* The links of the tree, sets of two nodes. Cloudlets are leaves.
  \* @type: Set(Set(Str));
  Tree,
  \* How the payload travels (III-G): "brokers", the default; "labels": directly, while the
  \* notification without it travels the tree; "clocks": directly and with its clock, while
  \* the tree carries metadata flushes alone.
  \* @type: Str;
  Payload,
  \* How many messages may be lost one by one, links fail, and processes crash.
  \* @type: Int;
  MaxLosses,
  \* @type: Int;
  MaxLinkFailures,
  \* @type: Int;
  MaxCrashes,
  \* The processes that may crash.
  \* @type: Set(Str);
  Fallible

VARIABLES
  \* What is under way on each directed link, oldest first.
  \* @type: <<Str, Str>> -> Seq({ kind: Str, u: { src: Str, snb: Int, obj: Str, vc: Str -> Int }, mf: Str -> Int });
  link,
  \* The metadata flush pending at a broker for each outgoing link; zero when there is none.
  \* @type: <<Str, Str>> -> (Str -> Int);
  pending,
  \* Payloads sent directly; each arrives at any time (Payload # "brokers").
  \* @type: Set({ src: Str, snb: Int, obj: Str, vc: Str -> Int });
  payloads,
  \* The payloads that have arrived at each cloudlet.
  \* @type: Str -> Set(<<Str, Int>>);
  arrived,
  \* Links that are down.
  \* @type: Set(Set(Str));
  down,
  \* Processes that are down.
  \* @type: Set(Str);
  crashed,
  \* Losses, link failures and crashes so far.
  \* @type: { losses: Int, failures: Int, crashes: Int };
  faults

treeVars == <<link, pending>>
directVars == <<payloads, arrived>>
faultVars == <<down, crashed, faults>>
vars == <<cloudletVars, clientVars, treeVars, directVars, faultVars>>

(* "resend": senders keep what is not acknowledged. "durableBroker": a broker keeps its pending *)
(* flushes on disk. "durableCloudlet": a cloudlet keeps clock and queue on disk.                *)
NetworkRepairs == {"resend", "durableBroker", "durableCloudlet"}

-----------------------------------------------------------------------------
Nodes == Cloudlets \union Brokers
Edges == {e \in Nodes \X Nodes : {e[1], e[2]} \in Tree /\ e[1] # e[2]}
Out(n) == {e \in Edges : e[1] = n}

(* The nodes on the far side of each link. *)
RECURSIVE Reach(_, _)
Reach(from, S) ==
  LET T == S \union {e[2] : e \in {d \in Edges : d[1] \in S /\ d[2] # from}} IN
  IF T = S THEN S ELSE Reach(from, T)
Beyond == [e \in Edges |-> Reach(e[1], {e[2]})]

(* Link e lies on the path from u's source to another cloudlet that replicates its object. *)
OnPath(e, u) == Payload # "clocks" /\ (Replicas[u.obj] \ {u.src}) \cap Beyond[e] # {}

NoUpdate == [src |-> "none", snb |-> 0, obj |-> "none", vc |-> Zero]
Notification(u, mf) == [kind |-> "UN", u |-> u, mf |-> mf]
Flush(mf) == [kind |-> "MF", u |-> NoUpdate, mf |-> mf]

Works(e) == {e[1], e[2]} \notin down /\ e[1] \notin crashed /\ e[2] \notin crashed

(* The links after sending message m on e: one that does not work loses it, unless its sender   *)
(* keeps it to send it again.                                                                   *)
Sent(links, e, m) ==
  IF Works(e) \/ "resend" \in Repairs THEN [links EXCEPT ![e] = Append(@, m)] ELSE links
(* What remains under way on link e when it breaks. *)
AfterBreak(e) == IF "resend" \in Repairs THEN link[e] ELSE <<>>

-----------------------------------------------------------------------------
(* A cloudlet hands a new update to its broker, and its payload to the replicas. A cloudlet     *)
(* with several links (a datacenter as an inner node) is not modelled: it has one.              *)
Uplink(i) == CHOOSE e \in Edges : e[1] = i

Publish(u) ==
  /\ link' = Sent(link, Uplink(u.src), Notification(u, Zero))
  /\ payloads' = IF Payload = "brokers" THEN payloads ELSE payloads \union {u}
  /\ UNCHANGED <<pending, arrived, faultVars>>

Serve(r) ==
  IF r.op = "r" THEN ServeRead(r) /\ UNCHANGED <<treeVars, directVars, faultVars>>
  ELSE ServeWrite(r) /\ Publish(NewUpdate(r))

(* A request reaches the cloudlet, which executes it if that is safe and holds it if not. *)
HandleRequest(r) ==
  /\ r.at \notin crashed
  /\ IF Safe(r) THEN Serve(r) /\ UNCHANGED held
     ELSE Hold(r) /\ UNCHANGED <<treeVars, directVars, faultVars>>

ClientRead(c, o, i, G) ==
  LET r == Request(c, "r", o, i, G) IN MayAsk(r) /\ HandleRequest(r)
ClientWrite(c, o, i, G) ==
  LET r == Request(c, "w", o, i, G) IN MayAsk(r) /\ HandleRequest(r)

(* A held request has become safe. (After a crash the client asks again.) *)
ServeHeld(r) ==
  /\ r.at \notin crashed
  /\ Safe(r)
  /\ held' = held \ {r}
  /\ Serve(r)

-----------------------------------------------------------------------------
(* A broker handles the next message from a neighbour: first the metadata in it, which is older *)
(* than the notification, then the notification. For the message on link e, what leaves on f:   *)
(* the flush pending there, with all that this message adds to it.                              *)
PendingAfter(f, m) ==
  LET merged == Max(pending[f], m.mf) IN
  IF m.kind = "MF" THEN merged
  ELSE IF OnPath(f, m.u) THEN Zero
  ELSE Max(merged, Covers(m.u))

RECURSIVE Forward(_, _, _)
Forward(links, fs, m) ==
  IF fs = {} THEN links
  ELSE LET f == CHOOSE g \in fs : TRUE IN
       Forward(Sent(links, f, Notification(m.u, Max(pending[f], m.mf))), fs \ {f}, m)

BrokerReceive(a, b) ==
  LET e == <<a, b>> IN
  /\ e \in Edges
  /\ b \in Brokers
  /\ Works(e)
  /\ link[e] # <<>>
  /\ LET m == Head(link[e])
         others == Out(b) \ {<<b, a>>}
         eager == {f \in others : m.kind = "UN" /\ OnPath(f, m.u)}
     IN /\ link' = Forward([link EXCEPT ![e] = Tail(@)], eager, m)
        /\ pending' = [f \in Edges |-> IF f \in others THEN PendingAfter(f, m) ELSE pending[f]]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, faultVars>>

(* The timer of link <<b, n>> expires. *)
FlushTimer(b, n) ==
  LET e == <<b, n>> IN
  /\ e \in Edges
  /\ b \in Brokers
  /\ b \notin crashed
  /\ pending[e] # Zero
  /\ link' = Sent(link, e, Flush(pending[e]))
  /\ pending' = [pending EXCEPT ![e] = Zero]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, faultVars>>

(* A cloudlet handles the next message from its broker. *)
CloudletReceive(i) ==
  LET e == <<Uplink(i)[2], i>> IN
  /\ Works(e)
  /\ link[e] # <<>>
  /\ LET m == Head(link[e]) IN
     IF m.kind = "MF" THEN LearnClock(i, m.mf) ELSE LearnUpdate(i, m.u, m.mf)
  /\ link' = [link EXCEPT ![e] = Tail(@)]
  /\ UNCHANGED <<clientVars, pending, directVars, faultVars>>

(* A payload that was sent directly arrives. *)
PayloadArrives(i, u) ==
  /\ i \in Replicas[u.obj] \ {u.src}
  /\ IdOf(u) \notin arrived[i]
  /\ arrived' = [arrived EXCEPT ![i] = @ \union {IdOf(u)}]
  /\ IF Payload = "clocks"
     THEN waiting' = [waiting EXCEPT ![i] = @ \union {u}]
     ELSE UNCHANGED waiting
  /\ UNCHANGED <<clock, store, heard, clientVars, treeVars, payloads, faultVars>>

(* A received update is executed, if its payload is there. *)
Execute(i, u) ==
  /\ i \notin crashed
  /\ Payload # "brokers" => IdOf(u) \in arrived[i]
  /\ ExecuteUpdate(i, u)
  /\ UNCHANGED <<clientVars, treeVars, directVars, faultVars>>

-----------------------------------------------------------------------------
(* The environment. *)
LoseMessage(a, b) ==
  LET e == <<a, b>> IN
  /\ e \in Edges
  /\ faults.losses < MaxLosses
  /\ "resend" \notin Repairs      \* a lost copy is sent again: no step at this grain
  /\ link[e] # <<>>
  /\ link' = [link EXCEPT ![e] = Tail(@)]
  /\ faults' = [faults EXCEPT !.losses = @ + 1]
  /\ UNCHANGED <<cloudletVars, clientVars, pending, directVars, down, crashed>>

LinkFails(t) ==
  /\ t \notin down
  /\ faults.failures < MaxLinkFailures
  /\ down' = down \union {t}
  /\ link' = [e \in Edges |-> IF {e[1], e[2]} = t THEN AfterBreak(e) ELSE link[e]]
  /\ faults' = [faults EXCEPT !.failures = @ + 1]
  /\ UNCHANGED <<cloudletVars, clientVars, pending, directVars, crashed>>

LinkReturns(t) ==
  /\ t \in down
  /\ down' = down \ {t}
  /\ UNCHANGED <<cloudletVars, clientVars, treeVars, directVars, crashed, faults>>

CrashBroker(b) ==
  /\ b \in Brokers \cap Fallible
  /\ b \notin crashed
  /\ faults.crashes < MaxCrashes
  /\ crashed' = crashed \union {b}
  /\ link' = [e \in Edges |-> IF b \in {e[1], e[2]} THEN AfterBreak(e) ELSE link[e]]
  /\ pending' = [e \in Edges |-> IF e[1] = b /\ "durableBroker" \notin Repairs THEN Zero ELSE pending[e]]
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, down>>

(* A cloudlet comes back with its objects and their clocks, and what else it kept on disk. Its  *)
(* own clock, which "captures the state of the local database" (III-C), is rebuilt from them.   *)
RECURSIVE Join(_)
Join(S) == IF S = {} THEN Zero ELSE LET v == CHOOSE w \in S : TRUE IN Max(v, Join(S \ {v}))
Rebuilt(i) == Join({store[i][o].vc : o \in Here(i)})

CrashCloudlet(i) ==
  /\ i \in Cloudlets \cap Fallible
  /\ i \notin crashed
  /\ faults.crashes < MaxCrashes
  /\ crashed' = crashed \union {i}
  /\ link' = [e \in Edges |-> IF i \in {e[1], e[2]} THEN AfterBreak(e) ELSE link[e]]
  /\ IF "durableCloudlet" \in Repairs THEN UNCHANGED <<clock, waiting, heard>>
     ELSE /\ clock' = [clock EXCEPT ![i] = Rebuilt(i)]
          /\ waiting' = [waiting EXCEPT ![i] = {}]
          /\ heard' = [heard EXCEPT ![i] = Zero]
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ UNCHANGED <<store, clientVars, pending, directVars, down>>

Restart(n) ==
  /\ n \in crashed
  /\ crashed' = crashed \ {n}
  /\ UNCHANGED <<cloudletVars, clientVars, treeVars, directVars, down, faults>>

-----------------------------------------------------------------------------
Init ==
  /\ CloudletInit
  /\ link = [e \in Edges |-> <<>>]
  /\ pending = [e \in Edges |-> Zero]
  /\ payloads = {}
  /\ arrived = [i \in Cloudlets |-> {}]
  /\ down = {}
  /\ crashed = {}
  /\ faults = [losses |-> 0, failures |-> 0, crashes |-> 0]

AnyAsk == UNION {Asks[c] : c \in Clients}

Next ==
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientRead(c, o, i, G)
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientWrite(c, o, i, G)
  \/ \E r \in held : ServeHeld(r)
  \/ \E a \in Nodes, b \in Brokers : BrokerReceive(a, b)
  \/ \E b \in Brokers, n \in Nodes : FlushTimer(b, n)
  \/ \E i \in Cloudlets : CloudletReceive(i)
  \/ \E i \in Cloudlets : \E u \in payloads : PayloadArrives(i, u)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)
  \/ \E a \in Nodes, b \in Nodes : LoseMessage(a, b)
  \/ \E t \in Tree : LinkFails(t)
  \/ \E t \in Tree : LinkReturns(t)
  \/ \E b \in Brokers : CrashBroker(b)
  \/ \E i \in Cloudlets : CrashCloudlet(i)
  \/ \E n \in Nodes : Restart(n)

Spec == Init /\ [][Next]_vars

(* Fairness: what is under way arrives, timers fire, what can be executed or served is, links   *)
(* return and processes restart. Clients need not ask, and nothing need fail.                   *)
Fairness ==
  /\ \A a \in Nodes, b \in Brokers : WF_vars(BrokerReceive(a, b))
  /\ \A b \in Brokers, n \in Nodes : WF_vars(FlushTimer(b, n))
  /\ \A i \in Cloudlets : WF_vars(CloudletReceive(i))
  /\ \A i \in Cloudlets : WF_vars(\E u \in payloads : PayloadArrives(i, u))
  /\ \A i \in Cloudlets : WF_vars(\E u \in waiting[i] : Execute(i, u))
  /\ \A c \in Clients : WF_vars(\E r \in {q \in held : q.c = c} : ServeHeld(r))
  /\ \A t \in Tree : WF_vars(LinkReturns(t))
  /\ \A n \in Nodes : WF_vars(Restart(n))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* Claimed (II-A on partial replication, III-F): nothing waits for what will never come.        *)
ServedLive == \A c \in Clients : (\E r \in held : r.c = c) ~> ~(\E r \in held : r.c = c)
ExecutedLive == \A i \in Cloudlets : []<>(waiting[i] = {})

(* Claimed, III-E: an update becomes visible globally. *)
DeliveredLive ==
  \A i \in Cloudlets :
    []<>(\A w \in WritesOf(hist) : LET u == hist[w[1]][w[2]] IN
           i \in Replicas[u.obj] => u.id \in Members(Value(i)[u.obj]))

(* The same without fairness: when nothing is under way and all is up, nothing waits. *)
Quiet ==
  /\ \A e \in Edges : link[e] = <<>> /\ pending[e] = Zero
  /\ \A u \in payloads : \A i \in Replicas[u.obj] \ {u.src} : IdOf(u) \in arrived[i]
  /\ \A i \in Cloudlets : \A u \in waiting[i] : ~Ready(i, u)
  /\ down = {} /\ crashed = {}
NothingStuckInv ==
  Quiet => /\ \A i \in Cloudlets : waiting[i] = {}
           /\ \A r \in held : Safe(r)
           /\ \A w \in WritesOf(hist) : LET u == hist[w[1]][w[2]] IN
                \A i \in Replicas[u.obj] : u.id \in Members(Value(i)[u.obj])

(* Implied, III-G: a replica shows no update whose payload it has not got. *)
PayloadFirstInv ==
  Payload # "brokers" =>
    \A i \in Cloudlets : \A o \in Here(i) : \A n \in 1..Len(store[i][o].log) :
      LET u == store[i][o].log[n] IN u.src = i \/ IdOf(u) \in arrived[i]

(* And it comes to that: unless nothing is left to do, something happens that no client has to  *)
(* ask for and that is no fault. Each such step happens a bounded number of times in between.   *)
MovesOn ==
  \/ \E r \in held : ServeHeld(r)
  \/ \E a \in Nodes, b \in Brokers : BrokerReceive(a, b)
  \/ \E b \in Brokers, n \in Nodes : FlushTimer(b, n)
  \/ \E i \in Cloudlets : CloudletReceive(i)
  \/ \E i \in Cloudlets : \E u \in payloads : PayloadArrives(i, u)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)
  \/ \E t \in Tree : LinkReturns(t)
  \/ \E n \in Nodes : Restart(n)
NoStallInv == (Quiet /\ held = {}) \/ ENABLED MovesOn

(* Reachable: a flush rides on a notification, and merges with another. *)
PiggybackReach == \E e \in Edges : link[e] # <<>> /\ Head(link[e]).kind = "UN" /\ Head(link[e]).mf # Zero
MergedReach == \E e \in Edges : Cardinality({j \in Cloudlets : pending[e][j] > 0}) >= 2
TimerReach == \E e \in Edges : link[e] # <<>> /\ Head(link[e]).kind = "MF"
=============================================================================
