--------------------------- MODULE EngageCloudlet ---------------------------
(***************************************************************************)
(* What do an ENGAGE client and a cloudlet do by themselves?               *)
(* (ENGAGE: Session Guarantees for the Edge, III-C, III-D and the rule of  *)
(* III-E for applying remote updates.) How updates and metadata travel is  *)
(* left to the modules that extend this one.                               *)
(*                                                                         *)
(* Modelled: the clocks of objects, cloudlets and clients; reads and       *)
(* writes with guarantees chosen per operation; requests held until safe;  *)
(* migration between any two cloudlets that replicate the object; clocks   *)
(* sent always or only on the first operation after moving; the queue of   *)
(* received updates that are not yet executed.                             *)
(* Assumed, not checked: a cloudlet is linearizable (III-C), here one      *)
(* process; a client has one operation outstanding; a request and its      *)
(* reply are one exchange, and nothing else touches the client meanwhile.  *)
(* Out of scope: data placement, which III-A takes as given.               *)
(*                                                                         *)
(* The value of an object is the sequence of the updates applied to it:    *)
(* III-F calls the payload "the update operation itself", and a value that *)
(* forgets nothing lets a client tell which updates a replica holds.       *)
(*                                                                         *)
(* Readings: clocks are sent always, or only on the first operation after  *)
(* moving (III-D).                                                         *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, SessionHistory

CONSTANTS
  \* @type: Set(Str);
  Cloudlets,
  \* A number for each cloudlet, all different: breaks ties between concurrent updates.
  \* @type: Str -> Int;
  Rank,
  \* @type: Set(Str);
  Objects,
  \* The cloudlets that replicate each object (known to all, III-A).
  \* @type: Str -> Set(Str);
  Replicas,
  \* @type: Set(Str);
  Clients,
  \* The sets of guarantees that each client may choose from, operation by operation.
  \* @type: Str -> Set(Set(Str));
  Asks,
  \* How many operations each client performs.
  \* @type: Str -> Int;
  MaxOps,
  \* When a client sends its clocks: "always", or "first", that is on the first operation
  \* after moving to a cloudlet (III-D, last paragraph).
  \* @type: Str;
  SendClocks,
  \* How III-F's "immediately (or after its dependencies finish executing)" is read:
  \* "at once", or "in order" (received, then executed as III-E's rule allows).
  \* @type: Str;
  Apply,
  \* The repairs in force; {} is the protocol as published.
  \* @type: Set(Str);
  Repairs

VARIABLES
  \* V_*^i, the cloudlet vector clock; its own entry is the local sequence number.
  \* @type: Str -> (Str -> Int);
  clock,
  \* For each cloudlet and object there: log, the updates applied in order of the value,
  \* and vc, the object's clock V_o^i.
  \* @type: Str -> (Str -> { log: Seq({ src: Str, snb: Int, obj: Str, vc: Str -> Int }), vc: Str -> Int });
  store,
  \* Updates received at a cloudlet and not yet executed there (III-E's list of pending updates).
  \* @type: Str -> Set({ src: Str, snb: Int, obj: Str, vc: Str -> Int });
  waiting,
  \* What a cloudlet has been told about other cloudlets' sequence numbers, waiting updates
  \* included. Used by the repair "holdFlush" alone.
  \* @type: Str -> (Str -> Int);
  heard,
  \* V_c^R: the past of all objects that the client has read.
  \* @type: Str -> (Str -> Int);
  readClock,
  \* V_c^W: the writes that the client has performed.
  \* @type: Str -> (Str -> Int);
  writeClock,
  \* What the client's own updates are tagged with. Its next update is tagged with that, and no
  \* request waits for it. It is writeClock where the repair "keepTag" is not in force.
  \* @type: Str -> (Str -> Int);
  tagClock,
  \* The cloudlet at which the client may leave its clocks out, or "none".
  \* @type: Str -> Str;
  attached,
  \* The requests that cloudlets hold until it is safe to execute them (III-D).
  \* @type: Set({ c: Str, op: Str, obj: Str, at: Str, g: Set(Str) });
  held,
  \* What each client did and saw; read by no action, only by properties.
  \* @type: Str -> Seq({ op: Str, obj: Str, at: Str, g: Set(Str), id: <<Str, Int>>, saw: Seq(<<Str, Int>>) });
  hist

cloudletVars == <<clock, store, waiting, heard>>
clientVars == <<readClock, writeClock, tagClock, attached, held, hist>>

(* "ownEntry": news of an update raises its source's entry alone. "holdFlush": an entry stops    *)
(* short of updates still waiting. "totalOrder": concurrent updates are ordered alike           *)
(* everywhere. "covered", "sendOnWrite": when clocks may be left out. "keepTag": a client's next *)
(* update is tagged with all that its last was tagged with. It needs "sendOnWrite".             *)
SessionRepairs == {"ownEntry", "holdFlush", "totalOrder", "covered", "sendOnWrite", "keepTag"}

-----------------------------------------------------------------------------
(* Vector clocks: functions from cloudlets to sequence numbers. *)
Zero == [j \in Cloudlets |-> 0]
Max(v, w) == [j \in Cloudlets |-> IF v[j] >= w[j] THEN v[j] ELSE w[j]]
Geq(v, w) == \A j \in Cloudlets : v[j] >= w[j]
Only(j, n) == [Zero EXCEPT ![j] = n]

RECURSIVE SumOver(_, _)
SumOver(v, S) == IF S = {} THEN 0 ELSE LET j == CHOOSE k \in S : TRUE IN v[j] + SumOver(v, S \ {j})
Sum(v) == SumOver(v, Cloudlets)

IdOf(u) == <<u.src, u.snb>>
Ids(log) == [n \in 1..Len(log) |-> IdOf(log[n])]
Here(i) == {o \in Objects : i \in Replicas[o]}

(* The entries that the news of update u may raise in a cloudlet's clock. As published all of   *)
(* the update's clock, so also entries for updates that its writer knew and never waited for.   *)
Covers(u) == IF "ownEntry" \in Repairs THEN Only(u.src, u.snb) ELSE u.vc

(* The value after one more update. As published an update is applied when it comes. Repaired,  *)
(* updates are kept in an order that is the same everywhere. It extends causality where a tag   *)
(* covers those of what it depends on, for then its sum is larger: "keepTag" (ENGAGE-F10).      *)
After(u, v) == \/ Sum(u.vc) > Sum(v.vc)
               \/ Sum(u.vc) = Sum(v.vc) /\ Rank[u.src] > Rank[v.src]
Insert(log, u) ==
  IF "totalOrder" \in Repairs
  THEN LET n == Cardinality({m \in 1..Len(log) : After(u, log[m])}) IN
       SubSeq(log, 1, n) \o <<u>> \o SubSeq(log, n + 1, Len(log))
  ELSE Append(log, u)
Put(object, u) == [log |-> Insert(object.log, u), vc |-> Max(object.vc, u.vc)]

-----------------------------------------------------------------------------
(* Clients' requests (III-D). *)

(* The clocks that come with request r: zeros when the client leaves them out, as published on  *)
(* every operation but the first at a cloudlet. Repaired, a write always brings them, for its   *)
(* update is tagged with them.                                                                  *)
SendsClocks(r) ==
  \/ SendClocks = "always"
  \/ attached[r.c] # r.at
  \/ "sendOnWrite" \in Repairs /\ r.op = "w"
SentRead(r) == IF SendsClocks(r) THEN readClock[r.c] ELSE Zero
SentWrite(r) == IF SendsClocks(r) THEN writeClock[r.c] ELSE Zero
SentTag(r) == IF SendsClocks(r) THEN tagClock[r.c] ELSE Zero

Safe(r) ==
  /\ r.g \cap {"WFR", "MR"} # {} => Geq(clock[r.at], SentRead(r))
  /\ r.g \cap {"MW", "RYW"} # {} => Geq(clock[r.at], SentWrite(r))

(* Where the client may leave its clocks out after r: as published wherever it just was.        *)
(* Repaired, the reply says whether the cloudlet's clock v covers the client's, and only then.  *)
AttachedAfter(r, v, rc, wc) ==
  IF "covered" \in Repairs /\ ~(Geq(v, rc) /\ Geq(v, wc)) THEN "none" ELSE r.at

(* The update that a write makes. *)
NewUpdate(r) ==
  LET snb == clock[r.at][r.at] + 1 IN
  [src |-> r.at, snb |-> snb, obj |-> r.obj,
   vc |-> Max(Max(store[r.at][r.obj].vc, Only(r.at, snb)), Max(SentRead(r), SentTag(r)))]

(* Finish a read: the client's read clock covers the object's past. *)
ServeRead(r) ==
  LET rc == Max(readClock[r.c], store[r.at][r.obj].vc) IN
  /\ readClock' = [readClock EXCEPT ![r.c] = rc]
  /\ attached' = [attached EXCEPT ![r.c] = AttachedAfter(r, clock[r.at], rc, writeClock[r.c])]
  /\ hist' = [hist EXCEPT ![r.c] = Append(@, [op |-> "r", obj |-> r.obj, at |-> r.at, g |-> r.g,
                                              id |-> <<"none", 0>>, saw |-> Ids(store[r.at][r.obj].log)])]
  /\ UNCHANGED <<clock, store, waiting, heard, writeClock, tagClock>>

(* What a client keeps of an update that it made. Of what RYW and MW wait for: one entry. Of    *)
(* what its next update is tagged with: as published the same, repaired all of the tag.         *)
Kept(u) == Only(u.src, u.snb)
KeptTag(u) == IF "keepTag" \in Repairs THEN u.vc ELSE Kept(u)

(* Finish a write; sending the new update is the extending module's part of the same step. *)
ServeWrite(r) ==
  LET u == NewUpdate(r)
      v == Max(clock[r.at], Only(r.at, u.snb))
      wc == Max(writeClock[r.c], Kept(u))
  IN
  /\ clock' = [clock EXCEPT ![r.at] = v]
  /\ store' = [store EXCEPT ![r.at][r.obj] = Put(@, u)]
  /\ writeClock' = [writeClock EXCEPT ![r.c] = wc]
  /\ tagClock' = [tagClock EXCEPT ![r.c] = Max(@, KeptTag(u))]
  /\ attached' = [attached EXCEPT ![r.c] = AttachedAfter(r, v, readClock[r.c], wc)]
  /\ hist' = [hist EXCEPT ![r.c] = Append(@, [op |-> "w", obj |-> r.obj, at |-> r.at, g |-> r.g,
                                              id |-> IdOf(u), saw |-> <<>>])]
  /\ UNCHANGED <<waiting, heard, readClock>>

Request(c, op, o, i, G) == [c |-> c, op |-> op, obj |-> o, at |-> i, g |-> G]

MayAsk(r) ==
  /\ r.at \in Replicas[r.obj]
  /\ r.g \in Asks[r.c]
  /\ Len(hist[r.c]) < MaxOps[r.c]
  /\ \A q \in held : q.c # r.c

(* The cloudlet keeps a request that it is not safe to execute. *)
Hold(r) ==
  /\ held' = held \union {r}
  /\ UNCHANGED <<cloudletVars, readClock, writeClock, tagClock, attached, hist>>

-----------------------------------------------------------------------------
(* Remote updates and metadata at cloudlet i. *)

(* The clock of i after hearing h, with W still to be executed. As published all that is heard  *)
(* counts at once; repaired, an entry stops short of the source's first waiting update.         *)
Reveal(i, h, W) ==
  [j \in Cloudlets |->
     LET behind == {u.snb - 1 : u \in {w \in W : w.src = j}}
         known == IF "holdFlush" \in Repairs /\ behind # {}
                  THEN CHOOSE n \in behind \union {h[j]} : \A m \in behind \union {h[j]} : n <= m
                  ELSE h[j]
     IN IF known > clock[i][j] THEN known ELSE clock[i][j]]
Heard(i, v) == IF "holdFlush" \in Repairs THEN Max(heard[i], v) ELSE heard[i]

(* Metadata alone: a flush. *)
LearnClock(i, v) ==
  /\ heard' = [heard EXCEPT ![i] = Heard(i, v)]
  /\ clock' = [clock EXCEPT ![i] = Reveal(i, Max(Heard(i, v), v), waiting[i])]
  /\ UNCHANGED <<store, waiting>>

(* An update together with metadata v that was sent before it. *)
LearnUpdate(i, u, v) ==
  IF Apply = "at once"
  THEN /\ store' = [store EXCEPT ![i][u.obj] = Put(@, u)]
       /\ clock' = [clock EXCEPT ![i] = Max(Max(@, v), Covers(u))]
       /\ UNCHANGED <<waiting, heard>>
  ELSE /\ waiting' = [waiting EXCEPT ![i] = @ \union {u}]
       /\ heard' = [heard EXCEPT ![i] = Heard(i, v)]
       /\ clock' = [clock EXCEPT ![i] = Reveal(i, Max(Heard(i, v), v), waiting[i] \union {u})]
       /\ UNCHANGED store

(* III-E's two conditions. *)
Ready(i, u) ==
  /\ \A w \in waiting[i] : w.src = u.src => w.snb >= u.snb
  /\ \A j \in Cloudlets \ {u.src} : clock[i][j] >= u.vc[j]

(* A waiting update is executed. *)
ExecuteUpdate(i, u) ==
  LET rest == waiting[i] \ {u} IN
  /\ Ready(i, u)
  /\ store' = [store EXCEPT ![i][u.obj] = Put(@, u)]
  /\ waiting' = [waiting EXCEPT ![i] = rest]
  /\ heard' = [heard EXCEPT ![i] = Heard(i, Covers(u))]
  /\ clock' = [clock EXCEPT ![i] = Reveal(i, Max(Heard(i, Covers(u)), Covers(u)), rest)]

-----------------------------------------------------------------------------
CloudletInit ==
  /\ clock = [i \in Cloudlets |-> Zero]
  /\ store = [i \in Cloudlets |-> [o \in Here(i) |-> [log |-> <<>>, vc |-> Zero]]]
  /\ waiting = [i \in Cloudlets |-> {}]
  /\ heard = [i \in Cloudlets |-> Zero]
  /\ readClock = [c \in Clients |-> Zero]
  /\ writeClock = [c \in Clients |-> Zero]
  /\ tagClock = [c \in Clients |-> Zero]
  /\ attached = [c \in Clients |-> "none"]
  /\ held = {}
  /\ hist = [c \in Clients |-> <<>>]

-----------------------------------------------------------------------------
(* Properties. *)
Value(i) == [o \in Here(i) |-> Ids(store[i][o].log)]
ReplicaLooks == UNION {LooksOfReplica(Value(i)) : i \in Cloudlets}

(* Claimed, III-D: each guarantee for the operations that ask for it. *)
ReadYourWritesInv == ReadYourWrites(hist)
MonotonicReadsInv == MonotonicReads(hist)
WritesFollowReadsInv == WritesFollowReads(hist, ReplicaLooks)
MonotonicWritesInv == MonotonicWrites(hist, ReplicaLooks)

(* The same two, judged from completed reads only. *)
ObservedWritesFollowReadsInv == WritesFollowReads(hist, LooksOfHistory(hist))
ObservedMonotonicWritesInv == MonotonicWrites(hist, LooksOfHistory(hist))

(* Claimed, II-A and III-D: combined, the four give causal consistency.                         *)
CausalInv == CausalReads(hist)

(* Claimed, III-B: updates become visible at other replicas in an order that does not violate   *)
(* causality: each only where its dependencies on objects replicated there are.                 *)
CausalVisibilityInv ==
  \A w \in WritesOf(hist) :
    LET u == hist[w[1]][w[2]] IN
    CausallyVisible(hist, UNION {LooksOfReplica(Value(i)) : i \in Cloudlets \ {u.at}}, w)

(* Implied: Terry et al.'s guarantees order writes the same way at every server; Bayou, of      *)
(* which III-D says that the client's part is unchanged, converges.                             *)
AgreementInv ==
  \A o \in Objects : \A i, j \in Replicas[o] :
    Members(Value(i)[o]) = Members(Value(j)[o]) => Value(i)[o] = Value(j)[o]

(* Ours, the reason why the four hold: what a cloudlet's clock covers and the cloudlet          *)
(* replicates has been applied there.                                                           *)
ClockTruthInv ==
  \A w \in WritesOf(hist) :
    LET u == hist[w[1]][w[2]] IN
    \A i \in Replicas[u.obj] :
      clock[i][u.at] >= u.id[2] => u.id \in Members(Value(i)[u.obj])

(* Ours, what "keepTag" must not cost: a request that asks for its client's writes alone waits  *)
(* for them alone.                                                                              *)
OwnAloneInv ==
  \A r \in held :
    r.g \cap {"WFR", "MR"} = {} /\ ~Safe(r) =>
      \E w \in WritesOf(hist) :
        LET u == hist[w[1]][w[2]] IN w[1] = r.c /\ clock[r.at][u.at] < u.id[2]

(* Reachable: a request is held, and two updates wait. *)
HeldReach == held # {}
WaitingReach == \E i \in Cloudlets : Cardinality(waiting[i]) >= 2
=============================================================================
