----------------------------- MODULE FlushClock -----------------------------
(***************************************************************************)
(* When may a cloudlet believe a metadata flush?                           *)
(* (ENGAGE: Session Guarantees for the Edge, III-F.)                       *)
(*                                                                         *)
(* One cloudlet, and the news that reaches it from each source, in order:  *)
(* notifications of the updates that it replicates, and flushes, merged or *)
(* piggybacked, that stand for the others. The clock tells the truth when  *)
(* every update that it covers and that is replicated here is executed.    *)
(* BrokerCausality checks this within bounds as ClockTruthInv; here it is  *)
(* an inductive invariant of the rule by which the clock rises, so it      *)
(* holds for runs of every length.                                         *)
(*                                                                         *)
(* Modelled: receipt and execution as two steps, flushes that skip over    *)
(* what is not replicated here, and the two repairs of that rule.          *)
(* Assumed, not checked: news of one source comes in order (BrokerCausality *)
(* derives this from the tree). Dependencies between sources are left out: *)
(* an update may be executed whenever it is its source's first waiting.    *)
(* Obligations: Init => Ind; Ind /\ Next => Ind'; Ind => ClockTruthInv,     *)
(* UpToDateInv and InOrderInv (the latter two are conjuncts of Ind).        *)
(* Out of scope: how news travels (BrokerCausality).                       *)
(* Readings: none.                                                         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  \* @type: Set(Str);
  Sources,
  \* Highest sequence number of a source.
  \* @type: Int;
  MaxSnb,
  \* "ownEntry" and "holdFlush", as in EngageCloudlet.
  \* @type: Set(Str);
  Repairs

VARIABLES
  \* How many updates each source has made.
  \* @type: Str -> Int;
  issued,
  \* Those of an object that is replicated here, by source and number.
  \* @type: Set(<<Str, Int>>);
  mine,
  \* Up to which number news of each source has come.
  \* @type: Str -> Int;
  heard,
  \* Received and not executed.
  \* @type: Set(<<Str, Int>>);
  waiting,
  \* Executed.
  \* @type: Set(<<Str, Int>>);
  done,
  \* The cloudlet's clock.
  \* @type: Str -> Int;
  clock

vars == <<issued, mine, heard, waiting, done, clock>>

\* @type: (Str, Set(<<Str, Int>>)) => Int;
First(s, W) == CHOOSE n \in 1..MaxSnb : <<s, n>> \in W /\ \A m \in 1..MaxSnb : m < n => <<s, m>> \notin W
Larger(a, b) == IF a >= b THEN a ELSE b

(* What the clock may say of s after hearing n, with W waiting. *)
\* @type: (Str, Int, Set(<<Str, Int>>)) => Int;
Believed(s, n, W) ==
  IF "holdFlush" \in Repairs /\ \E m \in 1..MaxSnb : m <= n /\ <<s, m>> \in W
  THEN Larger(clock[s], First(s, W) - 1) ELSE Larger(clock[s], n)

Issue(s, here) ==
  /\ issued[s] < MaxSnb
  /\ issued' = [issued EXCEPT ![s] = @ + 1]
  /\ mine' = IF here THEN mine \union {<<s, issued[s] + 1>>} ELSE mine
  /\ UNCHANGED <<heard, waiting, done, clock>>

(* A notification. *)
ReceiveUpdate(s) ==
  LET n == heard[s] + 1 IN
  /\ <<s, n>> \in mine
  /\ heard' = [heard EXCEPT ![s] = n]
  /\ waiting' = waiting \union {<<s, n>>}
  /\ UNCHANGED <<issued, mine, done, clock>>

(* A flush that stands for the updates of s up to n. Unrepaired it carries their dependencies   *)
(* too, here k of another source t, whether or not news of them has come.                       *)
ReceiveFlush(s, n, t, k) ==
  /\ heard[s] < n /\ n <= issued[s]
  /\ \A m \in 1..MaxSnb : (heard[s] < m /\ m <= n) => <<s, m>> \notin mine
  /\ k <= issued[t]
  /\ heard' = [heard EXCEPT ![s] = n]
  /\ clock' = [j \in Sources |->
       IF j = s THEN Believed(s, n, waiting)
       ELSE IF j = t /\ "ownEntry" \notin Repairs THEN Believed(t, k, waiting)
       ELSE clock[j]]
  /\ UNCHANGED <<issued, mine, waiting, done>>

\* @type: (<<Str, Int>>) => Bool;
Execute(u) ==
  LET s == u[1]
      rest == waiting \ {u}
  IN
  /\ u \in waiting
  /\ u[2] = First(s, waiting)
  /\ waiting' = rest
  /\ done' = done \union {u}
  /\ clock' = [clock EXCEPT ![s] =
       IF "holdFlush" \in Repairs THEN Believed(s, heard[s], rest) ELSE Larger(@, u[2])]
  /\ UNCHANGED <<issued, mine, heard>>

Init ==
  /\ issued = [s \in Sources |-> 0]
  /\ mine = {}
  /\ heard = [s \in Sources |-> 0]
  /\ waiting = {}
  /\ done = {}
  /\ clock = [s \in Sources |-> 0]

Next ==
  \/ \E s \in Sources, here \in BOOLEAN : Issue(s, here)
  \/ \E s \in Sources : ReceiveUpdate(s)
  \/ \E s \in Sources, n \in 1..MaxSnb, t \in Sources, k \in 0..MaxSnb : ReceiveFlush(s, n, t, k)
  \/ \E u \in waiting : Execute(u)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Ours; EngageCloudlet's property of the same name, for one cloudlet. *)
ClockTruthInv == \A u \in mine : clock[u[1]] >= u[2] => u \in done

(* Claimed, III-F: flushes keep the clock up to date. It says all that was heard of a source, or  *)
(* all up to the first update that still waits.                                                 *)
UpToDateInv ==
  \A s \in Sources :
    clock[s] = IF \E u \in waiting : u[1] = s THEN First(s, waiting) - 1 ELSE heard[s]

(* Claimed, III-E: updates of one source are executed in the order of their numbers.             *)
InOrderInv == \A v \in done : \A u \in mine : u[1] = v[1] /\ u[2] < v[2] => u \in done

Received == {u \in mine : u[2] <= heard[u[1]]}

TypeInv ==
  /\ issued \in [Sources -> 0..MaxSnb]
  /\ mine \in SUBSET (Sources \X (1..MaxSnb))
  /\ heard \in [Sources -> 0..MaxSnb]
  /\ waiting \in SUBSET (Sources \X (1..MaxSnb))
  /\ done \in SUBSET (Sources \X (1..MaxSnb))
  /\ clock \in [Sources -> 0..MaxSnb]

IndInv ==
  /\ TypeInv
  /\ \A u \in mine : u[2] <= issued[u[1]]
  /\ \A s \in Sources : clock[s] <= heard[s] /\ heard[s] <= issued[s]
  /\ waiting \cap done = {}
  /\ waiting \union done = Received
  /\ \A u \in waiting : clock[u[1]] < u[2]
  /\ UpToDateInv
  /\ InOrderInv

(* Every state of the typed domain that satisfies Ind; waiting picks the rest. *)
IndInit ==
  /\ issued \in [Sources -> 0..MaxSnb]
  /\ mine \in SUBSET {u \in Sources \X (1..MaxSnb) : u[2] <= issued[u[1]]}
  /\ heard \in [Sources -> 0..MaxSnb]
  /\ \A s \in Sources : heard[s] <= issued[s]
  /\ waiting \in SUBSET Received
  /\ done = Received \ waiting
  /\ clock \in [Sources -> 0..MaxSnb]
  /\ IndInv

(* The domain is closed under Next, so TLC takes one step from each of its states and no more.  *)
IndSpec == IndInit /\ [][Next]_vars

(* Reachable: two updates of one source wait while news of the source is ahead of both. *)
BehindReach == \E s \in Sources : Cardinality({u \in waiting : u[1] = s}) >= 2 /\ heard[s] > 2

(* The instance for Apalache. *)
Instance == Sources = {"c1", "c2", "c3"} /\ MaxSnb = 4
CInit == Instance /\ Repairs = {"ownEntry", "holdFlush"}
HastyCInit == Instance /\ Repairs = {"ownEntry"}
=============================================================================
