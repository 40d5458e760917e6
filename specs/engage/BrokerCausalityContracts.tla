----------------------- MODULE BrokerCausalityContracts -----------------------
(***************************************************************************)
(* What brokers, cloudlets and links owe each other, besides what          *)
(* EngageCloudletContracts says. Mutants of BrokerCausality that leave the *)
(* paper's claims intact are caught here.                                  *)
(***************************************************************************)
EXTENDS MCBrokerCausality, EngageCloudletContracts

\* Each guarantee alone.
ApartAsks == [c \in Clients |-> {{"MR"}, {"WFR"}, {"RYW"}, {"MW"}}]

\* Constraint: A writes x at c1, then y at c2.
XThenY == \A n \in DOMAIN hist["A"] :
  <<hist["A"][n].op, hist["A"][n].obj, hist["A"][n].at>> = IF n = 1 THEN <<"w", "x", "c1">> ELSE <<"w", "y", "c2">>

\* The tree in other words: directed links, and the nodes on the far side of each.
Links == {e \in (UNION Tree) \X (UNION Tree) : {e[1], e[2]} \in Tree}
RECURSIVE FarFrom(_, _)
FarFrom(a, b) == {b} \union UNION {FarFrom(b, n) : n \in {m \in UNION Tree : m \notin {a, b} /\ {b, m} \in Tree}}
FarSide == [e \in Links |-> FarFrom(e[1], e[2])]

\* Update u has a replica to reach over e.
Wanted(e, u) == Payload # "clocks" /\ \E k \in FarSide[e] \intersect Replicas[u.obj] : k # u.src
Up(e) == {e[1], e[2]} \notin down /\ {e[1], e[2]} \intersect crashed = {}
\* Message m is sent on e, and kept or lost if e is not up.
Sends(e, m) == link'[e] = IF Up(e) \/ Repaired("resend") THEN Append(link[e], m) ELSE link[e]
\* The oldest message of e is handled.
Took(e) == link[e] # <<>> /\ link'[e] = Tail(link[e]) /\ faults' = faults
Down == {t \in Tree : t \in down' \ down}
Crashing == crashed' \ crashed
Notice(u, v) == [kind |-> "UN", u |-> u, mf |-> v]
MetadataFlush(v) == [kind |-> "MF", u |-> NoUpdate, mf |-> v]

TreeInv == DOMAIN link = Links /\ DOMAIN pending = Links

-----------------------------------------------------------------------------
(* Brokers *)

\* A broker hands a message on over all other links: an update where somebody needs it, with all the metadata
\* that waited for that link; else it adds what the message says to what waits.
BrokerStep == [][\A e \in Links : e[2] \in Brokers /\ Took(e) =>
  LET m == Head(link[e]) IN
  /\ Up(e)
  /\ \A f \in Links \ {e} :
       IF f[1] # e[2] \/ f[2] = e[1] THEN link'[f] = link[f] /\ pending'[f] = pending[f]
       ELSE LET merged == Joined(pending[f], m.mf) IN
            IF m.kind = "UN" /\ Wanted(f, m.u) THEN Sends(f, Notice(m.u, merged)) /\ pending'[f] = Zero
            ELSE /\ link'[f] = link[f]
                 /\ pending'[f] = IF m.kind = "UN" THEN Joined(merged, Covers(m.u)) ELSE merged
  /\ pending'[e] = pending[e]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, faultVars>>]_vars

\* A timer sends what waits for its link.
Fires(e) ==
  /\ e[1] \in Brokers \ crashed /\ pending[e] # Zero
  /\ pending' = [pending EXCEPT ![e] = Zero] /\ Sends(e, MetadataFlush(pending[e]))
  /\ \A f \in Links \ {e} : link'[f] = link[f]
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, faultVars>>
PendingStep == [][\A e \in Links : pending'[e] # pending[e] =>
  \/ \E f \in Links : f[2] = e[1] /\ f[1] # e[2] /\ Took(f)
  \/ Fires(e)
  \/ e[1] \in Crashing /\ ~Repaired("durableBroker") /\ pending'[e] = Zero]_vars

-----------------------------------------------------------------------------
(* Links *)

\* Messages are added one at a time, taken in order, lost only by faults.
LinkStep == [][\A e \in Links : link'[e] # link[e] =>
  \/ Took(e)
  \/ link'[e] = <<>> /\ ~Repaired("resend") /\ ({e[1], e[2]} \in Down \/ {e[1], e[2]} \intersect Crashing # {})
  \/ /\ ~Repaired("resend") /\ link[e] # <<>> /\ faults' = [faults EXCEPT !.losses = @ + 1]
     /\ link' = [link EXCEPT ![e] = Tail(@)]
     /\ UNCHANGED <<cloudletVars, clientVars, pending, directVars, down, crashed>>
  \/ e[1] \in Cloudlets /\ \E u \in Made(e[1]) : link'[e] = Append(link[e], Notice(u, Zero))
  \/ e[1] \in Brokers /\ \E f \in Links : f[2] = e[1] /\ f # <<e[2], e[1]>> /\ Took(f)
  \/ Fires(e)]_vars

\* A new update goes to its maker's broker, and its payload to the replicas where that is the way.
PublishStep == [][\A i \in Cloudlets : \A u \in Made(i) :
  /\ \A e \in Links : IF e[1] = i THEN Sends(e, Notice(u, Zero)) ELSE link'[e] = link[e]
  /\ payloads' = IF Payload = "brokers" THEN payloads ELSE payloads \union {u}
  /\ UNCHANGED <<pending, arrived, faultVars>>]_vars

-----------------------------------------------------------------------------
(* Cloudlets *)

\* A cloudlet takes a message alone and learns what it says.
TookStep == [][\A e \in Links : e[2] \in Cloudlets /\ Took(e) =>
  LET m == Head(link[e]) IN
  /\ Up(e)
  /\ \A f \in Links \ {e} : link'[f] = link[f]
  /\ Learns(e[2], m.mf, IF m.kind = "UN" THEN {m.u} ELSE {})
  /\ UNCHANGED <<clientVars, pending, directVars, faultVars>>]_vars

\* A payload comes once, to a replica, from who made it; with its clock it waits there for its turn.
ArrivedStep == [][payloads' # payloads \/ arrived' # arrived =>
  \/ \E i \in Cloudlets : Made(i) # {}
  \/ /\ payloads' = payloads
     /\ \E u \in payloads : \E i \in Replicas[u.obj] \ {u.src} :
          /\ IdOf(u) \notin arrived[i] /\ arrived' = [arrived EXCEPT ![i] = @ \union {IdOf(u)}]
          /\ waiting' = IF Payload = "clocks" THEN [waiting EXCEPT ![i] = @ \union {u}] ELSE waiting
     /\ UNCHANGED <<clock, store, heard, clientVars, treeVars, faultVars>>]_vars

\* What leaves the queue is executed, with its payload there, unless the cloudlet crashes.
ExecuteStep == [][\A i \in Cloudlets \ Crashing : \A u \in waiting[i] \ waiting'[i] :
  /\ i \notin crashed
  /\ Payload = "brokers" \/ IdOf(u) \in arrived[i]
  /\ Executes(i, u)
  /\ UNCHANGED <<clientVars, treeVars, directVars, faultVars>>]_vars

\* A cloudlet changes by a write, a message, a payload, an execution or a crash, and serves nobody while it is down.
CauseStep == [][
  /\ \A i \in Cloudlets : Touched(i) =>
       \/ Made(i) # {}
       \/ \E e \in Links : e[2] = i /\ Took(e)
       \/ arrived'[i] # arrived[i]
       \/ waiting[i] \ waiting'[i] # {}
       \/ i \in Crashing
  /\ \A c \in Clients : Completes(c) => Last(c).at \notin crashed
  /\ \A r \in held' \ held : r.at \notin crashed]_vars
\* Requests touch nothing else.
RequestStep == [][held' # held \/ hist' # hist =>
  UNCHANGED <<pending, arrived, faultVars>> /\ (link' # link => \E i \in Cloudlets : Made(i) # {})]_vars

-----------------------------------------------------------------------------
(* Faults *)

FaultsInv ==
  /\ faults.losses \in 0..MaxLosses /\ faults.failures \in 0..MaxLinkFailures /\ faults.crashes \in 0..MaxCrashes
  /\ down \subseteq Tree /\ Cardinality(down) <= faults.failures
  /\ crashed \subseteq Fallible /\ Cardinality(crashed) <= faults.crashes

\* Links and processes fail one at a time, are counted, and come back without further ado.
FaultsStep == [][
  /\ down' # down =>
       \/ \E t \in down : down' = down \ {t} /\ faults' = faults /\ UNCHANGED treeVars
       \/ \E t \in Tree \ down : down' = down \union {t} /\ faults' = [faults EXCEPT !.failures = @ + 1]
  /\ crashed' # crashed =>
       \/ \E n \in crashed : crashed' = crashed \ {n} /\ faults' = faults /\ UNCHANGED treeVars
       \/ \E n \in Fallible \ crashed : crashed' = crashed \union {n} /\ faults' = [faults EXCEPT !.crashes = @ + 1]
  /\ down' # down => crashed' = crashed
  /\ faults'.failures # faults.failures => Down # {}
  /\ faults'.crashes # faults.crashes => Crashing # {}
  /\ faultVars' # faultVars => UNCHANGED <<clientVars, directVars, store>>
  /\ faultVars' # faultVars /\ Crashing = {} => UNCHANGED <<cloudletVars, pending>>]_vars

\* What breaks loses what was under way, unless it is sent again.
BreakStep == [][\A e \in Links :
  /\ {e[1], e[2]} \in Down \/ {e[1], e[2]} \intersect Crashing # {} =>
       link'[e] = IF Repaired("resend") THEN link[e] ELSE <<>>
  /\ e[1] \in Crashing => pending'[e] = IF Repaired("durableBroker") THEN pending[e] ELSE Zero]_vars

\* A cloudlet that crashes keeps its values, and with durableCloudlet all it had; else its clock is that of its values.
CrashStep == [][\A i \in Crashing \intersect Cloudlets :
  IF Repaired("durableCloudlet") THEN UNCHANGED cloudletVars
  ELSE /\ waiting' = [waiting EXCEPT ![i] = {}] /\ heard' = [heard EXCEPT ![i] = Zero]
       /\ \A j \in Cloudlets : /\ \A u \in Contents(store[i]) : u.vc[j] <= clock'[i][j]
                               /\ clock'[i][j] = 0 \/ \E u \in Contents(store[i]) : u.vc[j] = clock'[i][j]
       /\ \A k \in Cloudlets \ {i} : clock'[k] = clock[k]]_vars
===============================================================================
