---------------------------- MODULE OwnershipInd ----------------------------
(***************************************************************************)
(* Guarantee 1 for runs of every length, in the small domain below: an     *)
(* inductive invariant of Ownership with the repairs directory and         *)
(* previous, for transactions of one query on one table.                   *)
(*                                                                         *)
(* Obligations: Init => IndInv; IndInv /\ Next => IndInv'; IndInv =>       *)
(* OwnershipInv.  TLC takes the first by model checking from Init, the     *)
(* other two from every state of a small typed domain (IndInit, one step); *)
(* There is no Apalache entry: Ownership and ClientHistory use recursive   *)
(* operators, which Apalache does not take.                                *)
(*                                                                         *)
(* Domain: two processes, one table, its initial entry and one entry of    *)
(* each process; every combination of locks, directory, in-flight put and  *)
(* program counters that satisfies IndInv, but populate and execute, which *)
(* touch nothing that IndInv speaks of.  Fixed, since no guard or claim    *)
(* here depends on them: tx-queues and local databases (empty), the        *)
(* transaction (a retry), what a process holds (exactly the locks that it  *)
(* has).                                                                   *)
(***************************************************************************)
EXTENDS Ownership, TLC

\* p has begun own() and not finished it.
Acquiring(p) ==
  \/ pc[p] \in {"create", "lockNew", "lockDir", "lockFound", "add", "adding", "point", "pointing"}
  \/ pc[p] = "loop" /\ want[p] # {}

\* p has got E's lock after reading the directory.
Fenced(p) == pc[p] \in {"add", "adding", "point", "pointing"}

\* q would be taken for T's owner through entry e.
OwnsVia(q, T, e) == via[q][T] = e /\ lock[e] = q

KnownInd ==
  /\ \A T \in Tables : dir[T] \in Entries /\ dirPut[T] \in Entries \union {NoEntry}
  /\ \A e \in Entries : e[1] > 0 => e[1] <= clock[e[2]]
  /\ \A p \in Procs :
       /\ mine[p] # NoEntry => mine[p] \in Entries /\ mine[p][1] > 0 /\ mine[p][2] = p
       /\ found[p] \in Entries \union {NoEntry}
       /\ \A T \in Tables : via[p][T] \in Entries \union {NoEntry}
       /\ pc[p] \in {"lockNew", "lockDir", "lockFound", "add", "adding", "point", "pointing"} => mine[p] # NoEntry
       /\ pc[p] \in {"lockDir", "lockFound", "add", "adding", "point", "pointing"} => table[p] \in Tables
       /\ Acquiring(p) => \A T \in Tables : via[p][T] = NoEntry

\* An entry that its maker has not locked yet is known to nobody else.
NewInd ==
  \A p \in Procs : pc[p] = "lockNew" =>
    /\ lock[mine[p]] = Nobody
    /\ \A T \in Tables : mine[p] \notin {dir[T], dirPut[T]}
    /\ \A q \in Procs : found[q] # mine[p] /\ \A T \in Tables : via[q][T] # mine[p]

\* Whoever owns a table owns it through the entry that the directory names.
OwnerInd == \A q \in Procs, T \in Tables : via[q][T] # NoEntry /\ lock[via[q][T]] = q => dir[T] = via[q][T]

\* Who holds the directory's lock has E from it, and once E is locked its old owner is fenced off.
FencedInd ==
  \A p \in Procs :
    (pc[p] = "lockFound" \/ Fenced(p)) /\ dirLock[table[p]] = p =>
      /\ dir[table[p]] = found[p]
      /\ Fenced(p) => \A q \in Procs : ~OwnsVia(q, table[p], found[p])

\* A half-done put to the directory was sent by one who had fenced the old owner off.
HalfDoneInd == \A T \in Tables : dirPut[T] # NoEntry => \A q \in Procs : ~OwnsVia(q, T, dir[T])

IndInv == KnownInd /\ NewInd /\ OwnerInd /\ FencedInd /\ HalfDoneInd

-------------------------------------------------------------------------------
(* The typed domain *)

T == TableOrder[1]
E(p)     == <<1, p>>
SomeUuids == {FirstEntry(T)} \union {E(p) : p \in Procs}
Via(e)   == [x \in Tables |-> e]

\* One process's part of a state.
Shape(c, m, w, tab, f, v, rd) ==
  [pc |-> c, mine |-> m, want |-> w, table |-> tab, found |-> f, via |-> Via(v), reads |-> rd]
NoReads == [x \in {} |-> 0]
Shapes(p) ==
  {Shape(c, E(p), {T}, NoTable, NoEntry, NoEntry, NoReads) : c \in {"create", "lockNew", "loop"}}
  \union {Shape("lockDir", E(p), {T}, T, NoEntry, NoEntry, NoReads)}
  \union {Shape(c, E(p), {T}, T, f, NoEntry, NoReads) :
            c \in {"lockFound", "add", "adding", "point", "pointing"}, f \in SomeUuids}
  \union {Shape(c, E(p), {}, NoTable, NoEntry, v, NoReads) :
            c \in {"idle", "query", "loop"}, v \in SomeUuids \union {NoEntry}}
  \union {Shape("commit", E(p), {}, NoTable, NoEntry, v, [x \in {T} |-> 0]) : v \in SomeUuids \union {NoEntry}}

Unknown == [status |-> "unknown", reads |-> {}, writes |-> {}, after |-> {}]

IndInit ==
  /\ \E s \in [Procs -> UNION {Shapes(p) : p \in Procs}] :
       /\ \A p \in Procs : s[p] \in Shapes(p)
       /\ pc = [p \in Procs |-> s[p].pc]
       /\ mine = [p \in Procs |-> s[p].mine]
       /\ want = [p \in Procs |-> s[p].want]
       /\ table = [p \in Procs |-> s[p].table]
       /\ found = [p \in Procs |-> s[p].found]
       /\ keys = [p \in Procs |-> NoKeys]
       /\ via = [p \in Procs |-> s[p].via]
       /\ reads = [p \in Procs |-> s[p].reads]
  /\ clock = [p \in Procs |-> 1]
  /\ lock \in [SomeUuids -> Procs \union {Nobody}]
  /\ dir \in [Tables -> SomeUuids]
  /\ OwnerInd                            \* as early as can be: fewer candidates
  /\ dirLock \in [Tables -> Procs \union {Nobody}]
  /\ FencedInd
  /\ dirPut \in [Tables -> SomeUuids \union {NoEntry}]
  /\ IndInv
  /\ tset = [e \in SomeUuids |-> Tables]
  /\ adding = [e \in SomeUuids |-> NoTable]
  /\ prev = [e \in SomeUuids |-> NoPrev]
  /\ queue = [e \in SomeUuids |-> <<>>]
  /\ held = [p \in Procs |-> {e \in SomeUuids : lock[e] = p}]
  /\ db = [p \in Procs |-> [x \in Tables |-> 0]]
  /\ fresh = [p \in Procs |-> {}]
  /\ next = [p \in Procs |-> 1]
  /\ query = [p \in Procs |-> 1]
  /\ put = [p \in Procs |-> {}]
  /\ id = [p \in Procs |-> p]
  /\ hist = [p \in Procs |-> Unknown]
  /\ faults = [expiries |-> 0, crashes |-> 0]

IndSpec == IndInit /\ [][Next]_vars

\* As an ACTION_CONSTRAINT: one step from each state of the domain, since no step leads on.
OneStep == vars # vars
EveryStep == vars = vars

\* The domain has states at the point where ownership moves, with an old owner who was fenced off.
MovingReach == \E p, q \in Procs : p # q /\ pc[p] = "pointing" /\ dirLock[T] = p /\ via[q][T] = dir[T]

OneTable == [p \in Procs |-> << <<{T}>> >>]
OneTableOrder == <<"T1">>
===============================================================================
