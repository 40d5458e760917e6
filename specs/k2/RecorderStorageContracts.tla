---------------------- MODULE RecorderStorageContracts ----------------------
(***************************************************************************)
(* What the steps of RecorderStorage owe each other. The paper claims none *)
(* of this; mutants of the module that leave its claims intact are caught  *)
(* here. For storage that fences, and recorders that become new members.   *)
(***************************************************************************)
EXTENDS MCRecorderStorage

Left == writes \ writes'
Fails(i) == i \in serving /\ i \notin serving'
Loads(i) == i \notin serving /\ i \in serving'
Blank(i) == belief'[i] = Undecided /\ durable'[i] = {}

\* A recorder decides once, and what it decides is on its way to storage; it begins with what is
\* stored, and what it held is gone when it fails.
BeliefStep == [][\A i \in 1 .. Recorders :
    \/ belief'[i] = belief[i]
    \/ Loads(i) /\ belief'[i] = stored
    \/ Fails(i) /\ Blank(i)
    \/ /\ i \in serving
       /\ \E w \in writes' \ writes : w.by = i /\ belief[i][w.t] = "" /\ belief'[i] = [belief[i] EXCEPT ![w.t] = w.s]]_vars

\* A write is sent by the decision that it is of.
SentStep == [][\A w \in writes' \ writes : belief[w.by][w.t] = "" /\ belief'[w.by][w.t] = w.s]_vars

\* A write ends in storage, if it is the present member's, or its sender learns that it was replaced.
WriteStep == [][\A w \in Left :
    IF w.by = member THEN stored'[w.t] = w.s /\ w.t \in durable'[w.by] ELSE stored' = stored /\ w.by \notin serving']_vars

StoreStep == [][\A t \in Txns : stored'[t] # stored[t] =>
    \E w \in Left : w.by = member /\ w.t = t /\ w.s = stored'[t]]_vars

\* A recorder knows to be stored what the storage took from it, and what it read there.
DurableStep == [][\A i \in 1 .. Recorders :
    \/ durable'[i] = durable[i]
    \/ Loads(i) /\ durable'[i] = {t \in Txns : stored[t] # ""}
    \/ Fails(i) /\ Blank(i)
    \/ \E w \in Left : w.by = i /\ durable'[i] = durable[i] \union {w.t}]_vars

\* The present member serves once, after it has read; it ends by a failure, or when it hears that it was replaced.
ServeStep == [][\A i \in 1 .. Recorders :
    /\ Loads(i) => /\ i = member /\ i \notin started /\ started' = started \union {i}
                   /\ belief'[i] = stored /\ durable'[i] = {t \in Txns : stored[t] # ""}
    /\ Fails(i) => Blank(i) \/ (i # member /\ \E w \in Left : w.by = i)]_vars

\* A recorder that serves answers what it holds, stored where that has to be; nobody forgets an answer.
AnswerStep == [][answers \subseteq answers' /\ \A a \in answers' \ answers :
    /\ a.by \in serving /\ a.s # "" /\ a.s = belief[a.by][a.t]
    /\ a.s \in Persist => a.t \in durable[a.by]]_vars

MemberStep == [][member' # member => member' = member + 1 /\ member' <= Recorders]_vars

\* A recorder that serves decides what is open and answers what it may; the storage settles every write; the present member
\* begins to serve, whatever else is under way.
CanInv ==
    /\ \A i \in serving, t \in Txns :
        IF belief[i][t] = "" THEN ENABLED HandleCommit(i, t) /\ ENABLED MarkAborted(i, t)
        ELSE (belief[i][t] \notin Persist \/ t \in durable[i]) => ENABLED Answer(i, t)
    /\ \A w \in writes : IF w.by = member THEN ENABLED Store(w) ELSE ENABLED Expel(w)
    /\ member < Recorders => ENABLED Replace
    /\ member \notin started => ENABLED Load(member)
=============================================================================
