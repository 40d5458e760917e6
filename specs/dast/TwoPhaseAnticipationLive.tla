----------------------- MODULE TwoPhaseAnticipationLive -----------------------
(***************************************************************************)
(* TwoPhaseAnticipation with clocks that are read when somebody waits for  *)
(* them, just above what is waited for: a finite world in which time goes  *)
(* on. Messages arrive in any order; none whose handling is fair is lost.  *)
(***************************************************************************)
EXTENDS MCTwoPhaseAnticipation

CONSTANTS
    \* Readings of a clock at which transactions are stamped.
    \* @type: Set(Int);
    Stamps

\* What p's clock has to pass: what is ready at a node of its region.
Awaited(p) == {known[n][t].at : <<n, t>> \in
    {w \in (NodesOf(Region[p])) \X Txn : w[2] \in DOMAIN known[w[1]] /\ w[2] \in ReadyQ(w[1])}}
Readings(p) == {last[p][1]} \union {at[1] + 1 : at \in {a \in Awaited(p) : ~Less(a, last[p])}}

Submit(t) == \E time \in Stamps : CoordIrt(t, time)
Tells(x, n) == \E time \in Readings(x) : Announce(x, n, time)
Anticipates(m) == \E q \in msgs, time \in Stamps, rtt \in Rtts : Anticipate(m, q, time, rtt)
Commits(t) == \E time \in Stamps : CommitCrt(t, time)
Runs(n, t) == \E time \in Readings(n) : Execute(n, t, time)
Answers(t) == \E pick \in [Plan[t].shards -> Node] : Reply(t, pick)
Prepares(n) == \E m \in msgs : HandlePrepare(n, m)
Committed(n) == \E m \in msgs : HandleCommit(n, m)
PreparesCrt(n) == \E m \in msgs : HandlePrepCrt(n, m)
CommittedCrt(n) == \E m \in msgs : HandleCommitCrt(n, m)
Takes(n) == \E m \in msgs : HandleOutput(n, m)

LiveNext ==
    \/ \E t \in Txn : Submit(t) \/ CommitIrt(t) \/ CoordCrt(t) \/ Commits(t) \/ Answers(t)
    \/ \E n \in Node : Prepares(n) \/ Committed(n) \/ PreparesCrt(n) \/ CommittedCrt(n) \/ Takes(n)
    \/ \E m \in Manager : Anticipates(m)
    \/ \E x \in Node \union Manager, n \in Node : Tells(x, n)
    \/ \E n \in Node, t \in Txn : Runs(n, t)

\* What needs no message from another region happens in the end; nothing else has to.
LocalFairness ==
    /\ \A t \in Txn \ Crts : WF_vars(Submit(t)) /\ WF_vars(CommitIrt(t)) /\ WF_vars(Answers(t))
    /\ \A n \in Node : /\ WF_vars(Prepares(n)) /\ WF_vars(Committed(n)) /\ WF_vars(PreparesCrt(n))
                       /\ \A t \in Txn : WF_vars(Runs(n, t))
                       /\ \A x \in Peers(n) : WF_vars(Tells(x, n))
LocalSpec == Init /\ [][LiveNext]_vars /\ LocalFairness

\* Everything about the IRT arrives, but clock messages.
SilentSpec ==
    /\ Init /\ [][LiveNext]_vars
    /\ \A t \in Txn \ Crts : WF_vars(Submit(t)) /\ WF_vars(CommitIrt(t)) /\ WF_vars(Answers(t))
    /\ \A n \in Node, t \in Txn : WF_vars(Runs(n, t))

\* Everything arrives, but perhaps values.
LossyFairness ==
    /\ LocalFairness
    /\ \A t \in Crts : WF_vars(CoordCrt(t)) /\ WF_vars(Commits(t)) /\ WF_vars(Answers(t))
    /\ \A m \in Manager : WF_vars(Anticipates(m))
    /\ \A n \in Node : WF_vars(CommittedCrt(n))
LossySpec == Init /\ [][LiveNext]_vars /\ LossyFairness

\* Everything arrives.
FairSpec == LossySpec /\ \A n \in Node : WF_vars(Takes(n))

-----------------------------------------------------------------------------
\* A clock is read for its own sake: it goes up to what somebody waits for, or (Climb) to just below waitQ.
Reads(n) == \E time \in Readings(n) :
    LET ts == CreateTs(n, time)
    IN  /\ ts[1] > last[n][1] /\ MaySet(n, ts)
        /\ last' = [last EXCEPT ![n] = ts]
        /\ UNCHANGED <<clocks, msgs, handled, txn, known, told, max, input, log>>
ReadingNext == LiveNext \/ \E n \in Node : Reads(n)
ReadingSpec ==
    /\ Init /\ [][ReadingNext]_vars
    /\ LossyFairness
    /\ \A n \in Node : WF_vars(Takes(n)) /\ WF_vars(Reads(n))

\* Where nothing more can happen all have ended. Clocks, phases, logs and what was sent only grow: a behaviour in which
\* everything arrives comes to such a state, so that this says what CrtLive and IrtLive say.
EndsInv == (ENABLED <<ReadingNext>>_vars) \/ Done = Txn

-----------------------------------------------------------------------------
\* Two CRTs in step: both are anticipated everywhere before any vote, voted before any commit, and committed before
\* anybody hears of it. Leaves behaviours out.
Count(type) == Cardinality({m \in msgs' : m.type = type})
InStep ==
    /\ Count("vote") > 0 => Count("prep-crt") = 4
    /\ Count("commit-remote") > 0 => Count("vote") = 4
    /\ (\E n \in Node, t \in Txn : known'[n][t].phase = "committed") => Count("commit-remote") = 4
===============================================================================
