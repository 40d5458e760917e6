---------------------- MODULE SessionGuaranteesContracts ----------------------
(***************************************************************************)
(* What cloudlets that send each other updates and flushes owe each other, *)
(* besides what EngageCloudletContracts says. Mutants of SessionGuarantees *)
(* that leave the paper's claims intact are caught here.                   *)
(***************************************************************************)
EXTENDS MCSessionGuarantees, EngageCloudletContracts

\* Each guarantee alone.
ApartAsks == [c \in Clients |-> {{"MR"}, {"WFR"}, {"RYW"}, {"MW"}}]

Grows(p, m) == channel'[p] = Append(channel[p], m)
\* The oldest message of p is taken.
Took(p) == channel[p] # <<>> /\ channel'[p] = Tail(channel[p])

ChannelInv == DOMAIN channel = {<<j, i>> : j, i \in Cloudlets} \ {<<i, i>> : i \in Cloudlets}

\* Messages are added one at a time: an update by who just made it, to a replica; a flush by who just flushed.
SentStep == [][\A p \in DOMAIN channel : channel'[p] # channel[p] /\ ~Took(p) =>
  \/ \E u \in Made(p[1]) : p[2] \in Replicas[u.obj] /\ Grows(p, [kind |-> "UN", u |-> u, mf |-> Zero])
  \/ flushed'[p[1]] # flushed[p[1]] /\ Grows(p, [kind |-> "MF", u |-> NoUpdate, mf |-> flushed'[p[1]]])]_vars

\* An update goes to all its other replicas, and nothing else happens on the channels.
PublishStep == [][\A i \in Cloudlets : \A u \in Made(i) :
  /\ flushed' = flushed
  /\ \A p \in DOMAIN channel : (channel'[p] # channel[p]) = (p[1] = i /\ p[2] \in Replicas[u.obj])]_vars

\* A flush is news, and goes to everybody else.
FlushStep == [][\A i \in Cloudlets : flushed'[i] # flushed[i] =>
  /\ flushed' = [flushed EXCEPT ![i] = IF FlushCarries = "own" THEN Only(i, clock[i][i]) ELSE clock[i]]
  /\ \A p \in DOMAIN channel : (channel'[p] # channel[p]) = (p[1] = i)
  /\ UNCHANGED <<cloudletVars, clientVars>>]_vars

\* A message is taken alone, and its receiver learns what it says.
TookStep == [][\A p \in DOMAIN channel : Took(p) =>
  LET m == Head(channel[p]) IN
  /\ \A q \in DOMAIN channel \ {p} : channel'[q] = channel[q]
  /\ Learns(p[2], m.mf, IF m.kind = "UN" THEN {m.u} ELSE {})
  /\ UNCHANGED <<clientVars, flushed>>]_vars

ExecuteStep == [][\A i \in Cloudlets : \A u \in waiting[i] \ waiting'[i] :
  Executes(i, u) /\ UNCHANGED <<clientVars, channel, flushed>>]_vars

\* A cloudlet changes by a write, a message or an execution.
CauseStep == [][\A i \in Cloudlets : Touched(i) =>
  \/ Made(i) # {}
  \/ \E p \in DOMAIN channel : p[2] = i /\ Took(p)
  \/ waiting[i] \ waiting'[i] # {}]_vars

\* Constraint: clients write and do not read.
OnlyWrites == \A c \in Clients : \A n \in 1..Len(hist[c]) : hist[c][n].op = "w"

\* Constraint: both write at c1, then read at c2.
WriteThenMove == \A c \in Clients : \A r \in held \union {hist[c][n] : n \in 1..Len(hist[c])} :
  r.op = IF r.at = "c1" THEN "w" ELSE "r"

\* Constraint: B writes at c1; then A writes, at c2 and at c3.
WritersInTurn ==
  /\ OnlyWrites
  /\ Len(hist["A"]) > 0 => Len(hist["B"]) = 1
  /\ \A n \in 1..Len(hist["B"]) : hist["B"][n].at = "c1"
  /\ \A n \in 1..Len(hist["A"]) : hist["A"][n].at = IF n = 1 THEN "c2" ELSE "c3"

\* Constraint: B writes, then A reads, then goes on.
WriterThenReader ==
  /\ \A n \in 1..Len(hist["B"]) : hist["B"][n].op = "w"
  /\ Len(hist["A"]) >= 1 => hist["A"][1].op = "r" /\ Len(hist["B"]) = 1
===============================================================================
