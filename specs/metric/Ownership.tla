------------------------------ MODULE Ownership ------------------------------
(***************************************************************************)
(* Does Listing 2 give tables one owner at a time, and do transactions of  *)
(* several queries stay strictly serializable on top of it (paper,         *)
(* sections 3.2, 3.3 and 4)?                                               *)
(*                                                                         *)
(* Modelled: the redo log's entries with their locks, table-sets and       *)
(* tx-queues; own() step by step, with failure handling as the text gives  *)
(* it in prose; UUIDs made from the sites' own clocks; forced release      *)
(* (lease over, or a holder wrongly taken for failed) and crash of a       *)
(* process between any two steps; a table-set update that is half done and *)
(* is seen by some quorum reads and not by others; transactions of several *)
(* queries; release of ownership after any number of transactions.         *)
(* Assumed, not checked: the EC store's guarantees (EntryConsistency): a   *)
(* critical put of a preempted holder is rejected, and the next holder     *)
(* finds a half-done one either applied or gone.                           *)
(* Merged steps: the release messages of one operation are one step (each  *)
(* commutes with everything but the lock's next acquisition, which a late  *)
(* release only delays); findLatest reads all entries in one step; the put *)
(* of a commit to a tx-queue is one step (RedoLog has half-done ones).     *)
(* Out of scope: the local commit and a retry at another process           *)
(* (RedoLog), foreign keys, views.                                         *)
(*                                                                         *)
(* A table is one record: a query reads its tables, and the transaction    *)
(* writes its own number to all tables it used.                            *)
(*                                                                         *)
(* Readings (Across: what a later query of a transaction does with the     *)
(* locks of the earlier ones; the text contradicts itself):                *)
(*   "release"    line 3 of Listing 2: all locks are released; the new     *)
(*                entry is for this query's tables                         *)
(*   "accumulate" the same, and the new entry is for all tables that the   *)
(*                transaction has used ("one consolidated redo log entry") *)
(*   "keep"       the example after Listing 2: earlier locks are kept, the *)
(*                transaction's tables are spread over several entries     *)
(* Repairs:                                                                *)
(*   directory  each table has a key of its own in the EC store that names *)
(*              its latest entry; own() locks that key, reads and replaces *)
(*              it with critical operations instead of findLatest          *)
(*   previous   E-new records which entry it follows for T, and populate   *)
(*              walks these links instead of sorting by UUID               *)
(*   above      own() returns a nack when E-new's UUID is lower than E's;    *)
(*              not enough on its own, kept to show that                   *)
(*   hold       a later query keeps the locks and moves the tables used so *)
(*              far into its new entry as well                             *)
(*   unbroken   a later query's own() returns a nack when a table that the  *)
(*              transaction has used was taken over since                  *)
(*   single     own() gives back the tables that stay in older entries, so  *)
(*              that a later transaction commits to one entry               *)
(*   ordered    own() takes the tables in one fixed order; not enough on   *)
(*              its own where an entry holds several tables, kept to show  *)
(*              that                                                       *)
(*   locksFirst own() locks the keys of all its tables (directory) in that *)
(*              order, then the entries they name in the order of their    *)
(*              UUIDs, before it changes anything; an entry whose lock it  *)
(*              takes for its own it doesn't ask for again                 *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, ClientHistory

CONSTANTS
  \* Metric processes, one per site, numbered: the number is the UUID's node part.
  \* @type: Set(Int);
  Procs,
  \* The tables, in the order that repairs ordered and locksFirst use.
  \* @type: Seq(Str);
  TableOrder,
  \* plan[p]: the transactions submitted at p, one after the other; each is a sequence of queries (table-sets).
  \* @type: Int -> Seq(Seq(Set(Str)));
  Plan,
  \* Readings of the sites' clocks.
  \* @type: Set(Int);
  Times,
  \* "free": unrelated clocks; "perfect": every UUID is higher than all made before.
  \* @type: Str;
  Clocks,
  \* The reading of what happens at a later query: "release", "accumulate", "keep".
  \* @type: Str;
  Across,
  \* A process that waits for a lock gives up after a while and returns a nack (section 3.3).
  \* @type: Bool;
  Timeouts,
  \* Forced releases that may happen.
  \* @type: Int;
  MaxExpiries,
  \* Crashes that may happen.
  \* @type: Int;
  MaxCrashes,
  \* Repairs in force.
  \* @type: Set(Str);
  Repairs

Tables == {TableOrder[i] : i \in DOMAIN TableOrder}
Nobody  == 0
NoTable == ""
NoEntry == <<-1, 0>>
\* Every UUID that an entry may have; those of the initial entries carry time 0.
Uuids   == (Times \X Procs) \union {<<0, i>> : i \in DOMAIN TableOrder}

VARIABLES
  \* lock[e]: the process that holds the lock of entry e, Nobody if free. Its domain is the redo log's entries.
  \* @type: <<Int, Int>> -> Int;
  lock,
  \* tset[e]: entry e's table-set, as stored at a quorum.
  \* @type: <<Int, Int>> -> Set(Str);
  tset,
  \* adding[e]: the table that an unacknowledged critical put adds to e's table-set, or NoTable.
  \* @type: <<Int, Int>> -> Str;
  adding,
  \* prev[e][T]: the entry that e follows for table T (repair previous), or NoEntry.
  \* @type: <<Int, Int>> -> (Str -> <<Int, Int>>);
  prev,
  \* queue[e]: e's tx-queue: who committed what, oldest first.
  \* @type: <<Int, Int>> -> Seq({ id: Int, tables: Set(Str) });
  queue,
  \* dir[T]: repair directory: T's latest entry.
  \* @type: Str -> <<Int, Int>>;
  dir,
  \* dirLock[T]: repair directory: who holds the lock of T's key.
  \* @type: Str -> Int;
  dirLock,
  \* dirPut[T]: repair directory: the entry that an unacknowledged critical put writes to T's key, or NoEntry.
  \* @type: Str -> <<Int, Int>>;
  dirPut,
  \* pc[p]: the handler that process p runs next.
  \* @type: Int -> Str;
  pc,
  \* clock[p]: the time in p's last UUID; a site's UUIDs grow.
  \* @type: Int -> Int;
  clock,
  \* mine[p]: E-new of p's last own(), or NoEntry.
  \* @type: Int -> <<Int, Int>>;
  mine,
  \* want[p]: tables of the target that own() still has to acquire.
  \* @type: Int -> Set(Str);
  want,
  \* table[p]: the table that the loop is at, or NoTable.
  \* @type: Int -> Str;
  table,
  \* found[p]: E of Listing 2, or NoEntry.
  \* @type: Int -> <<Int, Int>>;
  found,
  \* keys[p][T]: repair locksFirst: the entry that T's key names, for keys that p has locked, and whether p has
  \* locked that entry, too.
  \* @type: Int -> (Str -> { entry: <<Int, Int>>, locked: Bool });
  keys,
  \* held[p]: entries whose lock p believes it holds.
  \* @type: Int -> Set(<<Int, Int>>);
  held,
  \* via[p][T]: the entry through which p believes it owns T, or NoEntry.
  \* @type: Int -> (Str -> <<Int, Int>>);
  via,
  \* db[p][T]: T's record in p's local database.
  \* @type: Int -> (Str -> Int);
  db,
  \* fresh[p]: tables that p has acquired and not yet populated.
  \* @type: Int -> Set(Str);
  fresh,
  \* next[p]: position in Plan[p] of the transaction at p.
  \* @type: Int -> Int;
  next,
  \* query[p]: the query that the transaction is at.
  \* @type: Int -> Int;
  query,
  \* reads[p]: what the transaction at p has read.
  \* @type: Int -> (Str -> Int);
  reads,
  \* put[p]: entries to which the commit at p has been written.
  \* @type: Int -> Set(<<Int, Int>>);
  put,
  \* id[p]: number of the transaction at p in hist, 0 before it was submitted.
  \* @type: Int -> Int;
  id,
  \* What the clients asked and were told, one record a transaction; a value is the number of its writer.
  \* @type: Seq({ status: Str, reads: Set(<<Str, Int>>), writes: Set(Str), after: Set(Int) });
  hist,
  \* Forced releases and crashes so far: bounds the model.
  \* @type: { expiries: Int, crashes: Int };
  faults

logVars  == <<lock, tset, adding, prev, queue>>
dirVars  == <<dir, dirLock, dirPut>>
ownVars  == <<clock, mine, want, table, found, keys, held, via, fresh>>
txnVars  == <<db, next, query, reads, put, id>>
vars     == <<logVars, dirVars, pc, ownVars, txnVars, hist, faults>>

Entries == DOMAIN lock

\* @type: (<<Int, Int>>, <<Int, Int>>) => Bool;
Before(e, f) == e[1] < f[1] \/ (e[1] = f[1] /\ e[2] < f[2])

\* The entry that initialization makes for a table.
FirstEntry(T) == CHOOSE e \in {<<0, i>> : i \in DOMAIN TableOrder} : TableOrder[e[2]] = T
NoPrev  == [T \in Tables |-> NoEntry]
NoKeys  == [T \in {} |-> [entry |-> NoEntry, locked |-> FALSE]]

Init ==
  LET first == {FirstEntry(T) : T \in Tables}
  IN  /\ lock = [e \in first |-> Nobody]
      /\ tset = [e \in first |-> {T \in Tables : FirstEntry(T) = e}]
      /\ adding = [e \in first |-> NoTable]
      /\ prev = [e \in first |-> NoPrev]
      /\ queue = [e \in first |-> <<>>]
      /\ dir = [T \in Tables |-> FirstEntry(T)]
      /\ dirLock = [T \in Tables |-> Nobody]
      /\ dirPut = [T \in Tables |-> NoEntry]
      /\ pc = [p \in Procs |-> "idle"]
      /\ clock = [p \in Procs |-> 0]
      /\ mine = [p \in Procs |-> NoEntry]
      /\ want = [p \in Procs |-> {}]
      /\ table = [p \in Procs |-> NoTable]
      /\ found = [p \in Procs |-> NoEntry]
      /\ keys = [p \in Procs |-> NoKeys]
      /\ held = [p \in Procs |-> {}]
      /\ via = [p \in Procs |-> NoPrev]
      /\ db = [p \in Procs |-> [T \in Tables |-> 0]]
      /\ fresh = [p \in Procs |-> {}]
      /\ next = [p \in Procs |-> 1]
      /\ query = [p \in Procs |-> 1]
      /\ reads = [p \in Procs |-> [T \in {} |-> 0]]
      /\ put = [p \in Procs |-> {}]
      /\ id = [p \in Procs |-> 0]
      /\ hist = <<>>
      /\ faults = [expiries |-> 0, crashes |-> 0]

-------------------------------------------------------------------------------
(* Which entry is the latest *)

Max(S) == CHOOSE e \in S : \A f \in S : ~Before(e, f)

\* Definition 1 and 2: the entry with the highest UUID, stored at a quorum, that contains T.
\* With repair directory: the one that T's key names.
Latest(T) ==
  IF "directory" \in Repairs THEN dir[T] ELSE Max({e \in Entries : T \in tset[e]})

\* findLatest(T): getQuorum on every entry; a table-set update in flight may be seen or not.
FindLatest(T) ==
  LET sure == Max({e \in Entries : T \in tset[e]})
  IN  {sure} \union {e \in Entries : adding[e] = T /\ Before(sure, e)}

\* The entries that contain T from the oldest to `last`, along the links that repair previous adds.
RECURSIVE Chain(_, _)
Chain(T, last) ==
  IF last = NoEntry THEN <<>> ELSE Append(Chain(T, prev[last][T]), last)

RECURSIVE Sorted(_)
Sorted(S) == IF S = {} THEN <<>> ELSE Append(Sorted(S \ {Max(S)}), Max(S))

\* The value of T after all updates to it in a sequence of entries.
RECURSIVE Replay(_, _)
Replay(T, es) ==
  IF es = <<>> THEN 0
  ELSE LET q   == queue[es[Len(es)]]
           mod == {i \in DOMAIN q : T \in q[i].tables}
       IN  IF mod = {} THEN Replay(T, SubSeq(es, 1, Len(es) - 1))
           ELSE q[CHOOSE i \in mod : \A j \in mod : j <= i].id

\* What populate gets for T at process p: all tx-queues that may hold T's records, in order.
Populated(p, T) ==
  IF "previous" \in Repairs
  THEN Replay(T, Chain(T, via[p][T]))
  ELSE Replay(T, Sorted({e \in Entries : T \in tset[e]}))

-------------------------------------------------------------------------------
(* A client's transaction and its queries *)

Txn(p)     == Plan[p][next[p]]
Used(p)    == DOMAIN reads[p]
Target(p)  == Txn(p)[query[p]]
Owned(p)   == {T \in Tables : via[p][T] # NoEntry}
Completed  == {i \in DOMAIN hist : hist[i].status = "ok"}

\* lock as it is after p has released the locks of the entries es (no effect where it was preempted).
Released(p, es) == [e \in Entries |-> IF e \in es /\ lock[e] = p THEN Nobody ELSE lock[e]]
DirReleased(p)  == [T \in Tables |-> IF dirLock[T] = p THEN Nobody ELSE dirLock[T]]

\* A service replica submits its next transaction to p, or retries one that got a nack.
BeginTxn(p) ==
  /\ pc[p] = "idle" /\ next[p] <= Len(Plan[p])
  /\ IF id[p] = 0
     THEN /\ id' = [id EXCEPT ![p] = Len(hist) + 1]
          /\ hist' = Append(hist, [status |-> "unknown", reads |-> {}, writes |-> {}, after |-> Completed])
     ELSE UNCHANGED <<id, hist>>
  /\ query' = [query EXCEPT ![p] = 1]
  /\ reads' = [reads EXCEPT ![p] = [T \in {} |-> 0]]
  /\ put' = [put EXCEPT ![p] = {}]
  /\ pc' = [pc EXCEPT ![p] = "query"]
  /\ UNCHANGED <<logVars, dirVars, ownVars, db, next, faults>>

\* own(target), lines 1 to 3: nothing to do, or release what the reading says and go on.
StartQuery(p) ==
  /\ pc[p] = "query"
  /\ IF Target(p) \subseteq Owned(p)
     THEN /\ pc' = [pc EXCEPT ![p] = "execute"]
          /\ UNCHANGED <<logVars, dirVars, ownVars>>
     ELSE LET keeps == query[p] > 1 /\ ("hold" \in Repairs \/ Across = "keep")
          IN  /\ pc' = [pc EXCEPT ![p] = "create"]
              /\ want' = [want EXCEPT ![p] =
                            CASE "hold" \in Repairs    -> Target(p) \union Used(p)
                              [] Across = "accumulate" -> Target(p) \union Used(p)
                              [] Across = "keep"       -> Target(p) \ (IF keeps THEN Owned(p) ELSE {})
                              [] OTHER                 -> Target(p)]
              /\ IF keeps THEN UNCHANGED <<lock, held, via>>
                 ELSE /\ lock' = Released(p, held[p])
                      /\ held' = [held EXCEPT ![p] = {}]
                      /\ via' = [via EXCEPT ![p] = NoPrev]
              /\ UNCHANGED <<tset, adding, prev, queue, dirVars, clock, mine, table, found, keys, fresh>>
  /\ UNCHANGED <<txnVars, hist, faults>>

\* Line 4: a new entry with an empty table-set; its UUID carries p's clock reading t.
CreateEntry(p, t) ==
  LET e == <<t, p>>
      new(f, v) == [x \in Entries \union {e} |-> IF x = e THEN v ELSE f[x]]
  IN  /\ pc[p] = "create"
      /\ t > clock[p]
      /\ Clocks = "perfect" => t = 1 + Max(Entries)[1]
      /\ lock' = new(lock, Nobody)
      /\ tset' = new(tset, {})
      /\ adding' = new(adding, NoTable)
      /\ prev' = new(prev, NoPrev)
      /\ queue' = new(queue, <<>>)
      /\ clock' = [clock EXCEPT ![p] = t]
      /\ mine' = [mine EXCEPT ![p] = e]
      /\ pc' = [pc EXCEPT ![p] = "lockNew"]
      /\ UNCHANGED <<dirVars, want, table, found, keys, held, via, fresh, txnVars, hist, faults>>

\* Line 5. Nobody else wants this lock yet.
LockNew(p) ==
  /\ pc[p] = "lockNew"
  /\ lock' = [lock EXCEPT ![mine[p]] = p]
  /\ held' = [held EXCEPT ![p] = @ \union {mine[p]}]
  /\ pc' = [pc EXCEPT ![p] = "loop"]
  /\ UNCHANGED <<tset, adding, prev, queue, dirVars, clock, mine, want, table, found, keys, via, fresh,
                 txnVars, hist, faults>>

\* T is the first of a set of tables.
IsFirst(T, Ts) ==
  T \in Ts /\ \A i, j \in DOMAIN TableOrder : TableOrder[i] = T /\ TableOrder[j] \in Ts => i <= j

\* Repair locksFirst: the loop goes through its tables three times, for keys, for entries, for the changes.
NoKey(p)   == want[p] \ DOMAIN keys[p]
NoLock(p)  == {T \in DOMAIN keys[p] : ~keys[p][T].locked}
Oldest(p)  == {T \in NoLock(p) : \A U \in NoLock(p) : ~Before(keys[p][U].entry, keys[p][T].entry)}
NextInTurn(p, T) ==
  IF NoKey(p) # {} THEN IsFirst(T, NoKey(p)) ELSE IF NoLock(p) # {} THEN IsFirst(T, Oldest(p)) ELSE IsFirst(T, want[p])

\* Line 6: the loop's next table. The text gives no order.
NextTable(p, T) ==
  /\ pc[p] = "loop" /\ T \in want[p]
  /\ "ordered" \in Repairs => IsFirst(T, want[p])
  /\ "locksFirst" \in Repairs => NextInTurn(p, T)
  /\ table' = [table EXCEPT ![p] = T]
  /\ LET known == "locksFirst" \in Repairs /\ NoKey(p) = {}
     IN  /\ pc' = [pc EXCEPT ![p] = CASE known /\ NoLock(p) # {} -> "lockFound"
                                      [] known /\ NoLock(p) = {} -> "add"
                                      [] "directory" \in Repairs -> "lockDir"
                                      [] OTHER -> "find"]
         /\ found' = IF known THEN [found EXCEPT ![p] = keys[p][T].entry] ELSE found
  /\ UNCHANGED <<logVars, dirVars, clock, mine, want, keys, held, via, fresh, txnVars, hist, faults>>

\* Repair directory: the lock of T's key, and critical get. A half-done put to it is now applied or gone.
LockDirectory(p, applied) ==
  LET T == table[p]
  IN  /\ pc[p] = "lockDir"
      /\ dirLock[T] \in {Nobody, p}
      /\ applied => dirPut[T] # NoEntry
      /\ dirLock' = [dirLock EXCEPT ![T] = p]
      /\ dir' = [dir EXCEPT ![T] = IF applied THEN dirPut[T] ELSE @]
      /\ dirPut' = [dirPut EXCEPT ![T] = NoEntry]
      /\ IF "locksFirst" \in Repairs
         THEN /\ keys' = [keys EXCEPT ![p] = [U \in DOMAIN @ \union {T} |->
                              IF U = T THEN [entry |-> dir'[T], locked |-> FALSE] ELSE @[U]]]
              /\ table' = [table EXCEPT ![p] = NoTable]
              /\ pc' = [pc EXCEPT ![p] = "loop"]
              /\ UNCHANGED found
         ELSE /\ found' = [found EXCEPT ![p] = dir'[T]]
              /\ pc' = [pc EXCEPT ![p] = "lockFound"]
              /\ UNCHANGED <<keys, table>>
      /\ UNCHANGED <<logVars, clock, mine, want, held, via, fresh, txnVars, hist, faults>>

\* Line 7: the first findLatest.
FindFirst(p, e) ==
  /\ pc[p] = "find"
  /\ e \in FindLatest(table[p])
  /\ found' = [found EXCEPT ![p] = e]
  /\ pc' = [pc EXCEPT ![p] = "lockFound"]
  /\ UNCHANGED <<logVars, dirVars, clock, mine, want, table, keys, held, via, fresh, txnVars, hist, faults>>

\* A table that the transaction at p has used has another latest entry than p left it with: p was
\* preempted, and what it read may be old.
TakenOver(p) == table[p] \in Used(p) /\ found[p] # via[p][table[p]]

\* Line 8: the lock of E. Guarantee 2: a half-done put of the last holder is now applied or gone. With
\* locksFirst nothing is asked where p believes it has the lock, be it lost since.
LockFound(p, applied) ==
  LET e     == found[p]
      known == "locksFirst" \in Repairs /\ e \in held[p]
  IN  /\ pc[p] = "lockFound"
      /\ known \/ lock[e] \in {Nobody, p}
      /\ "unbroken" \in Repairs => ~TakenOver(p)
      /\ applied => adding[e] # NoTable /\ lock[e] = Nobody /\ ~known
      /\ lock' = IF known THEN lock ELSE [lock EXCEPT ![e] = p]
      /\ IF known \/ lock[e] = p THEN UNCHANGED <<tset, adding>>
         ELSE /\ tset' = [tset EXCEPT ![e] = IF applied THEN @ \union {adding[e]} ELSE @]
              /\ adding' = [adding EXCEPT ![e] = NoTable]
      /\ held' = [held EXCEPT ![p] = @ \union {e}]
      /\ IF "locksFirst" \in Repairs
         THEN /\ keys' = [keys EXCEPT ![p][table[p]].locked = TRUE]
              /\ table' = [table EXCEPT ![p] = NoTable]
              /\ found' = [found EXCEPT ![p] = NoEntry]
              /\ pc' = [pc EXCEPT ![p] = "loop"]
         ELSE /\ pc' = [pc EXCEPT ![p] = IF "directory" \in Repairs THEN "add" ELSE "findAgain"]
              /\ UNCHANGED <<table, found, keys>>
      /\ UNCHANGED <<prev, queue, dirVars, clock, mine, want, via, fresh, txnVars, hist, faults>>

\* Repair above: E-new was given its UUID before E was, so it would sort below E.
TooOld(p) == "above" \in Repairs /\ Before(mine[p], found[p])

\* Line 9, equal: nobody has created a newer entry for T.
FindSame(p) ==
  /\ pc[p] = "findAgain"
  /\ found[p] \in FindLatest(table[p])
  /\ ~TooOld(p)
  /\ pc' = [pc EXCEPT ![p] = "add"]
  /\ UNCHANGED <<logVars, dirVars, ownVars, txnVars, hist, faults>>

\* What a nack leaves: all locks released, the local transaction rolled back. A transaction that was
\* written to some entry already isn't retried.
Abandon(p) ==
  /\ pc' = [pc EXCEPT ![p] = "idle"]
  /\ held' = [held EXCEPT ![p] = {}]
  /\ via' = [via EXCEPT ![p] = NoPrev]
  /\ want' = [want EXCEPT ![p] = {}]
  /\ fresh' = [fresh EXCEPT ![p] = {}]
  /\ table' = [table EXCEPT ![p] = NoTable]
  /\ found' = [found EXCEPT ![p] = NoEntry]
  /\ keys' = [keys EXCEPT ![p] = NoKeys]
  /\ mine' = [mine EXCEPT ![p] = NoEntry]
  /\ reads' = [reads EXCEPT ![p] = [T \in {} |-> 0]]
  /\ put' = [put EXCEPT ![p] = {}]
  /\ query' = [query EXCEPT ![p] = 1]
  /\ next' = IF put[p] = {} THEN next ELSE [next EXCEPT ![p] = @ + 1]
  /\ id' = IF put[p] = {} THEN id ELSE [id EXCEPT ![p] = 0]
  /\ UNCHANGED <<clock, db, tset, adding, prev, queue, dir, dirPut, hist>>

\* Line 10: another contending process was faster.
FindOther(p) ==
  /\ pc[p] = "findAgain"
  /\ FindLatest(table[p]) # {found[p]} \/ TooOld(p)
  /\ lock' = Released(p, held[p])
  /\ dirLock' = DirReleased(p)
  /\ Abandon(p)
  /\ UNCHANGED faults

\* Line 12, sent: critical put of T into E-new's table-set.
AddTable(p) ==
  LET e == mine[p]
  IN  /\ pc[p] = "add"
      /\ lock[e] = p
      /\ adding' = [adding EXCEPT ![e] = table[p]]
      /\ prev' = IF "previous" \in Repairs THEN [prev EXCEPT ![e][table[p]] = found[p]] ELSE prev
      /\ pc' = [pc EXCEPT ![p] = "adding"]
      /\ UNCHANGED <<lock, tset, queue, dirVars, ownVars, txnVars, hist, faults>>

\* After line 12: T is dealt with. Its records are fetched unless it is p's by the entry that was found: another one
\* may have committed since p had it.
NextTurn(p) ==
  /\ want' = [want EXCEPT ![p] = @ \ {table[p]}]
  /\ via' = [via EXCEPT ![p][table[p]] = mine[p]]
  /\ fresh' = [fresh EXCEPT ![p] = IF via[p][table[p]] # found[p] THEN @ \union {table[p]} ELSE @]
  /\ table' = [table EXCEPT ![p] = NoTable]
  /\ found' = [found EXCEPT ![p] = NoEntry]
  /\ keys' = [keys EXCEPT ![p] = [T \in DOMAIN @ \ {table[p]} |-> @[T]]]
  /\ pc' = [pc EXCEPT ![p] = "loop"]

\* Line 12, acknowledged.
AddDone(p) ==
  LET e == mine[p]
  IN  /\ pc[p] = "adding"
      /\ lock[e] = p
      /\ tset' = [tset EXCEPT ![e] = @ \union {table[p]}]
      /\ adding' = [adding EXCEPT ![e] = NoTable]
      /\ IF "directory" \in Repairs
         THEN pc' = [pc EXCEPT ![p] = "point"] /\ UNCHANGED <<want, via, fresh, table, found, keys>>
         ELSE NextTurn(p)
      /\ UNCHANGED <<lock, prev, queue, dirVars, clock, mine, held, txnVars, hist, faults>>

\* Repair directory: critical put of E-new into T's key, sent.
PointDirectory(p) ==
  /\ pc[p] = "point"
  /\ dirLock[table[p]] = p
  /\ dirPut' = [dirPut EXCEPT ![table[p]] = mine[p]]
  /\ pc' = [pc EXCEPT ![p] = "pointing"]
  /\ UNCHANGED <<logVars, dir, dirLock, ownVars, txnVars, hist, faults>>

\* Repair directory: acknowledged; T's key is released.
PointDone(p) ==
  LET T == table[p]
  IN  /\ pc[p] = "pointing"
      /\ dirLock[T] = p
      /\ dir' = [dir EXCEPT ![T] = mine[p]]
      /\ dirPut' = [dirPut EXCEPT ![T] = NoEntry]
      /\ dirLock' = [dirLock EXCEPT ![T] = Nobody]
      /\ NextTurn(p)
      /\ UNCHANGED <<logVars, clock, mine, held, txnVars, hist, faults>>

\* Line 13: SUCCESS; the locks of the older entries are released. With repair single their tables are
\* given back; otherwise those that this own() didn't move stay p's through them.
OwnDone(p) ==
  LET keeps == IF "single" \in Repairs THEN {mine[p]} ELSE {via[p][T] : T \in Owned(p)}
      old   == held[p] \ keeps
  IN  /\ pc[p] = "loop" /\ want[p] = {}
      /\ lock' = Released(p, old)
      /\ held' = [held EXCEPT ![p] = @ \ old]
      /\ via' = [via EXCEPT ![p] = [T \in Tables |-> IF @[T] \in keeps THEN @[T] ELSE NoEntry]]
      /\ pc' = [pc EXCEPT ![p] = "populate"]
      /\ UNCHANGED <<tset, adding, prev, queue, dirVars, clock, mine, want, table, found, keys, fresh,
                     txnVars, hist, faults>>

\* The local database gets the newest records of the tables just acquired.
Populate(p) ==
  /\ pc[p] = "populate"
  /\ db' = [db EXCEPT ![p] = [T \in Tables |-> IF T \in fresh[p] THEN Populated(p, T) ELSE @[T]]]
  /\ fresh' = [fresh EXCEPT ![p] = {}]
  /\ pc' = [pc EXCEPT ![p] = "execute"]
  /\ UNCHANGED <<logVars, dirVars, clock, mine, want, table, found, keys, held, via, next, query, reads, put, id,
                 hist, faults>>

\* The query runs on the local database.
ExecuteQuery(p) ==
  LET new == Target(p) \ Used(p)
      last == query[p] = Len(Txn(p))
  IN  /\ pc[p] = "execute"
      /\ reads' = [reads EXCEPT ![p] =
                     [T \in Used(p) \union new |-> IF T \in new THEN db[p][T] ELSE @[T]]]
      /\ query' = IF last THEN query ELSE [query EXCEPT ![p] = @ + 1]
      /\ pc' = [pc EXCEPT ![p] = IF last THEN "commit" ELSE "query"]
      /\ UNCHANGED <<logVars, dirVars, ownVars, db, next, put, id, hist, faults>>

\* The entry whose tx-queue gets T's record.
QueueOf(p, T) == IF via[p][T] = NoEntry THEN mine[p] ELSE via[p][T]
Queues(p)     == {QueueOf(p, T) : T \in Used(p)}

\* Commit: critical put of the transaction's records into one entry's tx-queue; the last one is the
\* commit point, and the client is told.
CommitPut(p, e) ==
  LET ts   == {T \in Used(p) : QueueOf(p, T) = e}
      done == put[p] \union {e} = Queues(p)
  IN  /\ pc[p] = "commit" /\ e \in Queues(p) \ put[p]
      /\ lock[e] = p
      /\ queue' = [queue EXCEPT ![e] = Append(@, [id |-> id[p], tables |-> ts])]
      /\ db' = IF done THEN [db EXCEPT ![p] = [T \in Tables |-> IF T \in Used(p) THEN id[p] ELSE @[T]]] ELSE db
      /\ hist' = [hist EXCEPT ![id[p]] =
                    [@ EXCEPT !.status = IF done THEN "ok" ELSE @,
                              !.reads = {<<T, reads[p][T]>> : T \in Used(p)},
                              !.writes = Used(p)]]
      /\ IF done
         THEN /\ pc' = [pc EXCEPT ![p] = "idle"]
              /\ next' = [next EXCEPT ![p] = @ + 1]
              /\ id' = [id EXCEPT ![p] = 0]
              /\ put' = [put EXCEPT ![p] = {}]
              /\ reads' = [reads EXCEPT ![p] = [T \in {} |-> 0]]
              /\ query' = [query EXCEPT ![p] = 1]
         ELSE /\ put' = [put EXCEPT ![p] = @ \union {e}]
              /\ UNCHANGED <<pc, next, id, reads, query>>
      /\ UNCHANGED <<lock, tset, adding, prev, dirVars, ownVars, faults>>

\* The store rejects a critical operation of p, which was preempted (or, with repair unbroken, p sees
\* that it was): nack.
Rejected(p) ==
  /\ \/ pc[p] \in {"add", "adding"} /\ lock[mine[p]] # p
     \/ pc[p] \in {"point", "pointing"} /\ dirLock[table[p]] # p
     \/ pc[p] = "commit" /\ \E e \in Queues(p) \ put[p] : lock[e] # p
     \/ "unbroken" \in Repairs /\ pc[p] = "lockFound" /\ TakenOver(p)
  /\ lock' = Released(p, held[p])
  /\ dirLock' = DirReleased(p)
  /\ Abandon(p)
  /\ UNCHANGED faults

\* Section 3.3: another process holds the lock for too long (case b), or the store doesn't answer in time
\* (case a): nack.
LockTimeout(p) ==
  /\ Timeouts
  /\ pc[p] \in {"lockFound", "lockDir"}
  /\ lock' = Released(p, held[p])
  /\ dirLock' = DirReleased(p)
  /\ Abandon(p)
  /\ UNCHANGED faults

\* After any number of transactions (alpha), p gives its tables back.
ReleaseOwnership(p) ==
  /\ pc[p] = "idle" /\ held[p] # {}
  /\ lock' = Released(p, held[p])
  /\ held' = [held EXCEPT ![p] = {}]
  /\ via' = [via EXCEPT ![p] = NoPrev]
  /\ UNCHANGED <<tset, adding, prev, queue, dirVars, pc, clock, mine, want, table, found, keys, fresh, txnVars,
                 hist, faults>>

\* The EC store takes an entry's lock away. The holder isn't told.
ExpireLock(e) ==
  /\ faults.expiries < MaxExpiries
  /\ e \in Entries /\ lock[e] # Nobody
  /\ lock' = [lock EXCEPT ![e] = Nobody]
  /\ faults' = [faults EXCEPT !.expiries = @ + 1]
  /\ UNCHANGED <<tset, adding, prev, queue, dirVars, pc, ownVars, txnVars, hist>>

\* Repair directory: the same for the lock of a table's key.
ExpireDirectory(T) ==
  /\ faults.expiries < MaxExpiries
  /\ dirLock[T] # Nobody
  /\ dirLock' = [dirLock EXCEPT ![T] = Nobody]
  /\ faults' = [faults EXCEPT !.expiries = @ + 1]
  /\ UNCHANGED <<logVars, dir, dirPut, pc, ownVars, txnVars, hist>>

\* p crashes and restarts: it forgets what it owned, its locks stay until they expire.
CrashProcess(p) ==
  /\ faults.crashes < MaxCrashes
  /\ pc[p] # "idle" \/ held[p] # {}
  /\ Abandon(p)
  /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ UNCHANGED <<lock, dirLock>>

Next ==
  \/ \E p \in Procs : BeginTxn(p)
  \/ \E p \in Procs : StartQuery(p)
  \/ \E p \in Procs, t \in Times : CreateEntry(p, t)
  \/ \E p \in Procs : LockNew(p)
  \/ \E p \in Procs, T \in Tables : NextTable(p, T)
  \/ \E p \in Procs, applied \in BOOLEAN : LockDirectory(p, applied)
  \/ \E p \in Procs, e \in Uuids : FindFirst(p, e)
  \/ \E p \in Procs, applied \in BOOLEAN : LockFound(p, applied)
  \/ \E p \in Procs : FindSame(p)
  \/ \E p \in Procs : FindOther(p)
  \/ \E p \in Procs : AddTable(p)
  \/ \E p \in Procs : AddDone(p)
  \/ \E p \in Procs : PointDirectory(p)
  \/ \E p \in Procs : PointDone(p)
  \/ \E p \in Procs : OwnDone(p)
  \/ \E p \in Procs : Populate(p)
  \/ \E p \in Procs : ExecuteQuery(p)
  \/ \E p \in Procs, e \in Uuids : CommitPut(p, e)
  \/ \E p \in Procs : Rejected(p)
  \/ \E p \in Procs : LockTimeout(p)
  \/ \E p \in Procs : ReleaseOwnership(p)
  \/ \E e \in Uuids : ExpireLock(e)
  \/ \E T \in Tables : ExpireDirectory(T)
  \/ \E p \in Procs : CrashProcess(p)

Spec == Init /\ [][Next]_vars

\* A process that can take a step of its own takes one, waiting and giving tables back included;
\* the store and the network answer. Nothing obliges a lease to run out or a process to give up.
Fairness ==
  \A p \in Procs :
    /\ WF_vars(BeginTxn(p)) /\ WF_vars(StartQuery(p))
    /\ WF_vars(\E t \in Times : CreateEntry(p, t))
    /\ WF_vars(LockNew(p))
    /\ WF_vars(\E T \in Tables : NextTable(p, T))
    /\ WF_vars(\E e \in Uuids : FindFirst(p, e))
    /\ SF_vars(\E applied \in BOOLEAN : LockFound(p, applied))
    /\ SF_vars(\E applied \in BOOLEAN : LockDirectory(p, applied))
    /\ WF_vars(FindSame(p) \/ FindOther(p))
    /\ WF_vars(AddTable(p)) /\ WF_vars(AddDone(p))
    /\ WF_vars(PointDirectory(p)) /\ WF_vars(PointDone(p))
    /\ WF_vars(OwnDone(p)) /\ WF_vars(Populate(p)) /\ WF_vars(ExecuteQuery(p))
    /\ WF_vars(\E e \in Uuids : CommitPut(p, e))
    /\ WF_vars(Rejected(p)) /\ WF_vars(ReleaseOwnership(p))

FairSpec == Spec /\ Fairness

-------------------------------------------------------------------------------
(* Claims *)

TypeInv ==
  /\ DOMAIN tset = Entries /\ DOMAIN adding = Entries /\ DOMAIN queue = Entries /\ DOMAIN prev = Entries
  /\ \A e \in Entries : lock[e] \in Procs \union {Nobody} /\ tset[e] \subseteq Tables
  /\ \A p \in Procs : held[p] \subseteq Entries /\ want[p] \subseteq Tables

\* p believes it owns T and its entry's lock has not been taken away.
Owns(p, T) == via[p][T] # NoEntry /\ lock[via[p][T]] = p /\ pc[p] \in {"populate", "execute", "commit", "idle", "query"}

\* MET-OBS1 (claimed, section 4, Observation 1): the holder of the lock of T's latest entry is one process.
OneOwnerInv ==
  \A T \in Tables : \A p, q \in Procs : lock[Latest(T)] = p /\ lock[Latest(T)] = q => p = q

\* MET-G1 (claimed, section 4, Guarantee 1): after own() has succeeded, p holds the lock of the latest
\* entry for each table, unless the store has preempted it since.
OwnershipInv == \A p \in Procs, T \in Tables : Owns(p, T) => Latest(T) = via[p][T]

\* MET-G1 (claimed): unique: no two processes with intact locks own one table.
UniqueOwnerInv == \A p, q \in Procs, T \in Tables : Owns(p, T) /\ Owns(q, T) => p = q

\* MET-OWN (claimed, section 4, Ownership Property): the tx-queues of a transaction's tables grow only by
\* the hand of these tables' owner.
CommitByOwnerStep ==
  [][\A e \in Entries : queue'[e] # queue[e] =>
       LET txn == queue'[e][Len(queue'[e])]
       IN  \A T \in txn.tables : Latest(T) = e]_vars

\* MET-INV1 (claimed, section 4, Invariant 1): the newest committed value of an owned table is the topmost
\* in its latest entry that has one. "Newest" by the clients: no other success was submitted after it.
LatestRecordInLogInv ==
  \A T \in Tables : lock[Latest(T)] # Nobody =>
    LET v     == Replay(T, IF "previous" \in Repairs THEN Chain(T, Latest(T))
                           ELSE Sorted({e \in Entries : T \in tset[e]}))
        wrote == {i \in Completed : T \in hist[i].writes}
    IN  \A i \in wrote : v # i => v # 0 /\ ~(v \in hist[i].after)

\* MET-SS (claimed, sections 1 and 4): strict serializability as clients see it.
StrictSerializabilityInv ==
  StrictSerializable(Completed, DOMAIN hist \ Completed, [i \in DOMAIN hist |-> hist[i].reads],
                     [i \in DOMAIN hist |-> hist[i].writes], 0,
                     UNION {{<<i, j>> : i \in hist[j].after} : j \in DOMAIN hist})

\* MET-LIVE (implied, 3.3, which assumes failures so rare that it is so): every request eventually succeeds.
RequestsLive == \A p \in Procs : <>(next[p] > Len(Plan[p]))

\* What process p waits for: the holder of the lock, Nobody if p doesn't wait.
HolderFor(p) ==
  CASE pc[p] = "lockFound" -> lock[found[p]]
    [] pc[p] = "lockDir"   -> dirLock[table[p]]
    [] OTHER               -> Nobody
\* MET-LIVE without timeouts and leases (implied): processes don't wait for each other in a circle, which nothing ends.
NoCircularWaitInv ==
  ~\E ps \in SUBSET Procs : ps # {} /\ \A p \in ps : HolderFor(p) \in ps \ {p}

\* Ownership moved from one process to another, and both committed.
HandoverReach ==
  \E T \in Tables : \E i, j \in Completed :
    i # j /\ T \in hist[i].writes /\ <<T, i>> \in hist[j].reads
\* A process returned SUCCESS from own() while a lock that it relied on had been taken away.
StaleSuccessReach == \E p \in Procs, T \in Tables : pc[p] = "populate" /\ ~Owns(p, T) /\ via[p][T] # NoEntry
\* A process comes back, for a later query, to a table that somebody else has taken over.
TakenOverReach == \E p \in Procs : pc[p] = "lockFound" /\ TakenOver(p)
\* Both processes wait for a lock that the other holds.
DeadlockReach ==
  \E p, q \in Procs :
    /\ p # q
    /\ pc[p] = "lockFound" /\ pc[q] = "lockFound"
    /\ lock[found[p]] = q /\ lock[found[q]] = p
\* Everybody has created two entries, and nobody has got anything done.
NoProgressReach == Completed = {} /\ \A p \in Procs : Cardinality({e \in Entries : e[2] = p /\ e[1] > 0}) >= 2
===============================================================================
