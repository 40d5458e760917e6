----------------------- MODULE EntryConsistencyContracts -----------------------
(***************************************************************************)
(* What the store, its clients and its replicas owe each other. The paper  *)
(* claims none of this; mutants of EntryConsistency that leave its claims  *)
(* intact are caught here.                                                 *)
(***************************************************************************)
EXTENDS MCEntryConsistency

Repaired(name) == name \in Repairs
Writing == {"put", "syncWrite"}
Reading == {"get", "syncRead"}

-----------------------------------------------------------------------------
(* The lock *)

\* References grow; a lock is given when it is free, to one client, under a new reference.
GrantStep == [][
  /\ holder' \notin {0, holder} => /\ holder = 0 /\ lastRef' = lastRef + 1 /\ holder' = lastRef'
                                   /\ \E c \in Clients : ref[c] = 0 /\ ref'[c] = holder'
  /\ lastRef' # lastRef => holder' = lastRef'
  /\ \A c \in Clients : ref'[c] \notin {0, ref[c]} => ref[c] = 0 /\ ref'[c] = holder']_vars

\* A lock becomes free by force, or because a holder with nothing in progress lets go.
FreedStep == [][
  /\ holder # 0 /\ holder' = 0 =>
       \/ forced' /\ ref' = ref
       \/ ~forced' /\ \E c \in Clients : ref[c] = holder /\ ref'[c] = 0 /\ op[c].kind = "none"
  /\ ~forced /\ forced' => holder # 0 /\ holder' = 0]_vars

\* Who lets go of a lock frees no other; who lets go in peace frees its own.
ReleaseStep == [][\A c \in Clients : ref[c] # 0 /\ ref'[c] = 0 =>
  holder' = holder \/ (holder = ref[c] /\ holder' = 0)]_vars

\* After a forced release nothing else happens under the lock until the newest value is written back: a
\* holder that is past that has sent a write.
ForcedInv == Repaired("sync") =>
  \A c \in Clients : forced /\ ref[c] # 0 /\ ref[c] = holder =>
    op[c].kind \in {"syncRead", "syncWrite"} \/ count[c] > 0
