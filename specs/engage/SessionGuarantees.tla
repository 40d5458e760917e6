------------------------- MODULE SessionGuarantees -------------------------
(***************************************************************************)
(* Do the four session guarantees follow from the clocks of clients and    *)
(* cloudlets, before any broker comes in?                                  *)
(* (ENGAGE: Session Guarantees for the Edge, III-C, III-D, III-E: vector   *)
(* clock stability, the technique that the brokers of III-F replace.)      *)
(*                                                                         *)
(* Modelled: clients and cloudlets as in EngageCloudlet; each update sent  *)
(* to the other replicas of its object; updates executed by III-E's rule;  *)
(* cloudlets that send each other metadata flushes, at any time.           *)
(* Assumed, not checked: links between cloudlets are reliable and deliver  *)
(* in order. III-E's first condition ("the lowest sequence number of all   *)
(* received") needs both, since a replica cannot tell a gap in a source's  *)
(* numbers from an update of an object that it does not have. Links and    *)
(* processes that fail are in BrokerCausality.                             *)
(* Out of scope: brokers (BrokerCausality).                                *)
(* Readings: those of EngageCloudlet.                                      *)
(***************************************************************************)
EXTENDS EngageCloudlet

CONSTANTS
  \* What a flush carries: "state", the sender's cloudlet clock (III-E); "own", only the
  \* sender's entry of it (IV-B, "the vector clock position of the sender").
  \* @type: Str;
  FlushCarries

VARIABLES
  \* What is under way from each cloudlet to each other, oldest first.
  \* @type: <<Str, Str>> -> Seq({ kind: Str, u: { src: Str, snb: Int, obj: Str, vc: Str -> Int }, mf: Str -> Int });
  channel,
  \* The clock that each cloudlet flushed last: it flushes news only.
  \* @type: Str -> (Str -> Int);
  flushed

vars == <<cloudletVars, clientVars, channel, flushed>>

Pairs == {p \in Cloudlets \X Cloudlets : p[1] # p[2]}
NoUpdate == [src |-> "none", snb |-> 0, obj |-> "none", vc |-> Zero]

-----------------------------------------------------------------------------
Publish(u) ==
  /\ channel' = [p \in Pairs |->
       IF p[1] = u.src /\ p[2] \in Replicas[u.obj]
       THEN Append(channel[p], [kind |-> "UN", u |-> u, mf |-> Zero]) ELSE channel[p]]
  /\ UNCHANGED flushed

Serve(r) ==
  IF r.op = "r" THEN ServeRead(r) /\ UNCHANGED <<channel, flushed>>
  ELSE ServeWrite(r) /\ Publish(NewUpdate(r))

HandleRequest(r) ==
  /\ IF Safe(r) THEN Serve(r) /\ UNCHANGED held ELSE Hold(r) /\ UNCHANGED <<channel, flushed>>

ClientRead(c, o, i, G) ==
  LET r == Request(c, "r", o, i, G) IN MayAsk(r) /\ HandleRequest(r)
ClientWrite(c, o, i, G) ==
  LET r == Request(c, "w", o, i, G) IN MayAsk(r) /\ HandleRequest(r)

ServeHeld(r) == Safe(r) /\ held' = held \ {r} /\ Serve(r)

-----------------------------------------------------------------------------
(* What a flush of i would carry now. *)
News(i) == IF FlushCarries = "own" THEN Only(i, clock[i][i]) ELSE clock[i]

FlushTimer(i) ==
  /\ News(i) # flushed[i]
  /\ flushed' = [flushed EXCEPT ![i] = News(i)]
  /\ channel' = [p \in Pairs |->
       IF p[1] = i THEN Append(channel[p], [kind |-> "MF", u |-> NoUpdate, mf |-> News(i)]) ELSE channel[p]]
  /\ UNCHANGED <<cloudletVars, clientVars>>

Receive(j, i) ==
  LET p == <<j, i>> IN
  /\ p \in Pairs
  /\ channel[p] # <<>>
  /\ LET m == Head(channel[p]) IN
     IF m.kind = "MF" THEN LearnClock(i, m.mf) ELSE LearnUpdate(i, m.u, m.mf)
  /\ channel' = [channel EXCEPT ![p] = Tail(@)]
  /\ UNCHANGED <<clientVars, flushed>>

Execute(i, u) == ExecuteUpdate(i, u) /\ UNCHANGED <<clientVars, channel, flushed>>

-----------------------------------------------------------------------------
Init == CloudletInit /\ channel = [p \in Pairs |-> <<>>] /\ flushed = [i \in Cloudlets |-> Zero]

AnyAsk == UNION {Asks[c] : c \in Clients}

Next ==
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientRead(c, o, i, G)
  \/ \E c \in Clients, o \in Objects, i \in Cloudlets, G \in AnyAsk : ClientWrite(c, o, i, G)
  \/ \E r \in held : ServeHeld(r)
  \/ \E i \in Cloudlets : FlushTimer(i)
  \/ \E j \in Cloudlets, i \in Cloudlets : Receive(j, i)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)

Spec == Init /\ [][Next]_vars

(* Fairness: what is under way arrives, timers fire, what can be executed or served is.         *)
Fairness ==
  /\ \A i \in Cloudlets : WF_vars(FlushTimer(i))
  /\ \A j \in Cloudlets, i \in Cloudlets : WF_vars(Receive(j, i))
  /\ \A i \in Cloudlets : WF_vars(\E u \in waiting[i] : Execute(i, u))
  /\ \A c \in Clients : WF_vars(\E r \in {q \in held : q.c = c} : ServeHeld(r))

FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* Claimed, III-E: with metadata flushes, nothing waits for what will never come. *)
ServedLive == \A c \in Clients : (\E r \in held : r.c = c) ~> ~(\E r \in held : r.c = c)
ExecutedLive == \A i \in Cloudlets : []<>(waiting[i] = {})

(* The same without fairness: when nothing is under way, nothing waits. *)
Quiet ==
  /\ \A p \in Pairs : channel[p] = <<>>
  /\ \A i \in Cloudlets : flushed[i] = News(i)
  /\ \A i \in Cloudlets : \A u \in waiting[i] : ~Ready(i, u)
NothingStuckInv ==
  Quiet => /\ \A i \in Cloudlets : waiting[i] = {}
           /\ \A r \in held : Safe(r)
           /\ \A w \in WritesOf(hist) : LET u == hist[w[1]][w[2]] IN
                \A i \in Replicas[u.obj] : u.id \in Members(Value(i)[u.obj])

(* And it comes to that: unless nothing is left to do, something happens that no client has to  *)
(* ask for. Each such step happens a bounded number of times in between.                         *)
MovesOn ==
  \/ \E r \in held : ServeHeld(r)
  \/ \E i \in Cloudlets : FlushTimer(i)
  \/ \E j \in Cloudlets, i \in Cloudlets : Receive(j, i)
  \/ \E i \in Cloudlets : \E u \in waiting[i] : Execute(i, u)
NoStallInv == (Quiet /\ held = {}) \/ ENABLED MovesOn
=============================================================================
