--------------------------- MODULE RepairedContracts ---------------------------
(***************************************************************************)
(* What the data centres owe each other in Repaired, with all repairs. The *)
(* paper claims little of this; errors in Repaired that leave its claims   *)
(* intact, in worlds of two transactions, are caught here. Operators that  *)
(* an error may change are put in other words.                             *)
(***************************************************************************)
EXTENDS MCRepaired

Rival(t, u) == \E k \in Key :
    \/ k \in Writes[t] /\ k \in Reads[u] \union Writes[u]
    \/ k \in Writes[u] /\ k \in Reads[t]
Most(S) == 2 * Cardinality(S) > Cardinality(DC)
Over(d, t) == final[d][t].kind # "none"
Done(d, t) == final[d][t].kind = "commit"
Voted(d, t) == vote[d][t].kind # "none"
Under(d) == {exec[d][i] : i \in DOMAIN exec[d]}
SameResult(v, w) == v.kind = w.kind /\ v.deps = w.deps /\ v.reads = w.reads
Top(S) == CHOOSE n \in S : \A i \in S : i <= n

-----------------------------------------------------------------------------
(* Data centres *)

\* Data centres are lost one by one, as many at a time as may be, and some come back as they were. Who is lost does nothing,
\* and sends no epoch message.
LostStep == [][
    /\ up' # up =>
         /\ \/ \E d \in up : up' = up \ {d} /\ Cardinality(DC \ up') <= MaxDown
            \/ \E d \in Back \ up : up' = up \union {d}
         /\ UNCHANGED <<sent, vote, exec, promised, accepted, proposal, final, stamp, reply, reader>>
    /\ \A t \in sent' \ sent : Origin[t] \in up
    /\ \A d \in DC \ up : <<vote'[d], exec'[d], promised'[d], accepted'[d], final'[d], stamp'[d]>>
                          = <<vote[d], exec[d], promised[d], accepted[d], final[d], stamp[d]>>
    /\ \A r \in Reader : ReadsAt[r] \notin up => reader'[r] = reader[r]]_vars
\* What is said or read stays so.
KeptStep == [][
    /\ sent \subseteq sent'
    /\ \A d \in DC, t \in Txn :
        /\ Voted(d, t) => vote'[d][t] = vote[d][t]
        /\ Over(d, t) => final'[d][t] = final[d][t] /\ stamp'[d][t] = stamp[d][t]
        /\ promised'[d][t] >= promised[d][t]
    /\ \A t \in Txn : reply[t].status # "none" => reply'[t] = reply[t]
    /\ \A r \in Reader : /\ reader[r].reads \subseteq reader'[r].reads
                         /\ reader'[r].at # reader[r].at => reader[r].at = 0 /\ reader'[r].at \in ReadTimes]_vars
\* Executed is what was voted on and is not over, each once.
ExecInv == \A d \in DC : Under(d) = {t \in Txn : Voted(d, t) /\ ~Over(d, t)} /\ Len(exec[d]) = Cardinality(Under(d))

-----------------------------------------------------------------------------
(* Votes *)

\* w wrote what a reader of k at d with timestamp n sees of what was applied.
Newest(d, k, w, n) ==
    LET done == {u \in Txn : Done(d, u) /\ k \in Writes[u] /\ stamp[d][u] <= n}
    IN  IF done = {} THEN w = Nobody ELSE w \in done /\ \A u \in done : stamp[d][u] <= stamp[d][w]
\* w wrote what is executed next sees of k at d.
Temporary(d, k, w) ==
    LET wrote == {i \in DOMAIN exec[d] : k \in Writes[exec[d][i]]}
    IN  IF wrote = {} THEN Newest(d, k, w, Top({stamp[d][u] : u \in Txn}))
        ELSE \E i \in wrote : exec[d][i] = w /\ \A j \in wrote : j <= i
\* A data centre votes once, in the order of epochs, before it joins a ballot: what was before, also through others as it
\* was decided or voted, and what it read.
VoteStep == [][\A d \in DC, t \in Txn : vote'[d][t] # vote[d][t] =>
    LET before == {u \in Txn \ {t} : Rival(t, u) /\ (u \in Under(d) \/ Done(d, u))}
        v == vote'[d][t]
    IN  /\ t \in sent /\ ~Over(d, t) /\ promised[d][t] = 0
        /\ \A u \in Txn : Batch[u] < Batch[t] => Voted(d, u) \/ Over(d, u)
        /\ exec' = [exec EXCEPT ![d] = exec[d] \o <<t>>]
        /\ v.kind = "commit"
        /\ v.deps = before \union UNION {IF Over(d, u) THEN final[d][u].deps ELSE vote[d][u].deps : u \in before}
        /\ {r[1] : r \in v.reads} = Reads[t] /\ \A r \in v.reads : Temporary(d, r[1], r[2])
        /\ UNCHANGED <<up, sent, promised, accepted, proposal, final, stamp, reply, reader>>]_vars

-----------------------------------------------------------------------------
(* Ballots *)

