--------------------------- MODULE EntryConsistency ---------------------------
(***************************************************************************)
(* Do locks with forced release and quorum reads and writes give the three *)
(* guarantees of Metric's entry-consistent store (paper, section 3.1)?     *)
(*                                                                         *)
(* Modelled: one key; its lock with references handed out by consensus;    *)
(* forced release at any moment (a lease that ran out, or a holder wrongly *)
(* taken for failed, who is not told); critical get and put as separate    *)
(* messages to and from each replica; clients that give up or crash in the *)
(* middle of an operation.  Messages are a set that only grows: one may    *)
(* arrive at a replica at any later time, in any order, or never, so loss, *)
(* reordering, and replicas that are down for a while or cut off need no   *)
(* actions of their own.  A second arrival changes nothing, since replicas *)
(* keep the write with the highest stamp.                                  *)
(* Assumed, not checked: the lock service is linearizable ("distributed    *)
(* consensus"); a replica never loses a write it has stored; a client has  *)
(* one operation in progress.                                              *)
(* Out of scope: several keys (locks are per key), membership changes.     *)
(*                                                                         *)
(* Readings: the text promises the guarantees but doesn't say how the      *)
(* store orders writes or how a new holder starts.  As published: the lock *)
(* is checked when an operation starts, then the quorum operation runs,    *)
(* and replicas order writes by the clients' clocks (section 6:            *)
(* Cassandra).  Repairs:                                                   *)
(*   refStamp  writes are ordered by lock reference, then by number in the *)
(*             critical section, not by the clients' clocks                *)
(*   sync      after a forced release the next holder reads a quorum and   *)
(*             writes the newest value back before anything else           *)
(*   fence     a replica that has answered a read for sync, or stored a     *)
(*             write, refuses gets and puts of smaller references; an       *)
(*             operation needs no look at the lock, at its start or end    *)
(*   recheck   a put checks the lock again before it reports success; not  *)
(*             enough on its own, since a get isn't checked: kept to show  *)
(*             that                                                        *)
(*   look      where replicas cannot refuse (Cassandra): an operation that *)
(*             has its quorum, and a synchronization, looks at the lock    *)
(*             again before it reports success; in place of fence          *)
(* Of a way that is not enough, with refStamp:                             *)
(*   elapsed   one number stands for a stamp, in which a reference's       *)
(*             writes have the place of so much time: what is written      *)
(*             later than that has a later reference's place               *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, ClientHistory

CONSTANTS
  \* Clients of the store (Metric processes), numbered: numbers break ties of clocks.
  \* @type: Set(Int);
  Clients,
  \* Replicas of the key.
  \* @type: Set(Str);
  Replicas,
  \* Readings of the clients' clocks; 0 is used where no clock is read.
  \* @type: Set(Int);
  Times,
  \* Repairs in force.
  \* @type: Set(Str);
  Repairs

VARIABLES
  \* Number of lock references handed out; they grow.
  \* @type: Int;
  lastRef,
  \* The reference that holds the lock, 0 when it is free.
  \* @type: Int;
  holder,
  \* The lock was forcibly released and nobody has let go of it in peace since.
  \* @type: Bool;
  forced,
  \* ref[c]: the reference that client c believes it holds, 0 for none; a preempted holder keeps it.
  \* @type: Int -> Int;
  ref,
  \* op[c]: client c's operation in progress: replicas that answered and the newest write seen (or sent).
  \* @type: Int -> { kind: Str, from: Set(Str), best: { stamp: <<Int, Int>>, val: Int }, id: Int };
  op,
  \* clock[c]: the last clock reading that client c used as a stamp; its clock doesn't run backwards.
  \* @type: Int -> Int;
  clock,
  \* count[c]: number of writes sent in client c's critical section.
  \* @type: Int -> Int;
  count,
  \* Every write request ever sent to the replicas.
  \* @type: Set({ stamp: <<Int, Int>>, val: Int });
  writes,
  \* stored[r]: the write requests that replica r has received and stored (durable).
  \* @type: Str -> Set({ stamp: <<Int, Int>>, val: Int });
  stored,
  \* promised[r]: repair fence: r refuses gets and puts of smaller references (durable).
  \* @type: Str -> Int;
  promised,
  \* What clients asked and were told, one record an operation; a value is the number of the put that wrote it.
  \* @type: Seq({ status: Str, reads: Set(<<Str, Int>>), writes: Set(Str), after: Set(Int) });
  hist

lockVars   == <<lastRef, holder, forced, ref>>
storeVars  == <<writes, stored, promised>>
clientVars == <<op, clock, count>>
vars       == <<lockVars, storeVars, clientVars, hist>>

Quorums == {Q \in SUBSET Replicas : 2 * Cardinality(Q) > Cardinality(Replicas)}

\* @type: (<<Int, Int>>, <<Int, Int>>) => Bool;
Before(s, t) == s[1] < t[1] \/ (s[1] = t[1] /\ s[2] < t[2])

InitialWrite == [stamp |-> <<0, 0>>, val |-> 0]
Idle         == [kind |-> "none", from |-> {}, best |-> InitialWrite, id |-> 0]

\* The write with the highest stamp in a non-empty set: what a replica answers.
\* @type: (Set({ stamp: <<Int, Int>>, val: Int })) => { stamp: <<Int, Int>>, val: Int };
Newest(ws) == CHOOSE w \in ws : \A v \in ws : ~Before(w.stamp, v.stamp)

\* What getOne returns at replica r, and getQuorum at the replicas Q. Neither changes anything.
GetOne(r)    == Newest(stored[r])
GetQuorum(Q) == Newest(UNION {stored[r] : r \in Q})

Init ==
  /\ lastRef = 0 /\ holder = 0 /\ forced = FALSE
  /\ ref = [c \in Clients |-> 0]
  /\ op = [c \in Clients |-> Idle]
  /\ clock = [c \in Clients |-> 0]
  /\ count = [c \in Clients |-> 0]
  /\ writes = {InitialWrite}
  /\ stored = [r \in Replicas |-> {InitialWrite}]
  /\ promised = [r \in Replicas |-> 0]
  /\ hist = <<>>

-------------------------------------------------------------------------------
(* The lock *)

\* acquireLock: consensus gives a free lock to c, with a new reference.
AcquireLock(c) ==
  /\ ref[c] = 0 /\ holder = 0
  /\ lastRef' = lastRef + 1
  /\ holder' = lastRef + 1
  /\ ref' = [ref EXCEPT ![c] = lastRef + 1]
  /\ count' = [count EXCEPT ![c] = 0]
  /\ op' = IF forced /\ "sync" \in Repairs
           THEN [op EXCEPT ![c] = [Idle EXCEPT !.kind = "syncRead"]]
           ELSE op
  /\ UNCHANGED <<forced, clock, storeVars, hist>>

\* releaseLock by a client with nothing in progress; it has no effect for a preempted one. Whoever lets go
\* of the lock in peace has synchronized, if that was needed.
ReleaseLock(c) ==
  /\ ref[c] # 0 /\ op[c].kind = "none"
  /\ holder' = IF holder = ref[c] THEN 0 ELSE holder
  /\ forced' = IF holder = ref[c] THEN FALSE ELSE forced
  /\ ref' = [ref EXCEPT ![c] = 0]
  /\ UNCHANGED <<lastRef, clientVars, storeVars, hist>>

\* The store takes the lock away: lease over, or heartbeats missed. The holder isn't told.
ForcedRelease ==
  /\ holder # 0
  /\ holder' = 0
  /\ forced' = TRUE
  /\ UNCHANGED <<lastRef, ref, clientVars, storeVars, hist>>

\* The client crashes, or gets no answer and must not touch the key any more (section 3.3).
\* The lock stays until it is forcibly released.
GiveUp(c) ==
  /\ ref[c] # 0
  /\ ref' = [ref EXCEPT ![c] = 0]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lastRef, holder, forced, clock, count, storeVars, hist>>

-------------------------------------------------------------------------------
(* Critical operations *)

\* The look at the lock at the start of an operation.
Accepts(c) == Repairs \intersect {"fence", "look"} # {} \/ holder = ref[c]
\* The look at its end, at what its quorum has served.
Ends(c) == "look" \in Repairs => holder = ref[c]
\* Writes show replicas the reference that they belong to.
Fenced == {"fence", "refStamp"} \subseteq Repairs
\* Replica r does what a client with this reference asks.
Serves(r, reference) == "fence" \in Repairs => promised[r] <= reference

Completed == {i \in DOMAIN hist : hist[i].status = "ok"}
IsPut(i)  == hist[i].writes # {}

\* The stamp of c's next write; t is what its clock says: with elapsed, how often a reference's time has
\* passed since the lock was acquired.
StampOf(c, t) ==
  CASE "elapsed" \in Repairs  -> <<ref[c] + t, count[c] + 1>>
    [] "refStamp" \in Repairs -> <<ref[c], count[c] + 1>>
    [] OTHER                  -> <<t, c>>
MayStamp(c, t) ==
  CASE "elapsed" \in Repairs  -> t >= clock[c]
    [] "refStamp" \in Repairs -> t = 0
    [] OTHER                  -> t > clock[c]

SendWrite(c, t, v) ==
  /\ MayStamp(c, t)
  /\ clock' = [clock EXCEPT ![c] = t]
  /\ count' = [count EXCEPT ![c] = @ + 1]
  /\ writes' = writes \union {[stamp |-> StampOf(c, t), val |-> v]}

\* criticalPut, accepted: the lock is c's now, the write goes out to all replicas.
StartPut(c, t) ==
  LET id == Len(hist) + 1
  IN  /\ ref[c] # 0 /\ op[c].kind = "none"
      /\ Accepts(c)
      /\ SendWrite(c, t, id)
      /\ op' = [op EXCEPT ![c] = [kind |-> "put", from |-> {}, id |-> id,
                                  best |-> [stamp |-> StampOf(c, t), val |-> id]]]
      /\ hist' = Append(hist, [status |-> "unknown", reads |-> {}, writes |-> {"x"}, after |-> Completed])
      /\ UNCHANGED <<lockVars, stored, promised>>

\* A replica stores a write.
StoreWrite(r, w) ==
  /\ w \in writes \ stored[r]
  /\ Fenced => Serves(r, w.stamp[1])
  /\ stored' = [stored EXCEPT ![r] = @ \union {w}]
  /\ promised' = IF Fenced /\ w.stamp[1] > promised[r] THEN [promised EXCEPT ![r] = w.stamp[1]] ELSE promised
  /\ UNCHANGED <<lockVars, clientVars, writes, hist>>

StoredAtQuorum(w) == {r \in Replicas : w \in stored[r]} \in Quorums

\* Acknowledgements from a quorum: the put is reported as done.
FinishPut(c) ==
  /\ op[c].kind = "put"
  /\ StoredAtQuorum(op[c].best)
  /\ "recheck" \in Repairs => holder = ref[c]
  /\ Ends(c)
  /\ hist' = [hist EXCEPT ![op[c].id].status = "ok"]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lockVars, clock, count, storeVars>>

\* criticalGet, accepted: the lock is c's now, every replica is asked.
StartGet(c) ==
  /\ ref[c] # 0 /\ op[c].kind = "none"
  /\ Accepts(c)
  /\ op' = [op EXCEPT ![c] = [Idle EXCEPT !.kind = "get", !.id = Len(hist) + 1]]
  /\ hist' = Append(hist, [status |-> "unknown", reads |-> {}, writes |-> {}, after |-> Completed])
  /\ UNCHANGED <<lockVars, clock, count, storeVars>>

\* Replica r's answer to a get or to the read of a synchronization, which makes it promise (repair fence).
ReadReply(c, r) ==
  /\ op[c].kind \in {"get", "syncRead"}
  /\ r \notin op[c].from
  /\ op[c].from \notin Quorums
  /\ Serves(r, ref[c])
  /\ promised' = IF op[c].kind = "syncRead" /\ "fence" \in Repairs THEN [promised EXCEPT ![r] = ref[c]] ELSE promised
  /\ op' = [op EXCEPT ![c].from = @ \union {r}, ![c].best = Newest({@, GetOne(r)})]
  /\ UNCHANGED <<lockVars, clock, count, writes, stored, hist>>

\* A quorum has answered: the newest value is the result.
FinishGet(c) ==
  /\ op[c].kind = "get" /\ op[c].from \in Quorums
  /\ Ends(c)
  /\ hist' = [hist EXCEPT ![op[c].id].status = "ok",
                          ![op[c].id].reads = {<<"x", op[c].best.val>>}]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lockVars, clock, count, storeVars>>

\* The store rejects an operation (or its second check): c learns that it was preempted. With repair
\* fence a replica refuses it, or the lock service answers a heartbeat so.
Reject(c) ==
  /\ ref[c] # 0 /\ holder # ref[c]
  /\ op[c].kind = "put" => Repairs \intersect {"recheck", "fence", "look"} # {}
  /\ op[c].kind = "get" => Repairs \intersect {"fence", "look"} # {}
  /\ ref' = [ref EXCEPT ![c] = 0]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lastRef, holder, forced, clock, count, storeVars, hist>>

-------------------------------------------------------------------------------
(* Synchronization after a forced release (repair sync) *)

\* A quorum has answered: write the newest value back under the new reference.
SyncWriteBack(c, t) ==
  /\ op[c].kind = "syncRead" /\ op[c].from \in Quorums
  /\ SendWrite(c, t, op[c].best.val)
  /\ op' = [op EXCEPT ![c] = [Idle EXCEPT !.kind = "syncWrite",
                                          !.best = [stamp |-> StampOf(c, t), val |-> op[c].best.val]]]
  /\ UNCHANGED <<lockVars, stored, promised, hist>>

\* The value is back at a quorum: the critical section may start.
FinishSync(c) ==
  /\ op[c].kind = "syncWrite"
  /\ StoredAtQuorum(op[c].best)
  /\ "fence" \in Repairs \/ holder = ref[c]
  /\ op' = [op EXCEPT ![c] = Idle]
  /\ UNCHANGED <<lockVars, clock, count, storeVars, hist>>

Next ==
  \/ \E c \in Clients : AcquireLock(c)
  \/ \E c \in Clients : ReleaseLock(c)
  \/ ForcedRelease
  \/ \E c \in Clients : GiveUp(c)
  \/ \E c \in Clients, t \in Times : StartPut(c, t)
  \/ \E r \in Replicas, w \in writes : StoreWrite(r, w)
  \/ \E c \in Clients : FinishPut(c)
  \/ \E c \in Clients : StartGet(c)
  \/ \E c \in Clients, r \in Replicas : ReadReply(c, r)
  \/ \E c \in Clients : FinishGet(c)
  \/ \E c \in Clients : Reject(c)
  \/ \E c \in Clients, t \in Times : SyncWriteBack(c, t)
  \/ \E c \in Clients : FinishSync(c)

Spec == Init /\ [][Next]_vars

\* Messages between a client and a replica arrive while both work; a client that may finish does.
Fairness ==
  /\ \A r \in Replicas : WF_vars(\E w \in writes : StoreWrite(r, w))
  /\ \A c \in Clients :
       /\ \A r \in Replicas : WF_vars(ReadReply(c, r))
       /\ WF_vars(FinishPut(c)) /\ WF_vars(FinishGet(c)) /\ WF_vars(Reject(c))
       /\ \A t \in Times : WF_vars(SyncWriteBack(c, t))
       /\ WF_vars(FinishSync(c))

FairSpec == Spec /\ Fairness

-------------------------------------------------------------------------------
(* Claims *)

TypeInv ==
  /\ holder \in 0..lastRef
  /\ ref \in [Clients -> 0..lastRef]
  /\ forced \in BOOLEAN
  /\ \A c \in Clients : op[c].kind \in {"none", "put", "get", "syncRead", "syncWrite"}
  /\ \A r \in Replicas : stored[r] \subseteq writes /\ promised[r] \in 0..lastRef

\* MET-EC1, first half (claimed, 3.1): at most one client may start critical operations.
OneHolderInv ==
  \A c, d \in Clients : ref[c] # 0 /\ ref[d] # 0 /\ ref[c] = holder /\ ref[d] = holder => c = d

\* MET-EC1 second half, MET-EC2, MET-EC3 (claimed, 3.1): some order of all critical gets and puts that
\* respects real time explains every answer: reads return the latest value, whoever was preempted
\* in the middle of whatever; a put of a preempted holder is never acknowledged and then lost.
LatestValueInv ==
  StrictSerializable(Completed, DOMAIN hist \ Completed, [i \in DOMAIN hist |-> hist[i].reads],
                     [i \in DOMAIN hist |-> hist[i].writes], 0,
                     UNION {{<<i, j>> : i \in hist[j].after} : j \in DOMAIN hist})

\* MET-FN5 (implied by footnote 5): a getQuorum that starts after an acknowledged put sees that put or a newer one.
QuorumFreshInv ==
  \A i \in Completed : IsPut(i) =>
    \A Q \in Quorums : \E w \in writes : w.val = i /\ ~Before(GetQuorum(Q).stamp, w.stamp)

\* MET-QUORUM (claimed, 3.3): an operation of a client that neither crashes nor gives up ends while the replicas answer.
OperationEndsLive == \A c \in Clients : op[c].kind # "none" ~> op[c].kind = "none"

\* A holder that was preempted in the middle of a put and doesn't know it.
PreemptedPutReach == \E c \in Clients : op[c].kind = "put" /\ holder \notin {0, ref[c]}
\* A preempted holder's put has its quorum, and nothing but the lock says that it is not to be acknowledged.
PreemptedQuorumReach ==
  \E c \in Clients : op[c].kind = "put" /\ StoredAtQuorum(op[c].best) /\ holder \notin {0, ref[c]}
\* getOne returns an old value although a newer one was acknowledged.
GetOneStaleReach == \E r \in Replicas, i \in Completed : IsPut(i) /\ GetOne(r).val < i
\* Two getQuorums return different values while the lock is free.
GetQuorumDiffersReach ==
  holder = 0 /\ \E P, Q \in Quorums : GetQuorum(P) # GetQuorum(Q)
\* A new holder reads what a preempted holder wrote in a put that was never acknowledged.
RolledForwardReach ==
  \E i, j \in DOMAIN hist :
    hist[i].status = "unknown" /\ IsPut(i) /\ ~IsPut(j) /\ j \in Completed /\ <<"x", i>> \in hist[j].reads
      /\ \A c \in Clients : op[c].id # i
===============================================================================
