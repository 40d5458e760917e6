----------------------- MODULE TransactionChainContracts -----------------------
(***************************************************************************)
(* What the coordinator, the chain servers and the resolver of one data    *)
(* centre owe each other. The paper claims none of this; mutants of        *)
(* TransactionChain that leave its claims intact are caught here. For the  *)
(* reading Trace = "accesses". The module's own operators are not used     *)
(* where a mutant could bend them: the rules are said here once more.      *)
(***************************************************************************)
EXTENDS MCTransactionChain

Repaired(name) == name \in Repairs
Over(t) == phase[t] = "committed" \/ phase[t] = "aborted"
OverNext(t) == phase'[t] = "committed" \/ phase'[t] = "aborted"

Touched(t, s) == {k \in Reads[t] \union Writes[t] : Home[k] = s}
Route(t) == {s \in Server : Touched(t, s) # {}}
Conflict(t, u, s) == \E k \in Touched(t, s) \intersect Touched(u, s) : k \in Writes[t] \/ k \in Writes[u]

Passed(s) == {pre[s][i] : i \in DOMAIN pre[s]}
Others(t, s) == {u \in footprint[s] : u # t /\ Conflict(t, u, s)}
Past(t, s) == {u \in Others(t, s) : u \in Passed(s)}
Pending(t, s) == {u \in Others(t, s) : u \notin Passed(s)}

Of(type, t) == {m \in msgs : m.type = type /\ m.t = t}
OfNext(type, t) == {m \in msgs' : m.type = type /\ m.t = t}
Passing(t) == Of("forward", t) \union Of("backward", t) \union Of("finish", t)
PassingNext(t) == OfNext("forward", t) \union OfNext("backward", t) \union OfNext("finish", t)
\* Servers that still have to hear of t's end.
Untold(t) == {m.s : m \in Of("commit", t) \union Of("abort", t)}
Sent(type) == {m \in msgs' : m.type = type /\ m \notin msgs}
Handled(type) == {m \in msgs : m.type = type /\ m \notin msgs'}

\* What a backward message's server knows of t's rivals.
AnswersTo(m) == {a \in Of("answer", m.t) : a.s = m.s}
Follows(m) == m.deps \union UNION {a.after : a \in AnswersTo(m)}
Sorted(m) == \E a \in AnswersTo(m) : a.rivals = Others(m.t, m.s)
HasToAsk(m) ==
    IF Repaired("report") THEN Others(m.t, m.s) # {} \/ m.deps # {}
    ELSE \E a \in m.deps \union Past(m.t, m.s) : \E b \in m.before \union (Pending(m.t, m.s) \ m.deps) : a # b

\* Whoever comes after t along the edges E, t included: n steps reach everybody.
RECURSIVE Later(_, _, _)
Later(E, S, n) == IF n = 0 THEN S ELSE Later(E, S \union {e[2] : e \in {f \in E : f[1] \in S}}, n - 1)
LeadsTo(E, a, b) == b \in Later(E, {a}, Cardinality(Txn))

-----------------------------------------------------------------------------
(* Who is where *)

\* A running transaction is at one place of its chain; no other is under way.
PassingInv == \A t \in Txn : Cardinality(Passing(t)) = (IF phase[t] = "running" THEN 1 ELSE 0)

\* A footprint stays from the forward pass until the server hears of the end; a pre-commit from the backward pass.
FootprintInv == \A t \in Txn, s \in Server : t \in footprint[s] <=> s \in
    CASE phase[t] = "new" -> {}
      [] phase[t] = "running" -> {c \in Route(t) : \A m \in Of("forward", t) : c < m.s}
      [] phase[t] = "finished" -> Route(t)
      [] OTHER -> Untold(t)
PreInv == \A t \in Txn, s \in Server : t \in Passed(s) <=> s \in
    CASE phase[t] = "new" -> {}
      [] phase[t] = "running" -> {c \in Route(t) : /\ Of("forward", t) = {}
                                                   /\ \A m \in Of("backward", t) : c > m.s}
      [] phase[t] = "finished" -> Route(t)
      [] OTHER -> Untold(t)
OnceInv == \A s \in Server : Len(pre[s]) = Cardinality(Passed(s))

\* A storage node has the last of the commits that its server has heard of.
StoreInv == \A k \in Key :
    LET heard == {t \in Txn : phase[t] = "committed" /\ k \in Writes[t] /\ Home[k] \notin Untold(t)}
    IN  IF heard = {} THEN store[k] = [writer |-> Nobody, ts |-> 0]
        ELSE /\ store[k].writer \in heard /\ store[k].ts = stamp[store[k].writer]
             /\ \A t \in heard : stamp[t] <= store[k].ts

-----------------------------------------------------------------------------
(* The coordinator *)

\* One way through life.
PhaseStep == [][\A t \in Txn : phase[t] # phase'[t] => <<phase[t], phase'[t]>> \in
    {<<"new", "running">>, <<"running", "finished">>, <<"finished", "committed">>, <<"finished", "aborted">>}]_vars
\* It begins at the first server, without dependencies.
SubmitStep == [][\A t \in Txn : phase[t] = "new" /\ phase'[t] = "running" =>
    \A m \in PassingNext(t) : m.type = "forward" /\ m.deps = {} /\ \A s \in Route(t) : m.s <= s]_vars
\* Nothing is known of it before the end of the backward pass, and what is then known stays.
FinishedInv == \A t \in Txn :
    /\ phase[t] \in {"new", "running"} => deps[t] = {} /\ result[t] = {}
    /\ phase[t] \notin {"new", "running"} => {r[1] : r \in result[t]} = Reads[t]
    /\ t \notin deps[t]
FinishStep == [][\A t \in Txn :
    /\ phase[t] = "running" /\ phase'[t] = "finished" =>
         \E m \in Of("finish", t) : deps'[t] = m.deps /\ result'[t] = m.read /\ m \notin msgs'
    /\ phase[t] # "running" => deps'[t] = deps[t] /\ result'[t] = result[t]]_vars
\* Who is ordered behind another at some server depends on it.
DepsInv == \A s \in Server : \A i, j \in DOMAIN pre[s] :
    i < j /\ Conflict(pre[s][i], pre[s][j], s) /\ phase[pre[s][j]] # "running"
        => pre[s][i] \in deps[pre[s][j]]
\* Commits follow their dependencies, each with the next stamp.
StampInv == \A t \in Txn :
    /\ (stamp[t] # 0) = (phase[t] = "committed")
    /\ stamp[t] <= Cardinality({u \in Txn : phase[u] = "committed"})
    /\ phase[t] = "committed" => \A u \in Txn \ {t} :
         /\ stamp[u] # stamp[t]
         /\ u \in deps[t] => Over(u) /\ stamp[u] < stamp[t]
\* What was read was not withdrawn; who is withdrawn read such a thing or was refused.
CommitStep == [][\A t \in Txn :
    LET spoiled == \E r \in result[t] : r[2] \in Txn /\ phase[r[2]] = "aborted"
    IN  /\ phase[t] # phase'[t] /\ phase'[t] = "committed" => ~spoiled /\ \A u \in deps[t] : Over(u)
        /\ phase[t] # phase'[t] /\ phase'[t] = "aborted" =>
             spoiled \/ Cardinality({u \in Txn : phase[u] = "aborted"}) < MaxAborts]_vars
\* Every server of the chain is told of the end, by a message of its own; nothing else is lost by it.
EndStep == [][
    /\ \A t \in Txn :
         /\ {m.s : m \in {n \in Sent("commit") : n.t = t}} =
              IF phase[t] # phase'[t] /\ phase'[t] = "committed" THEN Route(t) ELSE {}
         /\ {m.s : m \in {n \in Sent("abort") : n.t = t}} =
              IF phase[t] # phase'[t] /\ phase'[t] = "aborted" THEN Route(t) ELSE {}
    /\ \A m \in Sent("commit") : m.ts = stamp'[m.t]
    /\ (\E t \in Txn : ~Over(t) /\ OverNext(t)) => msgs \subseteq msgs']_vars
\* A server applies commits in their order.
ApplyStep == [][\A m \in Handled("commit") : \A o \in msgs : o.type = "commit" /\ o.s = m.s => o.ts >= m.ts]_vars

-----------------------------------------------------------------------------
(* The chain servers *)

\* The passes visit the chain's servers in order; nobody is sent on without a visit.
VisitStep == [][
    /\ \A m \in Sent("forward") \union Sent("backward") : m.s \in Route(m.t)
    /\ \A m \in Handled("forward") : \E n \in PassingNext(m.t) :
         IF \A s \in Route(m.t) : s <= m.s THEN n.type = "backward" /\ n.s = m.s /\ n.read = {} /\ n.before = {}
         ELSE n.type = "forward" /\ n.s > m.s /\ \A s \in Route(m.t) : s <= m.s \/ n.s <= s
    /\ \A m \in Handled("backward") : \E n \in PassingNext(m.t) :
         IF \A s \in Route(m.t) : s >= m.s THEN n.type = "finish"
         ELSE n.type = "backward" /\ n.s < m.s /\ \A s \in Route(m.t) : s >= m.s \/ n.s >= s
    /\ Cardinality({m \in msgs : m \notin msgs' /\ m.type # "answer"}) <= 1]_vars
\* What a pass has learnt, the next server is told; with repair forwardDeps who is ahead is noted at once.
LearnStep == [][
    /\ \A m \in Handled("forward") : \A n \in PassingNext(m.t) :
         n.deps = m.deps \union (IF Repaired("forwardDeps") THEN Past(m.t, m.s) ELSE {})
    /\ \A m \in Handled("backward") : \A n \in PassingNext(m.t) :
         /\ n.deps = Follows(m) \union Past(m.t, m.s)
         /\ n.type = "backward" => n.before = m.before \union (Pending(m.t, m.s) \ Follows(m))]_vars
\* It reads the value of the last writer that passed there, else the stored one.
ReadStep == [][\A m \in Handled("backward") : \A n \in PassingNext(m.t) :
    /\ m.read \subseteq n.read
    /\ {r[1] : r \in n.read \ m.read} = {k \in Reads[m.t] : Home[k] = m.s}
    /\ \A r \in n.read \ m.read :
         LET wrote == {i \in DOMAIN pre[m.s] : r[1] \in Writes[pre[m.s][i]]}
         IN  IF wrote = {} THEN r[2] = store[r[1]].writer
             ELSE \E i \in wrote : r[2] = pre[m.s][i] /\ \A j \in wrote : j <= i]_vars
\* Nobody touches the data before its rivals are sorted, and before those that it must follow.
PassStep == [][\A m \in Handled("backward") :
    /\ \A u \in Follows(m) \intersect Others(m.t, m.s) : u \in Passed(m.s)
    /\ HasToAsk(m) => Sorted(m)]_vars
\* And it waits for nothing else (Rule 2), nor does the coordinator once all that is before is over.
CanInv ==
    /\ \A m \in msgs : /\ m.type = "backward"
                       /\ Follows(m) \intersect Others(m.t, m.s) \subseteq Passed(m.s)
                       /\ HasToAsk(m) => Sorted(m)
                       => ENABLED HandleBackward(m)
    /\ \A t \in Txn : phase[t] = "finished" /\ (\A u \in deps[t] : Over(u)) => ENABLED CommitTxn(t) \/ ENABLED CascadeTxn(t)

-----------------------------------------------------------------------------
(* The resolver *)

\* It is asked by who has to ask, told what that one knows, and answers; a query may come after t has passed.
QueryStep == [][
    /\ \A q \in Sent("query") : \E m \in Of("backward", q.t) :
         /\ m.s = q.s /\ HasToAsk(m) /\ ~Sorted(m) /\ q.rivals = Others(q.t, q.s)
         /\ q.open = Pending(q.t, q.s) \ m.deps
         /\ q.edges = {<<a, q.t>> : a \in m.deps \union Past(q.t, q.s)} \union {<<q.t, b>> : b \in m.before}
    /\ \A a \in Sent("answer") : \E q \in Handled("query") :
         q.t = a.t /\ q.s = a.s /\ q.rivals = a.rivals /\ a.after \subseteq q.open
    /\ \A q \in Handled("query") : Sent("answer") # {} \/ \E a \in Of("answer", q.t) : a.s = q.s /\ a.rivals = q.rivals]_vars
\* An answer is kept until the server uses it, and no longer.
AnswerStep == [][
    /\ \A a \in Handled("answer") : \E m \in Handled("backward") : a \in AnswersTo(m)
    /\ \A m \in Handled("backward") : AnswersTo(m) \intersect msgs' = {}]_vars
\* Its edges make no circle.
NoCircleInv == \A e \in repo : ~LeadsTo(repo, e[2], e[1])
\* It keeps what it was told and what it decided while both are unsettled, and learns from queries alone.
RepoStep == [][
    /\ \A e \in repo \ repo' : \E t \in {e[1], e[2]} : ~Over(t) /\ OverNext(t)
    /\ \A t \in Txn : ~Over(t) /\ OverNext(t) => \A e \in repo' : t \notin {e[1], e[2]}
    /\ \A e \in repo' \ repo : \E q \in Handled("query") :
         \/ e \in q.edges /\ ~Over(e[1]) /\ ~Over(e[2])
         \/ e[1] = q.t /\ e[2] \in q.open /\ ~Over(e[2])
         \/ e[2] = q.t /\ e[1] \in q.open /\ ~Over(e[1]) /\ LeadsTo(repo \union q.edges, e[1], q.t)]_vars
\* Of two rivals it puts one first, and says so.
SortStep == [][\A q \in Handled("query") :
    /\ \A e \in q.edges : ~Over(e[1]) /\ ~Over(e[2]) => e \in repo'
    /\ \A b \in q.open : ~Over(b) => (<<b, q.t>> \in repo') # (<<q.t, b>> \in repo')
    /\ \A a \in Sent("answer") : a.after = {b \in q.open : ~Over(b) /\ <<b, q.t>> \in repo'}]_vars
================================================================================
