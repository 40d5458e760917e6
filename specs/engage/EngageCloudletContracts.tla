------------------------ MODULE EngageCloudletContracts ------------------------
(***************************************************************************)
(* What clients and cloudlets owe each other. The paper claims little of   *)
(* this; mutants of EngageCloudlet that leave its claims intact are caught *)
(* here. How news travels is left to the modules that extend this one, as  *)
(* in EngageCloudlet. Operators that a mutant may change are put in other  *)
(* words.                                                                  *)
(***************************************************************************)
EXTENDS EngageCloudlet

localVars == <<cloudletVars, clientVars>>
Repaired(name) == name \in Repairs

Covering(v, w) == \A j \in Cloudlets : v[j] >= w[j]
Joined(v, w) == [j \in Cloudlets |-> IF v[j] > w[j] THEN v[j] ELSE w[j]]
\* The updates in a cloudlet's values s.
Contents(s) == UNION {{s[o].log[n] : n \in DOMAIN s[o].log} : o \in DOMAIN s}
\* What a cloudlet has just made.
Made(i) == {u \in Contents(store'[i]) \ Contents(store[i]) : u.src = i}
\* The operation that c has just completed.
Completes(c) == hist'[c] # hist[c]
Last(c) == hist'[c][Len(hist'[c])]

-----------------------------------------------------------------------------
(* Requests *)

\* A request is for a replica, asks for what its client may ask for, and is its client's only one.
HeldInv == \A r \in held :
  /\ r.at \in Replicas[r.obj] /\ r.g \in Asks[r.c] /\ Len(hist[r.c]) < MaxOps[r.c]
  /\ \A q \in held : q.c = r.c => q = r
AskedInv == \A c \in Clients :
  /\ Len(hist[c]) <= MaxOps[c]
  /\ \A n \in 1..Len(hist[c]) : hist[c][n].at \in Replicas[hist[c][n].obj] /\ hist[c][n].g \in Asks[c]

Brings(r) == SendClocks = "always" \/ attached[r.c] # r.at \/ (Repaired("sendOnWrite") /\ r.op = "w")
MustWait(r) == Brings(r) /\
  \/ ("MR" \in r.g \/ "WFR" \in r.g) /\ ~Covering(clock[r.at], readClock[r.c])
  \/ ("RYW" \in r.g \/ "MW" \in r.g) /\ ~Covering(clock[r.at], writeClock[r.c])

\* A cloudlet holds what must wait and nothing else, and answers what it held.
HoldStep == [][
  /\ \A r \in held' \ held : MustWait(r) /\ \A q \in held : q.c # r.c
  /\ \A r \in held \ held' : /\ Completes(r.c)
                             /\ LET o == Last(r.c) IN <<o.op, o.obj, o.at, o.g>> = <<r.op, r.obj, r.at, r.g>>]_localVars

\* One client completes one operation, which need not wait; its clocks change with it and not otherwise.
ServeStep == [][\A c \in Clients :
  IF ~Completes(c)
  THEN readClock'[c] = readClock[c] /\ writeClock'[c] = writeClock[c] /\ tagClock'[c] = tagClock[c] /\ attached'[c] = attached[c]
  ELSE LET o == Last(c)
           r == [c |-> c, op |-> o.op, obj |-> o.obj, at |-> o.at, g |-> o.g]
       IN /\ hist' = [hist EXCEPT ![c] = Append(@, o)]
          /\ ~MustWait(r)
          /\ held' = held \ {r}
          /\ \A q \in held : q.c = c => q = r
          /\ attached'[c] = IF Repaired("covered") /\ ~( Covering(clock'[o.at], readClock'[c])
                                                         /\ Covering(clock'[o.at], writeClock'[c]))
                            THEN "none" ELSE o.at]_localVars

\* A read shows the value and takes over its past.
ReadStep == [][\A c \in Clients : Completes(c) /\ Last(c).op = "r" =>
  LET o == Last(c) IN
  /\ o.saw = Ids(store[o.at][o.obj].log)
  /\ readClock'[c] = Joined(readClock[c], store[o.at][o.obj].vc)
  /\ writeClock' = writeClock /\ tagClock' = tagClock /\ UNCHANGED cloudletVars]_localVars

\* A write makes the cloudlet's next update, tagged with the value's past and with what the client brought.
WriteStep == [][\A c \in Clients : Completes(c) /\ Last(c).op = "w" =>
  LET o == Last(c)
      n == clock[o.at][o.at] + 1
      r == [c |-> c, op |-> "w", obj |-> o.obj, at |-> o.at, g |-> o.g]
      past == Joined(store[o.at][o.obj].vc, IF Brings(r) THEN Joined(readClock[c], tagClock[c]) ELSE Zero)
      tag == Joined(past, Only(o.at, n))
  IN /\ o.id = <<o.at, n>>
     /\ clock' = [clock EXCEPT ![o.at][o.at] = n]
     /\ writeClock' = [writeClock EXCEPT ![c][o.at] = n]
     /\ tagClock' = [tagClock EXCEPT ![c] = IF Repaired("keepTag") THEN Joined(@, tag) ELSE [@ EXCEPT ![o.at] = n]]
     /\ readClock' = readClock
     /\ Made(o.at) = {[src |-> o.at, snb |-> n, obj |-> o.obj, vc |-> tag]}]_localVars

