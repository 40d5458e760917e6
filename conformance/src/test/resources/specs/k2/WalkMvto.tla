------------------------------ MODULE WalkMvto ------------------------------
(* All steps of Mvto that a log can hold, for a walk that forgets nothing. *)
EXTENDS TraceMvto

CONSTANTS Ranks, Nodes

RecoverFrom(d, floor) == (\A k \in Keys : Home[k] = d => tracker[k] <= floor) /\ RecoverDataNode(d, floor)

WalkNext ==
    \/ \E t \in Txns, n \in 1 .. Ranks : Begin(t, n, 0)
    \/ \E t \in Txns, k \in Keys : IssueRead(t, k)
    \/ \E t \in Txns, k \in Keys : IssueWrite(t, k)
    \/ \E t \in Txns : RequestCommit(t)
    \/ \E t \in Txns : RequestAbort(t)
    \/ \E t \in Txns : CoordinatorFail(t)
    \/ \E m \in msgs : HandleReadReply(m)
    \/ \E m \in msgs : HandleWriteReply(m)
    \/ \E m \in msgs : HandleDecision(m)
    \/ \E m \in msgs : HandleRead(m)
    \/ \E m \in msgs : HandleWrite(m)
    \/ \E m \in msgs : HandlePushReply(m)
    \/ \E m \in msgs : HandleFinalize(m)
    \/ \E d \in Nodes, floor \in 1 .. Ranks : RecoverFrom(d, floor)
    \/ \E m \in msgs : HandlePush(m)
    \/ \E m \in msgs : HandleCommit(m)
    \/ \E m \in msgs : HandleAbort(m)
    \/ \E t \in Txns : SuspectCoordinator(t)
    \/ \E d \in Nodes : ReplaceRecorder(d)
    \/ \E t \in Txns, k \in Keys : ReplicaPush(t, k)

WalkSpec == Init /\ [][WalkNext]_vars
=============================================================================
