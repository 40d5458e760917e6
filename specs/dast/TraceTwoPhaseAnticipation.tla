----------------------- MODULE TraceTwoPhaseAnticipation -----------------------
(***************************************************************************)
(* Steps TwoPhaseAnticipation along a log. Transactions are numbered in    *)
(* the order of their ids; times are the log's microseconds, counted from  *)
(* just below the log's earliest.                                          *)
(*                                                                         *)
(* What events say: docs/mapping.md. Plan is what CoordIrt and CoordCrt    *)
(* say.                                                                    *)
(*                                                                         *)
(* The core module leaves out, and a log may show: a clock that is read    *)
(* for its own sake, and to resend (TraceRead). It raises last and nothing *)
(* else. Left out here: Hear where the message says what the one before    *)
(* did, with a newer clock, and no execution at the receiver needs it      *)
(* before the next; and Hear at managers. They may have raised last        *)
(* (Follow), so that TraceRead demands growth and waitQ alone; the clock's *)
(* arithmetic is judged by TraceStretchableClock on the same log.          *)
(*                                                                         *)
(* Not compared: the values that transactions read and pass on. A log has  *)
(* no writers of values, so that those are the specification's. Whether a  *)
(* conditional abort's writes are applied is the log's, but has to be the  *)
(* same at all participants (4.1).                                         *)
(*                                                                         *)
(* A log is read up to the first change of a view: the module has none. A  *)
(* crash alone is a node that is silent.                                   *)
(*                                                                         *)
(* Forgotten, since no later event of the log can tell the difference:     *)
(*  - a message that is not handled again, or whose collector has decided; *)
(*  - a transaction that all participants executed and no later event      *)
(*    mentions, but for the newest writer of each copy (Forget). It enters *)
(*    known with its first step (Enlist).                                  *)
(***************************************************************************)
EXTENDS TwoPhaseAnticipation, TLC

Rest == <<msgs, handled, clocks, txn, max, told>>

TraceInit ==
    /\ msgs = {} /\ handled = {} /\ clocks = {}
    /\ last = [p \in Node \union Manager |-> <<0, p, 0>>]
    /\ txn = [t \in Txn |-> [phase |-> "new", ts |-> NoTs, reads |-> {}, writes |-> {}, after |-> {}]]
    /\ known = [n \in Node |-> [t \in {} |-> Unknown]]
    /\ told = [n \in Node |-> {}]
    /\ max = [n \in Node |-> [x \in Peers(n) |-> <<0, x, 0>>]]
    /\ input = [n \in Node |-> {}]
    /\ log = [n \in Node |-> <<>>]

\* What explanations show as enabled: steps without a free choice of times. The sets depend on the state, so that
\* TLC doesn't make an action of each of their members.
Live(phase) == {t \in Txn : txn[t].phase = phase}
TraceNext ==
    \/ \E t \in Live("prepared") : CommitIrt(t)
    \/ \E t \in Live("new") : CoordCrt(t)
    \/ \E m \in msgs : \E n \in {m.dst} \intersect Node :
        \/ HandlePrepare(n, m) \/ HandleCommit(n, m) \/ HandlePrepCrt(n, m) \/ HandleCommitCrt(n, m)
        \/ HandleOutput(n, m)
    \/ \E m \in clocks : \E n \in Peers(m.src) : Hear(n, m)
TraceSpec == TraceInit /\ [][TraceNext]_vars

Enlist(t) ==
    /\ known' = [n \in Node |-> IF n \in Participants(t) THEN known[n] @@ (t :> Unknown) ELSE known[n]]
    /\ UNCHANGED <<Rest, last, input, log>>

TraceRead(n, ts) ==
    /\ ts[2] = n /\ Less(last[n], ts)
    /\ ts[1] # last[n][1] => \A w \in WaitQ(n) : ~Passes(ts, w[3])
    /\ last' = [last EXCEPT ![n] = ts]
    /\ UNCHANGED <<Rest, known, input, log>>

Sent(type, t, dst) == {m \in msgs : m.type = type /\ m.t = t /\ m.dst = dst}

TraceCoordIrt(t, ts) == last[Plan[t].coord] = ts /\ StampIrt(t, ts)
TraceCoordCrt(t, ts) == last[Plan[t].coord] = ts /\ CoordCrt(t)
TraceHandlePrepare(n, t) == \E m \in Sent("prepare", t, n) : HandlePrepare(n, m)
TraceCommitIrt(t, ts) == txn[t].ts = ts /\ CommitIrt(t)
TraceHandleCommit(n, t) == \E m \in Sent("commit", t, n) : HandleCommit(n, m)
TraceTell(x, now) == last[x] = now /\ Tell(x, now[1])
\* prepared, committed: the transactions that the message named. It may leave out what changes nothing.
TraceHear(n, x, now, prepared, committed) ==
    /\ \E m \in {o \in clocks : o.src = x /\ o.ts = now} : Hear(n, m)
    /\ n \in Node => LET news == {t \in DOMAIN known[n] : known'[n][t] # known[n][t]}
                      IN  \A t \in news : t \in IF known'[n][t].phase = "prepared" THEN prepared ELSE committed
TraceAnticipate(m, t, now, rtt) ==
    /\ last[m] = now
    /\ \E q \in Sent("prep-remote", t, m) : AnticipateAt(m, q, now, rtt)
TraceHandlePrepCrt(n, t, at) ==
    /\ \E m \in Sent("prep-crt", t, n) : HandlePrepCrt(n, m)
    /\ known'[n][t].at = at

\* votes: the nodes whose votes the coordinator had.
TraceCommitCrt(t, ts, votes) ==
    \E got \in {{m \in msgs : m.type = "vote" /\ m.t = t /\ m.src \in votes}} :
    \E top \in {Latest({m.ts : m \in got} \union {last[Plan[t].coord]})} :
        /\ IF "Apart" \in Repairs
           THEN /\ ts[1] > top[1] /\ ts[3] = 0 /\ ts[2] = Plan[t].coord
                /\ \A u \in Txn : IsCrt(u) => txn[u].ts[1] # ts[1]
           ELSE ts = top
        /\ CommitCrtAt(t, last[Plan[t].coord], got, ts)

TraceHandleCommitCrt(n, t) == \E m \in Sent("commit-remote", t, n) : HandleCommitCrt(n, m)
TraceHandleOutput(n, t, shard, from) ==
    \E m \in {o \in Sent("output", t, n) : o.shard = shard /\ o.src = from} : HandleOutput(n, m)
TraceExecute(n, t, now, at, wrote) ==
    /\ last[n] = now /\ known[n][t].at = at
    /\ Execute(n, t, now[1])
    /\ log'[n][Len(log'[n])].wrote = wrote
TraceReply(t, ts) ==
    \E got \in {{m \in msgs : m.type = "result" /\ m.t = t}} :
        /\ txn[t].ts = ts
        /\ Plan[t].shards \subseteq {m.shard : m \in got}
        /\ Reply(t, [s \in Plan[t].shards |-> (CHOOSE m \in got : m.shard = s).src])

Left(entries, gone, newest) == SelectSeq(entries, LAMBDA e : e.t \notin gone \/ e.t = newest)
Forget(gone) ==
    /\ known' = [n \in Node |-> [t \in DOMAIN known[n] \ gone |-> known[n][t]]]
    /\ input' = [n \in Node |-> {v \in input[n] : v[1] \notin gone}]
    /\ log' = [n \in Node |-> Left(log[n], gone, Value(n))]
    /\ UNCHANGED <<Rest, last>>
================================================================================
