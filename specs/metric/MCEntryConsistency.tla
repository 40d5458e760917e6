-------------------------- MODULE MCEntryConsistency --------------------------
\* Bounds EntryConsistency: how many lock references and operations there are.
EXTENDS EntryConsistency

CONSTANTS
  \* Highest lock reference.
  \* @type: Int;
  MaxRefs,
  \* Highest number of critical gets and puts together.
  \* @type: Int;
  MaxOps

Bound == lastRef <= MaxRefs /\ Len(hist) <= MaxOps

\* Sets of replicas of which one answers in the end; which one, no client knows.
Answering == Quorums
\* For failures alone: no replica may answer.
NoneAnswering == {{}}

\* MET-QUORUM as a property of states: whichever of these sets answers, there is a step that brings an operation nearer to
\* its end: an answer that it lacks, or its end. Answers stay counted, so there are as many such steps as replicas, and one.
OperationGoesOnInv ==
  \A c \in Clients, Up \in Answering :
    \/ op[c].kind = "none"
    \/ ENABLED FinishPut(c) \/ ENABLED FinishGet(c) \/ ENABLED FinishSync(c) \/ ENABLED Reject(c)
    \/ \E t \in Times : ENABLED SyncWriteBack(c, t)
    \/ \E r \in Up : ENABLED ReadReply(c, r) \/ (op[c].kind \in {"put", "syncWrite"} /\ ENABLED StoreWrite(r, op[c].best))

\* A put of client 1, then gets of client 2: what the next holder reads of a put that its predecessor did not finish.
NextHolder ==
  /\ \A i \in DOMAIN hist : IsPut(i) = (i = 1)
  /\ \A c \in Clients : op[c].kind # "none" /\ op[c].id # 0 => (c = 1) = (op[c].id = 1)
  /\ Bound

\* A get of client 1, a put of client 2, another get: one story in many, which a search of all doesn't reach.
OneStory ==
  /\ \A i \in DOMAIN hist : IsPut(i) = (i = 2)
  /\ \A c \in Clients : op[c].kind # "none" /\ op[c].id # 0 => c = 2 - (op[c].id % 2)
  /\ lastRef <= 1 => ~forced \/ Len(hist) = 1
  /\ Bound

===============================================================================
