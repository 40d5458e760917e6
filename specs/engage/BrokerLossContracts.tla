------------------------- MODULE BrokerLossContracts -------------------------
(***************************************************************************)
(* What the steps of BrokerLoss owe each other, with all repairs and links *)
(* that do not fail. The paper claims none of this; mutants of the module  *)
(* that leave its claims intact are caught here.                           *)
(***************************************************************************)
EXTENDS MCBrokerLoss

Downlink(i) == <<Uplink(i)[2], i>>
Takes(i) == link[Downlink(i)] # <<>> /\ link'[Downlink(i)] = Tail(link[Downlink(i)]) /\ faults' = faults
Has(i, u) == u \in waiting[i] \/ \E o \in Here(i) : \E n \in 1..Len(store[i][o].log) : store[i][o].log[n] = u

(* A cloudlet takes an update once: one that it has brings metadata alone.                      *)
TakeStep == [][\A i \in Cloudlets : Takes(i) /\ Head(link[Downlink(i)]).kind = "UN" =>
  LET m == Head(link[Downlink(i)]) IN
  /\ store' = store
  /\ waiting'[i] = IF Has(i, m.u) THEN waiting[i] ELSE waiting[i] \union {m.u}
  /\ heard'[i] = Heard(i, m.mf)]_vars

(* A queue changes with a message that is taken, or with an update that is executed.            *)
QueueStep == [][\A i \in Cloudlets :
  /\ waiting'[i] \ waiting[i] # {} => Takes(i)
  /\ waiting[i] \ waiting'[i] # {} => store'[i] # store[i]
  /\ heard'[i] # heard[i] \/ clock'[i] # clock[i] => Takes(i) \/ store'[i] # store[i]]_vars

(* With a lost broker all that is under way and pending in the tree is gone, and each cloudlet  *)
(* sends its own updates again, from the first on; what cloudlets and clients have stays.       *)
LoseStep == [][Host = Nowhere /\ faults' # faults =>
  /\ faults' = [faults EXCEPT !.crashes = @ + 1] /\ faults'.crashes <= MaxCrashes
  /\ crashed' = crashed
  /\ pending' = [e \in Edges |-> Zero]
  /\ \A e \in Edges : e[1] \in Brokers => link'[e] = <<>>
  /\ \A i \in Cloudlets : LET again == link'[Uplink(i)] IN
       /\ Len(again) = clock[i][i]
       /\ \A n \in 1..Len(again) : /\ again[n].kind = "UN" /\ again[n].mf = Zero
                                   /\ again[n].u.src = i /\ again[n].u.snb = n /\ Has(i, again[n].u)
  /\ UNCHANGED <<cloudletVars, clientVars, directVars, down>>]_vars

(* A cloudlet crashes with the broker at its place, and both keep all that they have.           *)
CrashStep == [][Mortal = {} /\ (faults' # faults \/ crashed' \ crashed # {}) => \E i \in Fallible :
  /\ faults' = [faults EXCEPT !.crashes = @ + 1] /\ faults'.crashes <= MaxCrashes
  /\ {i, Host[i]} \cap crashed = {} /\ crashed' = crashed \union {i, Host[i]}
  /\ UNCHANGED <<cloudletVars, clientVars, treeVars, directVars, down>>]_vars

(* Both come back together, with what they kept.                                                *)
RestartStep == [][crashed \ crashed' # {} => \E i \in Fallible :
  /\ {i, Host[i]} \subseteq crashed /\ crashed' = crashed \ {i, Host[i]}
  /\ UNCHANGED <<cloudletVars, clientVars, treeVars, directVars, down, faults>>]_vars
=============================================================================
