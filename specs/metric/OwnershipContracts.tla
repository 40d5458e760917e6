--------------------------- MODULE OwnershipContracts ---------------------------
(***************************************************************************)
(* What Metric processes, the redo log's entries and the table directory   *)
(* owe each other. The paper claims none of this; mutants of Ownership     *)
(* that leave its claims intact are caught here.                           *)
(***************************************************************************)
EXTENDS MCOwnership

\* A later query uses the table of an earlier one again, and another process uses it, too.
Again == 1 :> << <<T1, Both>> >> @@ 2 :> << <<T1>> >>
\* A process alone: a later query leaves a table of an own() before it behind, which the next transaction uses.
Left == 1 :> << <<Both>>, <<T1, {"T3"}>>, <<T2>> >> @@ 2 :> << >>

\* Constraint: a lock is lost between the queries of process 1, which does not begin again.
BetweenQueries == faults.expiries > 0 => query[1] > 1

Repaired(name) == name \in Repairs
Keeping == Repaired("hold") \/ Across = "keep"
\* own() is at a table.
AtTable(p) == pc[p] \in {"lockDir", "find", "lockFound", "findAgain", "add", "adding", "point", "pointing"}
\* own() has found and locked the table's latest entry.
HasFound(p) == pc[p] \in {"findAgain", "add", "adding", "point", "pointing"}
\* p has gone through own() for its query, or is before it.
Settled(p) == pc[p] \in {"idle", "query", "create", "lockNew", "populate", "execute", "commit"}
\* What p's later query comes back to is another's by now (repair unbroken); its entry sorts below (above).
Overtaken(p) == Repaired("unbroken") /\ table[p] \in Used(p) /\ found[p] # via[p][table[p]]
Older(p) == Repaired("above") /\ Before(mine[p], found[p])
IsPrefix(q, s) == Len(q) <= Len(s) /\ q = SubSeq(s, 1, Len(q))

-----------------------------------------------------------------------------
(* A process                                                               *)

PcStep == [][\A p \in Procs : pc'[p] # pc[p] => <<pc[p], pc'[p]>> \in
  {<<"idle", "query">>, <<"query", "execute">>, <<"query", "create">>, <<"create", "lockNew">>,
   <<"lockNew", "loop">>, <<"loop", "populate">>, <<"lockDir", "lockFound">>, <<"find", "lockFound">>,
   <<"adding", "loop">>, <<"pointing", "loop">>, <<"populate", "execute">>, <<"execute", "query">>,
   <<"execute", "commit">>, <<"add", "adding">>}
   \union (IF Repaired("directory")
           THEN {<<"loop", "lockDir">>, <<"lockFound", "add">>, <<"adding", "point">>, <<"point", "pointing">>}
                \union (IF Repaired("locksFirst")
                        THEN {<<"lockDir", "loop">>, <<"loop", "lockFound">>, <<"lockFound", "loop">>, <<"loop", "add">>}
                        ELSE {})
           ELSE {<<"loop", "find">>, <<"lockFound", "findAgain">>, <<"findAgain", "add">>})
  \/ pc'[p] = "idle"]_vars

\* p stops when it has committed, when it crashes, or when it could not go on.
StopStep == [][\A p \in Procs : pc[p] # "idle" /\ pc'[p] = "idle" =>
  \/ faults'.crashes > faults.crashes
  \/ id[p] # 0 /\ hist'[id[p]].status = "ok"
  \/ Timeouts /\ pc[p] \in {"lockFound", "lockDir"}
  \/ pc[p] \in {"add", "adding"} /\ lock[mine[p]] # p
  \/ pc[p] \in {"point", "pointing"} /\ dirLock[table[p]] # p
  \/ pc[p] = "commit" /\ \E e \in Queues(p) \ put[p] : lock[e] # p
  \/ pc[p] = "findAgain" /\ (FindLatest(table[p]) # {found[p]} \/ Older(p))
  \/ pc[p] = "lockFound" /\ Overtaken(p)]_vars

\* A process that does something goes on, but for commits to several entries and what it gives back when idle.
MoveStep == [][pc' # pc \/ faults' # faults \/ \E p \in Procs :
  \/ pc[p] = "commit" /\ put'[p] # put[p]
  \/ pc[p] = "idle" /\ held[p] # {} /\ held'[p] = {}]_vars

\* What belongs to one table's turn lasts as long as the turn.
TurnInv == \A p \in Procs :
  /\ IF AtTable(p) THEN table[p] \in want[p] ELSE table[p] = NoTable
  /\ (found[p] # NoEntry) = (pc[p] = "lockFound" \/ HasFound(p))
  /\ HasFound(p) => found[p] \in held[p]
  /\ pc[p] = "loop" \/ AtTable(p) => mine[p] \in held[p]
  /\ pc[p] \notin {"create", "lockNew", "loop"} /\ ~AtTable(p) => want[p] = {}
\* Nothing of a transaction outlasts it.
IdleInv == \A p \in Procs : pc[p] = "idle" => DOMAIN reads[p] = {} /\ put[p] = {} /\ query[p] = 1 /\ fresh[p] = {}
\* p believes to hold the locks through which it owns its tables, and no other, when own() is over.
HeldInv == \A p \in Procs :
  /\ Settled(p) => held[p] = {via[p][T] : T \in Owned(p)}
  /\ held[p] \subseteq Entries
  /\ \A T \in Owned(p) : via[p][T] \in held[p] /\ T \in tset[via[p][T]]
\* A lock that p has, p knows of, unless it crashed.
KnownInv == \A p \in Procs : faults.crashes = 0 =>
  /\ \A e \in Entries : lock[e] = p => e \in held[p]
  /\ \A T \in Tables : dirLock[T] = p =>
       IF Repaired("locksFirst") THEN T \in DOMAIN keys[p] ELSE table[p] = T /\ (pc[p] = "lockFound" \/ HasFound(p))
\* Its query runs when it owns the tables that the reading says.
ReadyInv == \A p \in Procs : pc[p] \in {"populate", "execute"} =>
  Target(p) \union (IF Keeping \/ Across = "accumulate" THEN Used(p) ELSE {}) \subseteq Owned(p)
ReadyStep == [][\A p \in Procs : pc[p] = "query" /\ pc'[p] = "create" =>
  /\ ~(Target(p) \subseteq Owned(p))
  /\ want'[p] = IF Repaired("hold") \/ Across = "accumulate" THEN Target(p) \union Used(p)
                ELSE IF Across = "keep" /\ query[p] > 1 THEN Target(p) \ Owned(p) ELSE Target(p)
  /\ IF query[p] > 1 /\ Keeping THEN held'[p] = held[p] /\ via'[p] = via[p]
     ELSE held'[p] = {} /\ via'[p] = NoPrev]_vars

\* A process that waits for nobody's lock goes on, preempted or not: where it has to hold a lock, it learns that it doesn't.
\* (The model ends where no UUID is left.)
GoesOnInv == \A p \in Procs :
  LET free(holder) == holder \in {Nobody, p}
  IN  CASE pc[p] = "idle"      -> next[p] <= Len(Plan[p]) => ENABLED BeginTxn(p)
        [] pc[p] = "query"     -> ENABLED StartQuery(p)
        [] pc[p] = "create"    -> TRUE
        [] pc[p] = "lockNew"   -> ENABLED LockNew(p)
        [] pc[p] = "loop"      -> IF want[p] = {} THEN ENABLED OwnDone(p) ELSE \E T \in want[p] : ENABLED NextTable(p, T)
        [] pc[p] = "lockDir"   -> free(dirLock[table[p]]) => ENABLED LockDirectory(p, FALSE)
        [] pc[p] = "find"      -> \E e \in Entries : ENABLED FindFirst(p, e)
        [] pc[p] = "lockFound" -> IF Overtaken(p) THEN ENABLED Rejected(p)
                                  ELSE free(lock[found[p]]) => ENABLED LockFound(p, FALSE)
        [] pc[p] = "findAgain" -> ENABLED FindSame(p) \/ ENABLED FindOther(p)
        [] pc[p] = "add"       -> IF lock[mine[p]] = p THEN ENABLED AddTable(p) ELSE ENABLED Rejected(p)
        [] pc[p] = "adding"    -> IF lock[mine[p]] = p THEN ENABLED AddDone(p) ELSE ENABLED Rejected(p)
        [] pc[p] = "point"     -> IF dirLock[table[p]] = p THEN ENABLED PointDirectory(p) ELSE ENABLED Rejected(p)
        [] pc[p] = "pointing"  -> IF dirLock[table[p]] = p THEN ENABLED PointDone(p) ELSE ENABLED Rejected(p)
        [] pc[p] = "populate"  -> ENABLED Populate(p)
        [] pc[p] = "execute"   -> ENABLED ExecuteQuery(p)
        [] pc[p] = "commit"    -> \A e \in Queues(p) \ put[p] :
                                    IF lock[e] = p THEN ENABLED CommitPut(p, e) ELSE ENABLED Rejected(p)

-----------------------------------------------------------------------------
(* Locks *)

\* A lock is given when it is free, to who then knows it; who gives it up frees it, who loses it is counted.
LockStep == [][
  /\ \A e \in Entries : lock'[e] # lock[e] =>
       IF lock'[e] = Nobody THEN e \notin held'[lock[e]] \/ faults'.expiries = faults.expiries + 1
       ELSE lock[e] = Nobody /\ e \in held'[lock'[e]]
  /\ \A p \in Procs : \A e \in held[p] \ held'[p] : lock'[e] # p \/ faults'.crashes > faults.crashes
  /\ \A T \in Tables : dirLock'[T] # dirLock[T] =>
       IF dirLock'[T] = Nobody THEN table'[dirLock[T]] # T \/ faults'.expiries = faults.expiries + 1
       ELSE dirLock[T] = Nobody /\ pc[dirLock'[T]] = "lockDir" /\ table[dirLock'[T]] = T
  /\ \A p \in Procs, T \in Tables :
       (IF Repaired("locksFirst") THEN T \in DOMAIN keys[p] \ DOMAIN keys'[p] ELSE table[p] = T /\ table'[p] # T) =>
       dirLock'[T] # p \/ faults'.crashes > faults.crashes]_vars
\* Locks are taken at two places, and given up where Listing 2 says so or with everything else.
HeldStep == [][\A p \in Procs : held'[p] # held[p] =>
  \/ pc[p] = "lockNew" /\ held'[p] = held[p] \union {mine[p]} /\ lock'[mine[p]] = p
  \/ pc[p] = "lockFound" /\ held'[p] = held[p] \union {found[p]} /\ lock'[found[p]] = p
  \/ pc[p] = "loop" /\ pc'[p] = "populate"
     /\ \A T \in Tables : via'[p][T] # via[p][T] => Repaired("single") /\ via'[p][T] = NoEntry /\ via[p][T] # mine[p]
  \/ held'[p] = {} /\ via'[p] = NoPrev]_vars

-----------------------------------------------------------------------------
(* The redo log *)

\* An entry is new and empty; a site's UUIDs grow, and everybody's where clocks are perfect.
EntryStep == [][
  /\ Entries \subseteq DOMAIN lock'
  /\ \A e \in (DOMAIN lock') \ Entries :
       /\ lock'[e] = Nobody /\ tset'[e] = {} /\ adding'[e] = NoTable /\ prev'[e] = NoPrev /\ queue'[e] = <<>>
       /\ \E p \in Procs : /\ pc[p] = "create" /\ mine'[p] = e /\ e[2] = p /\ clock'[p] = e[1]
                           /\ e[1] > clock[p]
       /\ Clocks = "perfect" => \A f \in Entries : Before(f, e)
  /\ \A p \in Procs : mine'[p] \notin {mine[p], NoEntry} => mine'[p] \notin Entries]_vars
UuidInv == \A p \in Procs : \A e \in Entries : e[2] = p => e[1] <= clock[p]

\* A table-set grows by what its holder put there, acknowledged or found half done; nothing leaves it.
TableSetStep == [][\A e \in Entries :
  /\ tset[e] \subseteq tset'[e]
  /\ tset'[e] # tset[e] => tset'[e] = tset[e] \union {adding[e]} /\ adding'[e] = NoTable
  /\ adding'[e] \notin {adding[e], NoTable} => \E p \in Procs :
       /\ pc[p] = "add" /\ pc'[p] = "adding" /\ mine[p] = e /\ lock[e] = p /\ adding'[e] = table[p]
       /\ prev'[e][table[p]] = IF Repaired("previous") THEN found[p] ELSE prev[e][table[p]]
  /\ adding[e] # NoTable /\ adding'[e] = NoTable /\ tset'[e] = tset[e] => adding[e] \in tset[e] \/ lock'[e] # lock[e]
  /\ prev'[e] # prev[e] => adding'[e] # NoTable /\ \A T \in Tables : T # adding'[e] => prev'[e][T] = prev[e][T]]_vars
\* The store acknowledges a put to who holds the lock.
AcknowledgedStep == [][\A p \in Procs : pc[p] = "adding" /\ pc'[p] \notin {"adding", "idle"} => lock[mine[p]] = p]_vars
AddingInv == \A p \in Procs : pc[p] = "adding" /\ lock[mine[p]] = p => adding[mine[p]] = table[p]
AddedInv == \A p \in Procs :
  /\ pc[p] \in {"point", "pointing"} => table[p] \in tset[mine[p]]
  /\ pc[p] \notin {"adding"} /\ mine[p] # NoEntry /\ lock[mine[p]] = p => adding[mine[p]] = NoTable
\* Whoever takes a lock leaves nothing half done behind it.
SettledStep == [][\A p \in Procs : pc[p] = "lockFound" /\ pc'[p] \notin {"lockFound", "idle"} =>
  /\ lock[found[p]] # p => adding'[found[p]] = NoTable
  /\ ~Overtaken(p)]_vars

\* The latest entry of a table has it, and follows one that had it.
DirectoryInv == Repaired("directory") => \A T \in Tables :
  /\ T \in tset[dir[T]]
  /\ dirPut[T] # NoEntry => T \in tset[dirPut[T]]
PrevInv == Repaired("previous") => \A e \in Entries : \A T \in tset[e] : e[1] # 0 => prev[e][T] \in Entries
DirectoryStep == [][\A T \in Tables :
  /\ dir'[T] # dir[T] => dir'[T] = dirPut[T] /\ dirPut'[T] = NoEntry
  /\ dirPut'[T] \notin {dirPut[T], NoEntry} => \E p \in Procs :
       pc[p] = "point" /\ pc'[p] = "pointing" /\ table[p] = T /\ dirLock[T] = p /\ dirPut'[T] = mine[p]
  /\ \A p \in Procs : pc[p] = "lockDir" /\ pc'[p] \notin {"lockDir", "idle"} /\ table[p] = T =>
       /\ dirPut'[T] = NoEntry /\ dirLock'[T] = p
       /\ IF Repaired("locksFirst") THEN T \in DOMAIN keys'[p] ELSE found'[p] = dir'[T]]_vars
PointingInv == \A p \in Procs : pc[p] = "pointing" /\ dirLock[table[p]] = p => dirPut[table[p]] = mine[p]
\* A table's turn ends with its entry in force.
OwnedStep == [][\A p \in Procs :
  /\ pc[p] \in {"adding", "pointing"} /\ pc'[p] = "loop" =>
       /\ want'[p] = want[p] \ {table[p]} /\ via'[p] = [via[p] EXCEPT ![table[p]] = mine[p]]
       /\ fresh'[p] = IF via[p][table[p]] = NoEntry THEN fresh[p] \union {table[p]} ELSE fresh[p]
       /\ table[p] \in tset'[mine[p]] /\ (Repaired("directory") => dir'[table[p]] = mine[p])
       /\ lock[mine[p]] = p \/ Repaired("directory")
  /\ pc[p] = "loop" /\ pc'[p] = "lockDir" /\ Repaired("ordered") =>
       \A i, j \in DOMAIN TableOrder : TableOrder[i] = table'[p] /\ TableOrder[j] \in want[p] => i <= j
  /\ pc[p] = "findAgain" /\ pc'[p] = "add" => found[p] \in FindLatest(table[p]) /\ ~Older(p)
  /\ pc[p] = "find" /\ pc'[p] = "lockFound" => found'[p] \in FindLatest(table[p])]_vars

\* With locksFirst p has the keys of all its tables, and then all the entries that they named, before it changes any;
\* keys in the order of tables, entries in the order of UUIDs.
KeysInv == \A p \in Procs :
  /\ DOMAIN keys[p] \subseteq want[p]
  /\ \A T \in DOMAIN keys[p] : keys[p][T].locked => keys[p][T].entry \in held[p]
  /\ Repaired("locksFirst") /\ HasFound(p) =>
       \A T \in want[p] : T \in DOMAIN keys[p] /\ keys[p][T].locked /\ found[p] = keys[p][table[p]].entry
  /\ Repaired("locksFirst") \/ DOMAIN keys[p] = {}
KeysStep == [][\A p \in Procs :
  /\ keys'[p] # keys[p] =>
       \/ pc'[p] = "idle" /\ DOMAIN keys'[p] = {}
       \/ pc[p] = "lockDir" /\ keys'[p] = [T \in DOMAIN keys[p] \union {table[p]} |->
              IF T = table[p] THEN [entry |-> dir'[T], locked |-> FALSE] ELSE keys[p][T]]
       \/ /\ pc[p] = "lockFound" /\ found[p] = keys[p][table[p]].entry
          /\ keys'[p] = [keys[p] EXCEPT ![table[p]] = [entry |-> found[p], locked |-> TRUE]]
          /\ \A T \in DOMAIN keys[p] : Before(keys[p][T].entry, found[p]) => keys[p][T].locked
       \/ pc[p] = "pointing" /\ keys'[p] = [T \in DOMAIN keys[p] \ {table[p]} |-> keys[p][T]]
  /\ Repaired("locksFirst") /\ pc[p] = "loop" /\ pc'[p] = "lockDir" =>
       \A i, j \in DOMAIN TableOrder : TableOrder[i] = table'[p] /\ TableOrder[j] \in want[p] /\ j < i =>
          TableOrder[j] \in DOMAIN keys[p]]_vars

-----------------------------------------------------------------------------
(* Transactions *)

\* A client's transaction has one number; it is retried under it until it is committed.
IdInv == \A p \in Procs :
  /\ pc[p] # "idle" => id[p] # 0
  /\ id[p] # 0 => id[p] \in DOMAIN hist /\ hist[id[p]].status = "unknown" /\ \A q \in Procs : id[p] = id[q] => p = q
IdStep == [][
  /\ Len(hist') # Len(hist) => /\ IsPrefix(hist, hist') /\ hist'[Len(hist')].after = Completed
                               /\ \E p \in Procs : id[p] = 0 /\ id'[p] = Len(hist') /\ Len(hist') = Len(hist) + 1
  /\ \A p \in Procs : id[p] # 0 /\ id'[p] # id[p] =>
       /\ next'[p] = next[p] + 1 /\ pc'[p] = "idle"
       /\ hist'[id[p]].status = "ok" \/ put[p] # {}
  /\ \A p \in Procs : id'[p] = id[p] => next'[p] = next[p]]_vars
\* Queries run one after the other, on the local database, with what populate got from the log.
QueryStep == [][\A p \in Procs :
  /\ pc[p] = "execute" /\ pc'[p] \in {"query", "commit"} =>
       /\ DOMAIN reads'[p] = Used(p) \union Target(p)
       /\ \A T \in DOMAIN reads'[p] : reads'[p][T] = IF T \in Used(p) THEN reads[p][T] ELSE db[p][T]
       /\ (pc'[p] = "commit") = (query[p] = Len(Txn(p)))
       /\ pc'[p] = "query" => query'[p] = query[p] + 1
  /\ query'[p] \notin {query[p], 1} => pc[p] = "execute"
  /\ pc[p] = "populate" /\ pc'[p] = "execute" =>
       /\ fresh'[p] = {}
       /\ \A T \in Tables : db'[p][T] = IF T \in fresh[p] THEN Populated(p, T) ELSE db[p][T]
  /\ db'[p] # db[p] => pc[p] \in {"populate", "commit"}]_vars
FreshInv == \A p \in Procs : pc[p] \in {"execute", "commit", "query"} => fresh[p] = {}
\* Entries take commits from the holder of their lock; a transaction is told when all its entries have it.
CommitStep == [][
  /\ \A e \in Entries : queue'[e] # queue[e] => \E p \in Procs :
       /\ pc[p] = "commit" /\ lock[e] = p /\ e \notin put[p]
       /\ queue'[e] = Append(queue[e], [id |-> id[p], tables |-> {T \in Used(p) : QueueOf(p, T) = e}])
       /\ e \in put'[p] \/ hist'[id[p]].status = "ok"
  /\ \A p \in Procs :
       /\ pc[p] = "commit" /\ id[p] # 0 /\ hist'[id[p]].status = "ok" =>
            /\ hist'[id[p]].reads = {<<T, reads[p][T]>> : T \in Used(p)} /\ hist'[id[p]].writes = Used(p)
            /\ \A T \in Used(p) : db'[p][T] = id[p]
            /\ \A e \in Queues(p) : \E i \in DOMAIN queue'[e] : queue'[e][i].id = id[p]
            /\ pc'[p] = "idle"
       /\ put'[p] # {} => pc[p] = "commit" /\ put[p] \subseteq put'[p] /\ hist'[id[p]].writes = Used(p)
  /\ \A i \in DOMAIN hist : hist'[i] # hist[i] => \E p \in Procs : pc[p] = "commit" /\ id[p] = i]_vars
\* A commit that all its entries have is no longer under way.
PutInv == \A p \in Procs :
  /\ \A e \in put[p] : pc[p] = "commit" /\ \E i \in DOMAIN queue[e] : queue[e][i].id = id[p]
  /\ pc[p] = "commit" => put[p] # Queues(p)

FaultsInv == faults.expiries <= MaxExpiries /\ faults.crashes <= MaxCrashes
FaultsStep == [][faults' # faults =>
  \/ faults' = [faults EXCEPT !.expiries = @ + 1] /\ (lock' # lock \/ dirLock' # dirLock)
  \/ faults' = [faults EXCEPT !.crashes = @ + 1] /\ \E p \in Procs : pc[p] # "idle" \/ held[p] # {}]_vars
===============================================================================
