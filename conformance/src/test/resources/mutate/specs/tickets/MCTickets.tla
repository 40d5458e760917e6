---- MODULE MCTickets ----
EXTENDS Tickets
Bounded == next <= Last + 1 /\ Len(served) <= Last + 1
====
