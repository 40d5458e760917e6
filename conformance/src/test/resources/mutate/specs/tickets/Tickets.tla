---- MODULE Tickets ----
(* A toy: a desk hands out numbered tickets, serves them in order, and may restart. *)
EXTENDS Naturals, Sequences

CONSTANT Last    \* the highest ticket

VARIABLES
  next,    \* the ticket to hand out next; stored before a ticket leaves
  held,    \* tickets handed out and not yet served
  served   \* tickets served, in order

vars == <<next, held, served>>

Init == next = 1 /\ held = {} /\ served = << >>

Take ==
  /\ next <= Last
  /\ held' = held \union {next}
  /\ next' = next + 1
  /\ UNCHANGED served

Serve(n) ==
  /\ n \in held
  /\ \A m \in held : n <= m
  /\ held' = held \ {n}
  /\ served' = Append(served, n)
  /\ UNCHANGED next

Restart == UNCHANGED <<next, held, served>>

Next ==
  \/ Take
  \/ \E n \in 1 .. Last : Serve(n)
  \/ Restart

Spec == Init /\ [][Next]_vars

\* No ticket beyond the last is handed out.
BoundInv == \A n \in held : n <= Last

\* No ticket is lost.
KeptInv == \A n \in 1 .. next - 1 : n \in held \/ \E i \in DOMAIN served : served[i] = n

\* No ticket is served twice.
OnceInv == \A i, j \in DOMAIN served : served[i] = served[j] => i = j

\* Tickets are served in order.
OrderStep == [][served' # served => \A i \in DOMAIN served : served[i] < served'[Len(served')]]_vars

\* Speaks of what never is.
NeverInv == next = 0 => held # {}
====
