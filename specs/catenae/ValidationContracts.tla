-------------------------- MODULE ValidationContracts --------------------------
(***************************************************************************)
(* What the coordinators of different data centres owe each other. The     *)
(* paper claims none of this; mutants of Validation that leave its claims  *)
(* intact are caught here. For the readings GiveUp = "all" and             *)
(* Periods = "all". The module's own operators are not used where a mutant *)
(* could bend them: the rules are said here once more.                     *)
(***************************************************************************)
EXTENDS MCValidation

\* Constraint for cascade3: few orders, some of which abort 2 and with it 3, some of which catch up.
SomeOrders ==
    /\ state[1][2] # "new" => state[1][1] # "new"
    /\ state[1][3] # "new" => state[1][2] # "new"
    /\ state[2][3] # "new" => state[2][1] # "new" /\ state[2][2] # "new"
    /\ state[3][1] # "new" => state[3][2] # "new" \/ state[3][3] # "new"

Repaired(name) == name \in Repairs
Moves(d, t, from, to) == state[d][t] = from /\ state'[d][t] = to
Done(d, t) == state[d][t] = "committed" \/ state[d][t] = "caughtup"
Over(d, t) == Done(d, t) \/ state[d][t] = "aborted"
OverNext(d, t) == state'[d][t] \in {"committed", "caughtup", "aborted"}
Queued(d, t) == \E i \in DOMAIN exec[d] : exec[d][i] = t
\* t's origin answered without asking anybody.
Alone(t) == \E m \in msgs : m.type = "dominant" /\ m.t = t

Conflict(t, u) == \E k \in Key :
    \/ k \in Writes[t] /\ (k \in Reads[u] \/ k \in Writes[u])
    \/ k \in Reads[t] /\ k \in Writes[u]
Behind(d, t) == {u \in Txn : u # t /\ Conflict(t, u) /\ (Queued(d, u) \/ (Repaired("versions") /\ Done(d, u)))}
\* What reading k at d gives.
Latest(d, k) ==
    LET wrote == {i \in DOMAIN exec[d] : k \in Writes[exec[d][i]]}
    IN  IF wrote = {} THEN store[d][k].w ELSE exec[d][CHOOSE i \in wrote : \A j \in wrote : j <= i]
Seen(d, t) == {<<k, Latest(d, k)>> : k \in Reads[t]}

\* Votes of d's that agree with more than half of all data centres, and those that d goes by.
AllHere(d, t) == \A e \in DC : \E v \in got[d][t] : v.dc = e
Agreed(d, t) == {v \in got[d][t] : 2 * Cardinality({w \in got[d][t] :
    w.deps = v.deps /\ (Repaired("results") => w.reads = v.reads)}) > Cardinality(DC)}
Follows(d, t) == IF \E v \in Agreed(d, t) : v.dc = d THEN {v \in Agreed(d, t) : v.dc = d} ELSE Agreed(d, t)
Needs(d, t) == UNION {v.deps : v \in Agreed(d, t)}

-----------------------------------------------------------------------------
(* Votes *)

ClockStep == [][\A d \in DC : clock'[d] # clock[d] => clock'[d] = clock[d] + 1]_vars
SkewInv == \A d, e \in DC : clock[d] - clock[e] <= Skew

\* A data centre has one vote on a transaction, which it holds itself; it is sent to the others.
VoteInv ==
    /\ \A d \in DC, t \in Txn : \A v \in got[d][t] :
         /\ v.t = t /\ v \in got[v.dc][t]
         /\ \A w \in got[d][t] : v.dc = w.dc => v = w
         /\ v.dc # d => VoteMsg(d, v) \in msgs
    /\ \A m \in msgs : m.type = "vote" => m.to # m.vote.dc /\ m.vote \in got[m.vote.dc][m.vote.t]
    /\ \A d \in DC, t \in Txn : (\E v \in got[d][t] : v.dc = d) => state[d][t] # "new"
    /\ \A d \in DC, t \in Txn : state[d][t] \in {"executed", "decided"} => \E v \in got[d][t] : v.dc = d
\* It is cast on execution, which sees what was executed before and names it.
VoteStep == [][\A d \in DC, t \in Txn : Moves(d, t, "new", "executed") =>
    /\ exec'[d] = Append(exec[d], t)
    /\ \E v \in got'[d][t] : /\ v.dc = d /\ v.deps = Behind(d, t) /\ v.reads = Seen(d, t)
                             /\ v.low = clock[d] + Delay /\ v.high = v.low + Offset
                             /\ \A e \in DC \ {d} : VoteMsg(e, v) \in msgs']_vars
\* What is held was sent, and nothing sent or held is lost.
HeldStep == [][
    /\ msgs \subseteq msgs'
    /\ \A m \in msgs' \ msgs : m.type = "vote" => Moves(m.vote.dc, m.vote.t, "new", "executed")
    /\ \A d \in DC, t \in Txn :
         /\ got[d][t] \subseteq got'[d][t]
         /\ \A v \in got'[d][t] \ got[d][t] :
              IF v.dc = d THEN state[d][t] = "new" ELSE VoteMsg(d, v) \in msgs /\ ~Over(d, t)]_vars

-----------------------------------------------------------------------------
(* Decisions *)

StateStep == [][\A d \in DC, t \in Txn : state[d][t] # state'[d][t] =>
    \/ <<state[d][t], state'[d][t]>> \in
         {<<"new", "executed">>, <<"executed", "decided">>, <<"executed", "aborted">>,
          <<"decided", "committed">>, <<"decided", "caughtup">>, <<"decided", "aborted">>}
    \/ ~Repaired("validateAll") /\ ~Over(d, t) /\ state'[d][t] \in {"committed", "caughtup"}
         /\ (Alone(t) \/ d = Origin[t])]_vars
\* A majority that agrees, or all votes and none. Whether there was something to wait for is noted.
DecideStep == [][\A d \in DC, t \in Txn :
    /\ Moves(d, t, "executed", "decided") =>
         /\ AllHere(d, t) /\ Agreed(d, t) # {}
         /\ waited'[d][t] = (\E u \in Needs(d, t) : ~Over(d, u))
    /\ waited'[d][t] # waited[d][t] => Moves(d, t, "executed", "decided")
    /\ Moves(d, t, "executed", "aborted") => AllHere(d, t) /\ Agreed(d, t) = {}]_vars
\* What was decided ends after its dependencies, and as they did.
EndStep == [][\A d \in DC, t \in Txn : state[d][t] = "decided" /\ state'[d][t] # "decided" /\ ~Alone(t) =>
    LET spoiled(v) == \E r \in v.reads : r[2] \in Txn /\ state[d][r[2]] = "aborted"
        own == /\ \E v \in Agreed(d, t) : v.dc = d
               /\ \A u \in Needs(d, t) : state[d][u] # "caughtup"
    IN  /\ \A u \in Needs(d, t) : Over(d, u)
        /\ (state'[d][t] = "committed") => own
        /\ (state'[d][t] = "caughtup") => ~own
        /\ state'[d][t] = "aborted" => \E v \in Follows(d, t) : spoiled(v)
        /\ state'[d][t] # "aborted" => \E v \in Follows(d, t) : ~spoiled(v) \/ (~own /\ ~Repaired("cascadeAll"))]_vars
\* A queue grows at its end, and who leaves it leaves the others in their order.
QueueStep == [][\A d \in DC :
    \/ exec'[d] = exec[d]
    \/ \E t \in Txn : Moves(d, t, "new", "executed")
    \/ \E t \in Txn : /\ OverNext(d, t) /\ ~Over(d, t)
                      /\ exec'[d] = SelectSeq(exec[d], LAMBDA u : u # t)]_vars

\* A vote is heard when it comes, whatever has happened here.
HearsInv == \A m \in msgs : m.type = "vote" =>
    m.vote \in got[m.to][m.vote.t] \/ Over(m.to, m.vote.t) \/ ENABLED HandleVote(m)

-----------------------------------------------------------------------------
(* Stamps, stores and answers *)

\* A timestamp suits a transaction if no period ends before, none begins later and no dependency has it or a later one.
\* Without repair stampInAll one period's end is enough, without stampAfterDeps the dependencies don't count.
Suits(d, t, n) ==
    /\ \E v \in got[d][t] : v.high <= n
    /\ Repaired("stampInAll") => \A v \in got[d][t] : v.low <= n
    /\ Repaired("stampAfterDeps") => \A u \in Needs(d, t) : stamp[d][u] < n
\* What is applied has a timestamp, and nothing else has: the earliest that suits. As published a transaction that
\* waited follows its last dependency directly.
EarliestInv == \A d \in DC, t \in Txn :
    LET late == {u \in Needs(d, t) : stamp[d][u] > 0}
    IN  /\ (stamp[d][t] # 0) = Done(d, t)
        /\ Done(d, t) /\ ~Alone(t) =>
             IF ~Repaired("stampAfterDeps") /\ waited[d][t] /\ late # {}
             THEN /\ \A u \in late : stamp[d][u] < stamp[d][t]
                  /\ \E u \in late : stamp[d][u] + 1 = stamp[d][t]
             ELSE Suits(d, t, stamp[d][t]) /\ ~Suits(d, t, stamp[d][t] - 1)
\* A key holds its last writer by timestamp, with what that writer had read.
StoreInv == \A d \in DC, k \in Key :
    LET by == {t \in Txn : Done(d, t) /\ k \in Writes[t]}
        s == store[d][k]
    IN  IF by = {} THEN s.w = Nobody /\ s.from = {} /\ s.ts = 0
        ELSE /\ s.w \in by /\ s.ts = stamp[d][s.w]
             /\ \A t \in by : stamp[d][t] < s.ts \/ (stamp[d][t] = s.ts /\ t <= s.w)
             /\ IF Alone(s.w) THEN s.from = reply[s.w].reads ELSE \E v \in Follows(d, s.w) : s.from = v.reads
\* The origin answers, when it is done, what the vote that it goes by had read; an answer stands.
ReplyInv == \A t \in Txn :
    /\ (reply[t].status = "ok") = Done(Origin[t], t)
    /\ (reply[t].status = "fail") = (state[Origin[t]][t] = "aborted")
    /\ reply[t].status # "ok" => reply[t].reads = {}
    /\ reply[t].status = "ok" /\ ~Alone(t) => \E v \in Follows(Origin[t], t) : reply[t].reads = v.reads
ReplyStep == [][\A t \in Txn : reply[t].status # "none" => reply'[t] = reply[t]]_vars

\* Without repair validateAll: who answers alone was alone, and what it read is imposed on all.
AloneStep == [][
    /\ \A t \in Txn : Moves(Origin[t], t, "new", "committed") =>
         /\ ~Repaired("validateAll") /\ ~Alone(t)
         /\ \A u \in Txn : Queued(Origin[t], u) => ~Conflict(t, u)
         /\ reply'[t].reads = Seen(Origin[t], t)
         /\ stamp'[Origin[t]][t] = clock[Origin[t]]
         /\ \A e \in DC \ {Origin[t]} :
              DominantMsg(e, t, reply'[t].reads, stamp'[Origin[t]][t]) \in msgs'
    /\ \A m \in msgs' \ msgs : m.type = "dominant" => m.to # Origin[m.t] /\ Moves(Origin[m.t], m.t, "new", "committed")
    /\ \A d \in DC, t \in Txn : Alone(t) /\ ~Over(d, t) /\ OverNext(d, t) /\ state[d][t] # "decided" =>
         \/ state'[d][t] = "aborted" /\ AllHere(d, t)
         \/ /\ stamp'[d][t] = stamp[Origin[t]][t]
            /\ (state'[d][t] = "committed") = (\E v \in got[d][t] : v.dc = d /\ v.reads = reply[t].reads)]_vars
================================================================================
