--------------------------- MODULE SessionHistory ---------------------------
(***************************************************************************)
(* Which session guarantees does a history of client operations keep?     *)
(*                                                                         *)
(* The four guarantees are those of Terry et al., "Session Guarantees for  *)
(* Weakly Consistent Replicated Data" (PDIS 1994), judged only from what   *)
(* clients asked and what they were, or would at this moment be, shown.    *)
(*                                                                         *)
(* A history h maps each client to the sequence of its completed           *)
(* operations, records with the fields                                     *)
(*   op   "r" or "w"                                                       *)
(*   obj  the object                                                       *)
(*   at   the replica that served it                                       *)
(*   g    the guarantees asked for, a subset of {"RYW","MR","WFR","MW"}    *)
(*   id   of a write, the identity of the update it made (of a read, any   *)
(*        value that identifies no update)                                 *)
(*   saw  of a read, the identities of the updates in the value that it    *)
(*        returned, in the order in which that value incorporates them     *)
(* Values are sequences of updates so that a read shows which updates the  *)
(* replica holds: the guarantees are about sets of updates, and a register *)
(* would hide all but the last.                                            *)
(*                                                                         *)
(* A look is what one observer is shown at one replica: first one object,  *)
(* then (or at once) another: [first, obj, then], where first and then are *)
(* sequences of identities and obj is the object of which then is the      *)
(* value. Looks come from completed reads (LooksOfHistory) or from the     *)
(* values that a replica would return to a reader that waits for nothing   *)
(* (LooksOfReplica).                                                       *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

Members(s) == {s[n] : n \in 1..Len(s)}

(* a precedes b in s; both occur *)
Precedes(s, a, b) == \E m, n \in 1..Len(s) : m < n /\ s[m] = a /\ s[n] = b

(* No value that contains both shows them the wrong way round. *)
InOrder(s, a, b) == (a # b /\ a \in Members(s) /\ b \in Members(s)) => Precedes(s, a, b)

-----------------------------------------------------------------------------
(* Every read that asks for RYW contains the client's earlier writes to its object. *)
ReadYourWrites(h) ==
  \A c \in DOMAIN h : \A n \in 1..Len(h[c]) :
    (h[c][n].op = "r" /\ "RYW" \in h[c][n].g) =>
      \A m \in 1..(n - 1) :
        (h[c][m].op = "w" /\ h[c][m].obj = h[c][n].obj) => h[c][m].id \in Members(h[c][n].saw)

(* Every read that asks for MR contains all that the client's earlier reads of its object showed. *)
MonotonicReads(h) ==
  \A c \in DOMAIN h : \A n \in 1..Len(h[c]) :
    (h[c][n].op = "r" /\ "MR" \in h[c][n].g) =>
      \A m \in 1..(n - 1) :
        (h[c][m].op = "r" /\ h[c][m].obj = h[c][n].obj) =>
          Members(h[c][m].saw) \subseteq Members(h[c][n].saw)

(* Whoever is shown update b, and then object o, is shown update a of object o, and in this order. *)
Follows(looks, a, o, b) ==
  \A k \in looks :
    b \in Members(k.first) =>
      /\ (k.obj = o => a \in Members(k.then))
      /\ InOrder(k.first, a, b)

(* A write that asks for WFR is shown nowhere without the updates that its client had read. *)
WritesFollowReads(h, looks) ==
  \A c \in DOMAIN h : \A n \in 1..Len(h[c]) :
    (h[c][n].op = "w" /\ "WFR" \in h[c][n].g) =>
      \A m \in 1..(n - 1) :
        h[c][m].op = "r" =>
          \A a \in Members(h[c][m].saw) : Follows(looks, a, h[c][m].obj, h[c][n].id)

(* A write that asks for MW is shown nowhere without its client's earlier writes. *)
MonotonicWrites(h, looks) ==
  \A c \in DOMAIN h : \A n \in 1..Len(h[c]) :
    (h[c][n].op = "w" /\ "MW" \in h[c][n].g) =>
      \A m \in 1..(n - 1) :
        h[c][m].op = "w" => Follows(looks, h[c][m].id, h[c][m].obj, h[c][n].id)

-----------------------------------------------------------------------------
(* What a client's n-th operation told it: its own update, or those that it was shown. *)
Learnt(o) == IF o.op = "w" THEN {o.id} ELSE Members(o.saw)

WritesOf(h) == {<<c, n>> \in UNION {{c} \X (1..Len(h[c])) : c \in DOMAIN h} : h[c][n].op = "w"}

(* The updates in the causal past of the first n operations of client c: session order and    *)
(* reads-from, transitively. Whatever an update's client knew counts, asked for or not.       *)
RECURSIVE PastOf(_, _, _)
PastOf(h, c, n) ==
  LET direct == UNION {Learnt(h[c][m]) : m \in 1..n} IN
  direct \union UNION {PastOf(h, w[1], w[2] - 1) :
                       w \in {v \in WritesOf(h) : h[v[1]][v[2]].id \in direct /\ v # <<c, n>>}}

(* Every read that asks for all four guarantees contains all updates of its object that lie in *)
(* its client's causal past.                                                                  *)
CausalReads(h) ==
  \A c \in DOMAIN h : \A n \in 1..Len(h[c]) :
    (h[c][n].op = "r" /\ h[c][n].g = {"RYW", "MR", "WFR", "MW"}) =>
      LET past == PastOf(h, c, n - 1) IN
      \A w \in WritesOf(h) :
        LET u == h[w[1]][w[2]] IN
        (u.obj = h[c][n].obj /\ u.id \in past) => u.id \in Members(h[c][n].saw)

(* Update w (a member of WritesOf) is shown nowhere without the updates in its causal past. *)
CausallyVisible(h, looks, w) ==
  LET past == PastOf(h, w[1], w[2] - 1) IN
  \A v \in WritesOf(h) :
    LET a == h[v[1]][v[2]] IN
    a.id \in past => Follows(looks, a.id, a.obj, h[w[1]][w[2]].id)

-----------------------------------------------------------------------------
(* What a client that waits for nothing would be shown at a replica, where value maps the *)
(* objects there to sequences of identities.                                              *)
LooksOfReplica(value) ==
  {[first |-> value[a], obj |-> b, then |-> value[b]] : a, b \in DOMAIN value}

(* What clients were shown: two reads of one session at one replica, in their order. *)
LooksOfHistory(h) ==
  UNION {{[first |-> h[c][p[1]].saw, obj |-> h[c][p[2]].obj, then |-> h[c][p[2]].saw] :
            p \in {q \in (1..Len(h[c])) \X (1..Len(h[c])) :
                     /\ q[1] <= q[2]
                     /\ h[c][q[1]].op = "r" /\ h[c][q[2]].op = "r"
                     /\ h[c][q[1]].at = h[c][q[2]].at}} : c \in DOMAIN h}
=============================================================================