\* A forced release is over when a holder lets go in peace.
ForcedStep == [][forced /\ ~forced' => \E c \in Clients :
  ref[c] = holder /\ ref'[c] = 0 /\ op[c].kind = "none"]_vars
\* Only then.
SyncStep == [][\A c \in Clients : op[c].kind = "none" /\ op'[c].kind = "syncRead" => forced /\ Repaired("sync")]_vars

\* A free lock is anybody's who has none, whatever others believe. Its holder can use it and let go of it, and who has lost
\* it hears so.
CanInv == \A c \in Clients :
  /\ ref[c] = 0 /\ holder = 0 => ENABLED AcquireLock(c)
  /\ ref[c] # 0 /\ op[c].kind = "none" =>
       IF holder = ref[c] THEN ENABLED ReleaseLock(c) /\ ENABLED StartGet(c) /\ \E t \in Times : ENABLED StartPut(c, t)
       ELSE ENABLED Reject(c)

-----------------------------------------------------------------------------
(* Clients *)

\* Without a lock or an operation nothing is kept of one.
IdleInv == \A c \in Clients : ref[c] = 0 \/ op[c].kind = "none" => op[c] = Idle

KindStep == [][\A c \in Clients : op[c].kind # op'[c].kind => <<op[c].kind, op'[c].kind>> \in
  {<<"none", "put">>, <<"none", "get">>, <<"none", "syncRead">>, <<"put", "none">>, <<"get", "none">>,
   <<"syncRead", "syncWrite">>, <<"syncRead", "none">>, <<"syncWrite", "none">>}]_vars

\* An operation is accepted from the lock's holder, and is the client's only one.
AcceptStep == [][\A c \in Clients :
  /\ op'[c].kind \in {"put", "get"} /\ op[c].kind = "none" =>
       (Repaired("fence") \/ Repaired("look") \/ holder = ref[c]) /\ Len(hist') = Len(hist) + 1 /\ op'[c].id = Len(hist')
  /\ op'[c].kind = op[c].kind => op'[c].id = op[c].id]_vars
AcceptedStep == [][Len(hist') # Len(hist) =>
  /\ SubSeq(hist', 1, Len(hist)) = hist
  /\ hist'[Len(hist')].after = Completed /\ hist'[Len(hist')].reads = {}
  /\ \E c \in Clients : op'[c].id = Len(hist')
                        /\ (op'[c].kind = "put") = (hist'[Len(hist')].writes # {})]_vars

\* What is written has gone out, carries its put's number, or a value that was read.
WritingInv == \A c \in Clients : op[c].kind \in Writing =>
  /\ op[c].best \in writes /\ op[c].from = {}
  /\ op[c].kind = "put" => op[c].best.val = op[c].id
  /\ Repaired("refStamp") => op[c].best.stamp[1] = ref[c]

\* Every stamp is used once, and a client's grow.
StampInv ==
  /\ \A v, w \in writes : v.stamp = w.stamp => v = w
  /\ \A c \in Clients :
       IF Repaired("refStamp")
       THEN ref[c] # 0 => count[c] = Cardinality({w \in writes : w.stamp[1] = ref[c]})
                          /\ \A w \in writes : w.stamp[1] = ref[c] => w.stamp[2] <= count[c]
       ELSE \A w \in writes : w.stamp[2] = c => w.stamp[1] <= clock[c]
ClockInv == \A c \in Clients : clock[c] # 0 => \E w \in writes : w.stamp = <<clock[c], c>>

\* A read has asked no more replicas than it needs, and knows what they answered.
ReadingInv == \A c \in Clients : op[c].kind \in Reading =>
  /\ op[c].best \in writes
  /\ \A r \in op[c].from : op[c].from \ {r} \notin Quorums
ReadStep == [][\A c \in Clients : op'[c].kind = op[c].kind /\ op'[c] # op[c] =>
  \E r \in Replicas \ op[c].from :
    /\ op[c].kind \in Reading /\ op'[c].from = op[c].from \union {r}
    /\ op'[c].best \in {op[c].best, GetOne(r)}
    /\ ~Before(op'[c].best.stamp, op[c].best.stamp) /\ ~Before(op'[c].best.stamp, GetOne(r).stamp)]_vars

\* A client is told what its quorum said, once.
ToldStep == [][\A i \in DOMAIN hist : hist'[i] # hist[i] => \E c \in Clients :
  /\ op[c].id = i /\ op'[c].kind = "none" /\ hist[i].status = "unknown" /\ hist'[i].status = "ok"
  /\ Repaired("look") => holder = ref[c]
  /\ IF IsPut(i) THEN /\ StoredAtQuorum(op[c].best) /\ hist'[i].reads = {}
                      /\ Repaired("recheck") => holder = ref[c]
     ELSE op[c].from \in Quorums /\ hist'[i].reads = {<<"x", op[c].best.val>>}]_vars

\* A client stops in peace when it was told, has synchronized or gives its reference up.
EndStep == [][\A c \in Clients : op[c].kind # "none" /\ op'[c].kind = "none" =>
  \/ ref'[c] = 0
  \/ op[c].kind = "syncWrite" /\ StoredAtQuorum(op[c].best) /\ (Repaired("fence") \/ holder = ref[c])
  \/ op[c].id # 0 /\ hist'[op[c].id].status = "ok"]_vars

-----------------------------------------------------------------------------
(* Replicas *)

\* Replicas forget nothing, and store nothing that wasn't sent; writes come from clients.
StoredStep == [][
  /\ \A r \in Replicas : stored[r] \subseteq stored'[r]
  /\ writes \subseteq writes'
  /\ writes' # writes => \E c \in Clients : /\ op'[c] # op[c] /\ op'[c].kind \in Writing
                                            /\ writes' = writes \union {op'[c].best}]_vars
\* A promise is made to who reads for a synchronization, or writes; it stands, and what is smaller is refused.
Answers(c, r) == op[c].kind \in Reading /\ r \in op'[c].from \ op[c].from
PromiseStep == [][\A r \in Replicas :
  /\ promised'[r] # promised[r] =>
       /\ Repaired("fence") /\ promised'[r] > promised[r]
       /\ \/ \E c \in Clients : op[c].kind = "syncRead" /\ Answers(c, r) /\ promised'[r] = ref[c]
          \/ Fenced /\ \E w \in stored'[r] \ stored[r] : promised'[r] = w.stamp[1]
  /\ Repaired("fence") => \A c \in Clients : Answers(c, r) =>
       promised[r] <= ref[c] /\ (op[c].kind = "syncRead" => promised'[r] = ref[c])
  /\ Fenced => \A w \in stored'[r] \ stored[r] : promised[r] <= w.stamp[1] /\ promised'[r] = w.stamp[1]]_vars
\* What is synchronized is what a quorum had.
SyncWriteStep == [][\A c \in Clients : op'[c].kind = "syncWrite" /\ op[c].kind = "syncRead" =>
  op[c].from \in Quorums /\ op'[c].best.val = op[c].best.val /\ op'[c].id = 0]_vars
===============================================================================
