----------------------------- MODULE FailoverLive -----------------------------
(***************************************************************************)
(* Failover with fairness: does what was begun end? A manager may suspect, *)
(* add and be replaced, or not; a client may ask, or not. What follows     *)
(* from that happens in the end: messages arrive, members answer, a        *)
(* decided view is taken.                                                  *)
(***************************************************************************)
EXTENDS MCFailover

\* Clients ask early enough for later readings to pass what they asked for.
Early == \A t \in Irt : irt'[t].ts # irt[t].ts => \E time \in Times : irt'[t].ts \div 10 < time
LiveNext == Next /\ Early

\* Clocks are told as they are at the last reading, which is enough to pass everything.
Last == {time \in Times : \A o \in Times : o <= time}
ViewFairness ==
    /\ \A n \in Node : \A m \in Manager : WF_vars(HandleViewPrep(n, m))
    /\ \A m \in Manager : WF_vars(DecideView(m))
    /\ \A n \in Node : WF_vars(HandleViewCommit(n))
CrtFairness ==
    /\ WF_vars(CommitCrt)
    /\ \A n \in Member \union {Remote} :
         /\ WF_vars(PrepareCrt(n) /\ n # CrtCoord) /\ WF_vars(HandleCommitCrt(n))
         /\ \A v \in 1 .. MaxViews : WF_vars(HandleAbort(n, v)) /\ WF_vars(HandleResolved(n, v))
IrtFairness ==
    /\ \A t \in Irt : WF_vars(CommitIrt(t)) /\ WF_vars(Reply(t))
    /\ \A n \in Node, t \in Irt :
         /\ WF_vars(HandlePrepare(n, t)) /\ WF_vars(HandleCommit(n, t))
         /\ \A time \in Last : WF_vars(Execute(n, t, time))
    /\ \A n \in Node, x \in Node \union Manager, time \in Last : WF_vars(Announce(x, n, time))
LiveSpec == Init /\ [][LiveNext]_vars /\ ViewFairness /\ CrtFairness /\ IrtFairness

Staying == MembersAt(Now)
\* A change that the leader has begun is decided, or another leader is elected.
ChangeLive == \A m \in Manager : (leader = m /\ prop[m].kind # "") ~> (leader # m \/ prop[m].kind = "")
\* All members take what was decided.
ViewLive == []<>(\A n \in Staying : view[n] = Now)
\* 4.4: nobody who stays waits for ever for the coordinator of a CRT.
CrtLive == \A n \in Member \union {Remote} :
    (crt[n] = "prepared") ~> (crt[n] # "prepared" \/ n \notin Staying \union {Remote})
\* 4.4: what was committed is executed by all who stay.
IrtLive == \A t \in Irt : (irt[t].phase \in {"committed", "done"}) ~> (\A n \in Staying : t \in Executed(n))
===============================================================================
