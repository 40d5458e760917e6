------------------------ MODULE TraceEpochVisibility ------------------------
(***************************************************************************)
(* Steps EpochVisibility along a log. Transactions and readers are reused  *)
(* numbers, readers negative ones. A tick is 1/Scale microsecond, where    *)
(* Scale is the most timestamps of the log that share a microsecond: those *)
(* of microsecond m are (m-1)*Scale+1 .. m*Scale, in their order, so that  *)
(* n > now, Ceiling and the commit wait mean what they mean in             *)
(* microseconds.                                                           *)
(*                                                                         *)
(* What events say: docs/mapping.md. now is their at, which no machine     *)
(* reads.                                                                  *)
(*                                                                         *)
(* Judged in real time: Property 4.1 when a timestamp is given and when    *)
(* the client is told, Property 6.1 at each cut.                           *)
(*                                                                         *)
(* The core module leaves failures and the steps inside Mvto out. What a   *)
(* log may show of them, and what is demanded of it:                       *)
(*  - A data node raises a tracker when it is asked, before it can answer, *)
(*    and a recovered one starts above all reads that were served: a       *)
(*    tracker only rises (Raise). That it rises by the rules is Mvto's.    *)
(*  - A node that crashed answers a read again: as before.                 *)
(*  - A transaction reads a key that it wrote: it sees itself.             *)
(*  - Reads and writes of a transaction that was aborted meanwhile still   *)
(*    arrive: reads return what they would have returned, writes are       *)
(*    refused by the same rule, and nobody sees them.                      *)
(*  - The abort of a refused write reaches the recorder later, and of a    *)
(*    transaction without a record too, which is then made.                *)
(*  - A node that was away ends several epochs with one cut, each of them  *)
(*    over: as many steps Cut with nothing between. Its replica replays    *)
(*    that cut in one step.                                                *)
(*                                                                         *)
(* Forgotten: told and seen, which only claims read; transactions that the *)
(* log does not mention again, and versions that no reader to come can     *)
(* reach, as Forget has it.                                                *)
(*                                                                         *)
(* Not compared: the decision that a replica has of a version before it    *)
(* answers (only its answer), and values (only their writers).             *)
(***************************************************************************)
EXTENDS EpochVisibility, Extremes

CONSTANTS
    \* A member of Txns that stands for forgotten writers of versions that all readers
    \* to come see.
    Old,
    \* Ticks in a microsecond.
    Scale

TraceTick(at) ==
    /\ at * Scale >= now
    /\ now' = at * Scale
    /\ UNCHANGED <<epoch, replayed, ts, primaryVars, told, seen>>

BeforeEach(at) == TraceTick(at)

\* The first key that the coordinator sends a write for: where the recorder is.
First(t, k) ==
    /\ t \in Txns /\ ts[t] # 0
    /\ first' = IF first[t] = NoKey THEN [first EXCEPT ![t] = k] ELSE first
    /\ UNCHANGED <<now, epoch, replayed, ts, txn, versions, tracker, record, told, seen>>

BeginShows(t, firstLogged) == first[t] = firstLogged /\ UNCHANGED vars

\* Trackers of keys ks are at least n from now on.
Raise(ks, n) ==
    /\ tracker' = [k \in Keys |-> IF k \in ks THEN Max(tracker[k], n) ELSE tracker[k]]
    /\ UNCHANGED <<now, epoch, replayed, ts, txn, first, versions, record, told, seen>>

Ask(t, k) == ts[t] # 0 /\ Raise({k}, ts[t])

Recover(role, n) == Raise({k \in Keys : Home[k] = role}, n)

-----------------------------------------------------------------------------

\* Cut, once or more: the last epoch ends last. (A product could exceed 32 bits.)
TraceCut(n, role, epochLogged) ==
    /\ n = role
    /\ epochLogged > epoch[n] /\ epochLogged - 1 <= (now - 1) \div Interval
    /\ epoch' = [epoch EXCEPT ![n] = epochLogged]
    /\ UNCHANGED <<now, replayed, ts, primaryVars, told, seen>>

\* Replay, once or more: of one cut, that of its node's log after which epoch cutBefore
\* was the last to have ended. (-1 if that log has no cut that ends this one.)
TraceReplay(n, replayedLogged, cutBefore) ==
    /\ replayed[n] = cutBefore /\ replayedLogged < epoch[n]
    /\ replayed' = [replayed EXCEPT ![n] = replayedLogged]
    /\ UNCHANGED <<now, epoch, ts, primaryVars, told, seen>>

Aborted(t) == t \in Txns /\ ts[t] # 0 /\ record[t].status = "aborted"

ReadAgain(t, k, w) ==
    /\ <<k, w>> \in txn[t].reads
    /\ UNCHANGED vars

ReadOwn(t, k, w) ==
    /\ w = t /\ t \in Txns /\ (k \in txn[t].writes \/ Aborted(t))
    /\ UNCHANGED vars

ReadAborted(t, k, w) ==
    /\ Aborted(t) /\ w # t
    /\ w = NewestOf(Candidates(versions[k], ts[t]))
    /\ w # NoTxn => record[w].status = "committed"
    /\ Raise({k}, ts[t])

TracePrimaryRead(t, k, w, role) ==
    /\ Home[k] = role
    /\ \/ PrimaryRead(t, k) /\ <<k, w>> \in txn'[t].reads
       \/ t \in Txns /\ ReadAgain(t, k, w)
       \/ ReadOwn(t, k, w)
       \/ ReadAborted(t, k, w)

\* What a read returned to the coordinator is what it saw at the primary.
Returned(t, k, w) ==
    /\ w = t \/ Aborted(t) \/ <<k, w>> \in txn[t].reads
    /\ UNCHANGED vars

TracePrimaryWrite(t, k, refused, epochLogged, role) ==
    /\ Home[k] = role
    /\ epoch[role] = epochLogged
    /\ refused = (ts[t] < tracker[k])
    /\ IF Aborted(t) THEN UNCHANGED vars ELSE PrimaryWrite(t, k)

TraceCommit(t, recordLogged, epochLogged, role) ==
    /\ first[t] # NoKey
    /\ Home[first[t]] = role
    /\ Commit(t)
    /\ record'[t] = [status |-> recordLogged, epoch |-> epochLogged]

TraceAbort(t) ==
    \/ Abort(t)
    \/ Aborted(t) /\ UNCHANGED vars
    \/ /\ t \in Txns /\ ts[t] # 0 /\ record[t].status = "none"
       /\ record' = [record EXCEPT ![t].status = "aborted"]
       /\ txn' = [txn EXCEPT ![t].phase = "done"]
       /\ UNCHANGED <<now, epoch, replayed, ts, first, versions, tracker, told, seen>>

\* The microsecond of a timestamp, in ticks.
Whole(n) == ((n + Scale - 1) \div Scale) * Scale

TraceTell(t) ==
    /\ txn[t].phase # "snapshot" => now > Whole(ts[t])
    /\ Tell(t)

\* primary is the node whose log this replica replays.
TraceReplicaRead(r, k, w, primary, replayedLogged) ==
    /\ Home[k] = primary
    /\ replayed[primary] = replayedLogged
    /\ \/ ReplicaRead(r, k) /\ <<k, w>> \in txn'[r].reads
       \/ r \in Readers /\ ReadAgain(r, k, w)

\* \E x \in {e}, in Forget, has TLC evaluate e once, where it evaluates a LET's definition
\* at each use.
(***************************************************************************)
(* gone: transactions and readers that no later event mentions. lows: each *)
(* later read has one of these timestamps, or a larger one than all.       *)
(*  - settled(u, low): committed, below low, and in the view of a reader   *)
(*    at low, or later. No such reader looks at a version below it.        *)
(*  - A version of an aborted transaction is passed over by all.           *)
(*  - The oldest version left may be renamed to Old if it is settled for   *)
(*    all: it stays below the others. A read that returned it would name   *)
(*    its writer, and the log doesn't.                                     *)
(***************************************************************************)
Forget(gone, lows) ==
    LET dead(v) == v.writer \in gone \union {Old}
        settled(u, low) == /\ record[u.writer].status = "committed"
                           /\ ts[u.writer] < low
                           /\ record[u.writer].epoch <= Ceiling(low)
        last == Greatest(lows)
        needed(k, low) ==
            LET n == {ts[u.writer] : u \in {x \in versions[k] : settled(x, low)}}
                cover == IF n = {} THEN 0 ELSE Greatest(n) IN
            {v \in versions[k] : /\ record[v.writer].status # "aborted"
                                 /\ ts[v.writer] >= cover
                                 /\ low = last \/ ts[v.writer] < low}
        left(k) == {v \in versions[k] : ~dead(v)} \union UNION {needed(k, low) : low \in lows}
        renamed(vs) == LET oldest == Least({ts[u.writer] : u \in vs}) IN
                       {IF v.writer \in gone /\ settled(v, Least(lows)) /\ ts[v.writer] = oldest
                        THEN [writer |-> Old, epoch |-> 0] ELSE v : v \in vs} IN
    \E after \in {[k \in Keys |-> LET vs == left(k) IN IF vs = {} THEN vs ELSE renamed(vs)]} :
    \E reset \in {gone \ UNION {{v.writer : v \in after[k]} : k \in Keys}} :
    /\ versions' = after
    /\ ts' = [t \in All |-> IF t \in reset THEN 0 ELSE ts[t]]
    /\ txn' = [t \in All |-> IF t \in reset THEN Idle ELSE txn[t]]
    /\ first' = [t \in Txns |-> IF t \in reset THEN NoKey ELSE first[t]]
    /\ record' = [t \in Txns |-> IF t = Old THEN [status |-> "committed", epoch |-> 0]
                                 ELSE IF t \in reset THEN [status |-> "none", epoch |-> 0]
                                 ELSE record[t]]
    /\ UNCHANGED <<now, epoch, replayed, tracker, told, seen>>

(***************************************************************************)
(* What a rejection lists as enabled: Next without the beginnings, of      *)
(* which there is one for each tick of Lead. Events never go through it.   *)
(***************************************************************************)
Shown ==
    \/ \E n \in Nodes : Cut(n)
    \/ \E n \in Nodes : Replay(n)
    \/ \E t \in Txns, k \in Keys : PrimaryRead(t, k)
    \/ \E t \in Txns, k \in Keys : PrimaryWrite(t, k)
    \/ \E t \in Txns : Commit(t)
    \/ \E t \in Txns : Abort(t)
    \/ \E t \in All : Tell(t)
    \/ \E r \in Readers, k \in Keys : ReplicaRead(r, k)

\* What Forget reset is free for another one.
Unused == {t \in All \ {Old} : ts[t] = 0 /\ txn[t] = Idle}
          \ UNION {{v.writer : v \in versions[k]} : k \in Keys}
=============================================================================