-----------------------------------------------------------------------------
(* Values *)

\* A replica's value has each update once, as its source made it, and in the common order if there is one.
Sooner(u, v) == Sum(u.vc) < Sum(v.vc) \/ (Sum(u.vc) = Sum(v.vc) /\ Rank[u.src] < Rank[v.src])
StoreInv == \A i \in Cloudlets :
  /\ DOMAIN store[i] = {o \in Objects : i \in Replicas[o]}
  /\ \A o \in DOMAIN store[i] : LET log == store[i][o].log IN
       /\ \A m, n \in DOMAIN log : m < n => IdOf(log[m]) # IdOf(log[n])
       /\ \A n \in DOMAIN log : log[n].obj = o /\ log[n] \in Contents(store[log[n].src])
       /\ Repaired("totalOrder") => \A m, n \in DOMAIN log : m < n => Sooner(log[m], log[n])

\* An update enters one value, at its end where there is no common order; its past becomes the value's.
StoreStep == [][\A i \in Cloudlets : \A o \in DOMAIN store[i] : store'[i][o] # store[i][o] =>
  /\ \A j \in Cloudlets : \A p \in DOMAIN store[j] : <<j, p>> # <<i, o>> => store'[j][p] = store[j][p]
  /\ LET old == store[i][o].log
         new == store'[i][o].log
     IN \E n \in DOMAIN new :
          /\ old = SubSeq(new, 1, n - 1) \o SubSeq(new, n + 1, Len(new))
          /\ ~Repaired("totalOrder") => n = Len(new)
          /\ store'[i][o].vc = Joined(store[i][o].vc, new[n].vc)
          /\ new[n].src = i => \E c \in Clients : Completes(c) /\ Last(c).op = "w" /\ Last(c).id = IdOf(new[n])]_localVars

\* What waits is somebody else's, for a value that is here, and not yet in it.
WaitingInv == \A i \in Cloudlets : \A u \in waiting[i] :
  i \in Replicas[u.obj] \ {u.src} /\ u \in Contents(store[u.src]) \ Contents(store[i])

-----------------------------------------------------------------------------
(* News, for the modules that say how it comes *)

\* The clock of i after news h, with W waiting: repaired, an entry stops before the first that waits.
Tells(i, h, W) ==
  [j \in Cloudlets |->
     LET own == {w.snb : w \in {x \in W : x.src = j}}
         said == IF Repaired("holdFlush") /\ \E n \in own : n <= h[j]
                 THEN (CHOOSE n \in own : \A m \in own : n <= m) - 1 ELSE h[j]
     IN IF said > clock[i][j] THEN said ELSE clock[i][j]]
Remembers(i, v) == IF Repaired("holdFlush") THEN Joined(heard[i], v) ELSE heard[i]

CoveredBy(U) == IF U = {} THEN Zero ELSE Covers(CHOOSE u \in U : TRUE)

\* i hears metadata v and the updates U, one or none.
Learns(i, v, U) ==
  IF Apply = "at once"
  THEN /\ waiting' = waiting /\ heard' = heard
       /\ Contents(store'[i]) = Contents(store[i]) \union U
       /\ clock' = [clock EXCEPT ![i] = Joined(Joined(@, v), CoveredBy(U))]
  ELSE /\ store' = store
       /\ waiting' = [waiting EXCEPT ![i] = @ \union U]
       /\ heard' = [heard EXCEPT ![i] = Remembers(i, v)]
       /\ clock' = [clock EXCEPT ![i] = Tells(i, IF Repaired("holdFlush") THEN heard'[i] ELSE v, waiting'[i])]

\* i executes u, its source's first, after everything that u depends on.
Executes(i, u) ==
  /\ waiting' = [waiting EXCEPT ![i] = @ \ {u}]
  /\ Contents(store'[i]) = Contents(store[i]) \union {u}
  /\ \A w \in waiting[i] : w.src = u.src => u.snb <= w.snb
  /\ \A j \in Cloudlets : j # u.src => clock[i][j] >= u.vc[j]
  /\ heard' = [heard EXCEPT ![i] = Remembers(i, Covers(u))]
  /\ clock' = [clock EXCEPT ![i] =
       Tells(i, IF Repaired("holdFlush") THEN heard'[i] ELSE Covers(u), waiting'[i])]

\* Something happens at i.
Touched(i) == <<clock[i], store[i], waiting[i], heard[i]>>' # <<clock[i], store[i], waiting[i], heard[i]>>
================================================================================