\* A majority of all, all of them up and without a decision, joins a ballot that is higher than all that they have joined.
\* It proposes what was accepted last; else what all of them voted, or a majority of all; else abort.
Alike(d, t, P) == {e \in P : Voted(d, t) /\ SameResult(vote[e][t], vote[d][t])}
BallotStep == [][\A t \in Txn, b \in 1..MaxBallot : proposal'[t][b] # proposal[t][b] =>
    LET P == {d \in DC : promised'[d][t] # promised[d][t]}
        p == proposal'[t][b]
        last == {d \in P : accepted[d][t] > 0 /\ \A e \in P : accepted[e][t] <= accepted[d][t]}
        backed == {d \in P : Voted(d, t) /\ (Alike(d, t, P) = P \/ Most(Alike(d, t, P)))}
    IN  /\ proposal[t][b].kind = "none" /\ P \subseteq up /\ Most(P)
        /\ \A d \in P : promised[d][t] < b /\ promised'[d][t] = b /\ ~Over(d, t)
        /\ IF last # {} THEN \A d \in last : SameResult(p, proposal[t][accepted[d][t]])
           ELSE IF backed # {} THEN \E d \in backed : SameResult(p, vote[d][t])
           ELSE p.kind = "abort"
        /\ UNCHANGED <<up, sent, vote, exec, accepted, final, stamp, reply, reader>>]_vars
\* Who accepts has not joined a higher one, joins it with that, and has accepted none as high.
AcceptStep == [][\A d \in DC, t \in Txn :
    LET b == accepted'[d][t]
    IN  /\ b # accepted[d][t] => /\ b > accepted[d][t] /\ b >= promised[d][t] /\ promised'[d][t] = b
                                 /\ proposal[t][b].kind # "none"
        /\ promised'[d][t] # promised[d][t] => promised'[d][t] = b \/ proposal'[t] # proposal[t]]_vars

-----------------------------------------------------------------------------
(* Decisions *)

\* The votes of all, or what a majority accepted in one ballot, or what another has learned.
Decisions(t) ==
    (IF \A d, e \in DC : Voted(d, t) /\ SameResult(vote[d][t], vote[e][t]) THEN {vote[d][t] : d \in DC} ELSE {})
    \union {proposal[t][b] : b \in {c \in 1..MaxBallot : Most({d \in DC : accepted[d][t] = c})}}
    \union {final[d][t] : d \in {e \in DC : Over(e, t)}}
\* One learns once what is decided, when all that is before is over. It is aborted if it was to be, or has read what was
\* withdrawn; else its timestamp follows its epoch and what is before. Its origin tells the client, and nobody else does.
LearnStep == [][\A d \in DC, t \in Txn : final'[d][t] # final[d][t] => ~Over(d, t) /\ \E v \in Decisions(t) :
    LET spoiled == \E r \in v.reads : r[2] \in Txn /\ Over(d, r[2]) /\ ~Done(d, r[2])
        f == final'[d][t]
    IN  /\ \A u \in v.deps : Over(d, u)
        /\ IF v.kind = "abort" \/ spoiled THEN f.kind = "abort" /\ f.reads = {} /\ stamp' = stamp
           ELSE /\ SameResult(f, v)
                /\ stamp' = [stamp EXCEPT ![d][t] =
                     Top({Batch[t] + 1} \union {stamp[d][u] + 1 : u \in {w \in v.deps : Done(d, w)}})]
        /\ UNCHANGED <<up, sent, vote, promised, accepted, proposal, reader>>]_vars
\* Whoever may accept can, whatever it has voted, and whoever may learn, execute, begin a ballot or come back.
CanInv ==
    /\ \A d \in Back \ up : ENABLED ComeBack(d)
    /\ \A t \in Txn, b \in 1..MaxBallot, P \in SUBSET up :
         proposal[t][b].kind = "none" /\ Most(P) /\ (\A d \in P : promised[d][t] < b /\ ~Over(d, t)) => ENABLED RunBallot(t, b, P)
    /\ \A d \in up, t \in Txn :
         /\ /\ t \in sent /\ ~Voted(d, t) /\ ~Over(d, t) /\ promised[d][t] = 0
            /\ \A u \in Txn : Batch[u] < Batch[t] => Voted(d, u) \/ Over(d, u)
            => ENABLED Execute(d, t, 0)
         /\ \A b \in 1..MaxBallot : proposal[t][b].kind # "none" /\ promised[d][t] <= b /\ accepted[d][t] < b => ENABLED Accept(d, t, b)
         /\ \A v \in Decisions(t) : ~Over(d, t) /\ (\A u \in v.deps : Over(d, u)) => \E w \in Learnable(t) : ENABLED Learn(d, t, w)
ToldInv == \A t \in Txn :
    LET f == final[Origin[t]][t]
    IN  reply[t] = [status |-> IF f.kind = "none" THEN "none" ELSE IF f.kind = "abort" THEN "fail" ELSE "ok", reads |-> f.reads]
\* Of two that conflict and are applied one is before the other.
OrderedInv == \A d \in DC, t, u \in Txn :
    (t # u /\ Rival(t, u) /\ Done(d, t) /\ Done(d, u)) => t \in final[d][u].deps \/ u \in final[d][t].deps

-----------------------------------------------------------------------------
(* Readers *)

\* A reader that has a timestamp waits until all of the epochs before that is over at its own data centre, and sees what is
\* before it.
ReadStep == [][\A r \in Reader : \A x \in reader'[r].reads \ reader[r].reads :
    /\ reader[r].at # 0 /\ \A t \in Txn : Batch[t] < reader[r].at => Over(ReadsAt[r], t)
    /\ Newest(ReadsAt[r], x[1], x[2], reader[r].at)
    /\ \A y \in reader[r].reads : y[1] # x[1]]_vars
\* It waits for nothing else.
MayReadInv == \A r \in Reader, k \in Key :
    /\ ReadsAt[r] \in up /\ reader[r].at # 0 /\ k \notin {x[1] : x \in reader[r].reads}
    /\ \A t \in Txn : Batch[t] < reader[r].at => Over(ReadsAt[r], t)
    => ENABLED ReadKey(r, k)
================================================================================
