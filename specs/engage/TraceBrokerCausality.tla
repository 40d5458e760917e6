-------------------------- MODULE TraceBrokerCausality --------------------------
(***************************************************************************)
(* Steps BrokerCausality along a log of cloudlets and brokers. Clients are *)
(* reused numbers: a client that got no answer goes on under another name, *)
(* so a request that is served after its client gave up binds nobody.      *)
(*                                                                         *)
(* What events say: docs/mapping.md. A request says whether it brings its  *)
(* client's clocks (sends), and which (rc, wc, tc).                        *)
(*                                                                         *)
(* The state in the log is that after the event, and is compared with the  *)
(* specification's after the step (Shows).                                 *)
(*                                                                         *)
(* Links resend, so a lost message is no step, and a link that fails for a *)
(* while delays what it carries. A process that crashed does nothing until *)
(* it starts again; others may go on receiving what it sent before. So a   *)
(* crash and the restart that ends it are taken together, at the crash.    *)
(*                                                                         *)
(* Forgotten, since no later event of the log can tell the difference:     *)
(*  - hist and faults, which only claims and bounds read;                  *)
(*  - of an object's updates all but the newest: a later one stands behind *)
(*    it or is not shown (Trim);                                           *)
(*  - clients that the log does not mention again, and what is held for    *)
(*    them (Forget); what a crashed cloudlet held (GaveUp).                *)
(***************************************************************************)
EXTENDS BrokerCausality, TLC

(* Next, chosen in a state: of a choice that no state is needed for TLC makes an action for     *)
(* each client, object, cloudlet and set of guarantees, before the first step is taken.         *)
LogNext == \E now \in {clock} : Next
LogSpec == Init /\ [][LogNext]_vars

\* A client that the log has not mentioned before comes with its clocks. In its first life it has
\* none. In a later one it has at least what it brought in the life before (had: three clocks, none
\* where it goes on with another client's), and names updates that were made.
Made(v) == \A j \in Cloudlets : v[j] <= clock[j][j]
Enter(c, first, had, sends, rc, wc, tc) ==
  /\ sends
  /\ \A v \in {rc, wc, tc} : IF first THEN v = Zero ELSE Made(v)
  /\ had # <<>> => Geq(rc, had[1]) /\ Geq(wc, had[2]) /\ Geq(tc, had[3])
  /\ readClock' = [readClock EXCEPT ![c] = rc]
  /\ writeClock' = [writeClock EXCEPT ![c] = wc]
  /\ tagClock' = [tagClock EXCEPT ![c] = tc]
  /\ attached' = [attached EXCEPT ![c] = "none"]
  /\ UNCHANGED <<cloudletVars, held, hist, treeVars, directVars, faultVars>>

\* The request brings the clocks that its client has, whenever it has to.
Brings(r, sends, rc, wc, tc) ==
  /\ SendsClocks(r) = sends
  /\ SentRead(r) = rc
  /\ SentWrite(r) = wc
  /\ SentTag(r) = tc

TraceClientRead(c, op, o, i, G, sends, rc, wc, tc) ==
  op = "r" /\ Brings(Request(c, "r", o, i, G), sends, rc, wc, tc) /\ ClientRead(c, o, i, G)
TraceClientWrite(c, op, o, i, G, sends, rc, wc, tc) ==
  op = "w" /\ Brings(Request(c, "w", o, i, G), sends, rc, wc, tc) /\ ClientWrite(c, o, i, G)
TraceServeHeld(r) == r \in held /\ ServeHeld(r)

Carries(e, m) == link[e] # <<>> /\ Head(link[e]) = m
TraceBrokerReceive(a, b, m) == Carries(<<a, b>>, m) /\ BrokerReceive(a, b)
TraceCloudletReceive(i, m) == Carries(<<Uplink(i)[2], i>>, m) /\ CloudletReceive(i)
TraceExecute(i, u) == u \in waiting[i] /\ Execute(i, u)

\* Whom a cloudlet that crashed was to answer, it does not.
GaveUp(i) ==
  /\ held' = {r \in held : r.at # i}
  /\ UNCHANGED <<cloudletVars, readClock, writeClock, tagClock, attached, hist, treeVars, directVars, faultVars>>

-----------------------------------------------------------------------------
(* Shows: the state that an event logged is the specification's            *)

CloudletShows(i, clocks, hears, waits, holds) ==
  /\ clock[i] = clocks
  /\ heard[i] = hears
  /\ {IdOf(u) : u \in waiting[i]} = waits
  /\ {r.c : r \in {q \in held : q.at = i}} = holds
  /\ UNCHANGED vars
Newest(i, o) == LET log == store[i][o].log IN IF log = <<>> THEN <<>> ELSE <<IdOf(log[Len(log)])>>
ObjectShows(i, o, newest, vc) == Newest(i, o) = newest /\ store[i][o].vc = vc

ClientReadShows(i, o, clockLogged, heardLogged, waitingLogged, holds, newest, vc) ==
  ObjectShows(i, o, newest, vc) /\ CloudletShows(i, clockLogged, heardLogged, waitingLogged, holds)
ClientWriteShows(i, o, clockLogged, heardLogged, waitingLogged, holds, newest, vc) ==
  ObjectShows(i, o, newest, vc) /\ CloudletShows(i, clockLogged, heardLogged, waitingLogged, holds)
ServeHeldShows(r, clockLogged, heardLogged, waitingLogged, holds, newest, vc) ==
  ObjectShows(r.at, r.obj, newest, vc) /\ CloudletShows(r.at, clockLogged, heardLogged, waitingLogged, holds)
ExecuteShows(i, u, clockLogged, heardLogged, waitingLogged, holds, newest, vc) ==
  ObjectShows(i, u.obj, newest, vc) /\ CloudletShows(i, clockLogged, heardLogged, waitingLogged, holds)
CloudletReceiveShows(i, m, clockLogged, heardLogged, waitingLogged, holds, newest, vc) ==
  (m.kind = "UN" => ObjectShows(i, m.u.obj, newest, vc)) /\ CloudletShows(i, clockLogged, heardLogged, waitingLogged, holds)

PendingShows(b, all) ==
  /\ DOMAIN all = {e[2] : e \in Out(b)} /\ \A n \in DOMAIN all : pending[<<b, n>>] = all[n]
  /\ UNCHANGED vars
BrokerReceiveShows(b, pendingLogged) == PendingShows(b, pendingLogged)
FlushTimerShows(b, pendingLogged) == PendingShows(b, pendingLogged)

-----------------------------------------------------------------------------
Trim(i, o) ==
  /\ store' = [store EXCEPT ![i][o].log = IF Len(@) > 1 THEN <<@[Len(@)]>> ELSE @]
  /\ UNCHANGED <<clock, waiting, heard, clientVars, treeVars, directVars, faultVars>>

Forget(gone) ==
  /\ held' = {r \in held : r.c \notin gone}
  /\ readClock' = [c \in Clients |-> IF c \in gone THEN Zero ELSE readClock[c]]
  /\ writeClock' = [c \in Clients |-> IF c \in gone THEN Zero ELSE writeClock[c]]
  /\ tagClock' = [c \in Clients |-> IF c \in gone THEN Zero ELSE tagClock[c]]
  /\ attached' = [c \in Clients |-> IF c \in gone THEN "none" ELSE attached[c]]
  /\ UNCHANGED <<cloudletVars, hist, treeVars, directVars, faultVars>>
=============================================================================
