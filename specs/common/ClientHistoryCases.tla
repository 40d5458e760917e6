------------------------- MODULE ClientHistoryCases -------------------------
(* Does ClientHistory judge histories as serializability is defined? Every history of a few transactions   *)
(* is judged twice: by ClientHistory, which searches, and by the definition, which asks for a position for *)
(* each transaction. Transactions are numbered in the order in which they begin; 0 is the initial state.   *)
EXTENDS ClientHistory

CONSTANTS Keys, Txns

VARIABLES
    \* How many transactions there are so far. Reads may name later ones.
    begun,
    \* What each read and wrote.
    reads, writes,
    \* Whose clients were told, and who was told before whose client began.
    acked, before

vars == <<begun, reads, writes, acked, before>>

\* What a transaction may return: at most one writer of a key.
Answers == UNION {{{<<k, answer[k]>> : k \in ks} : answer \in [ks -> 0..Txns]} : ks \in SUBSET Keys}

Init ==
    /\ begun = 0
    /\ reads = <<>>
    /\ writes = <<>>
    /\ acked = {}
    /\ before = {}

\* The next transaction. Its client began before any was told, or after all that are known to have been told. A
\* caller may also name some of those that it calls unknown.
Run ==
    /\ begun < Txns
    /\ begun' = begun + 1
    /\ \E rs \in Answers : reads' = Append(reads, rs)
    /\ \E ws \in SUBSET Keys : writes' = Append(writes, ws)
    /\ acked' \in {acked, acked \union {begun + 1}}
    /\ \E told \in {{}, acked, 1..begun} : before' = before \union {<<t, begun + 1>> : t \in told}

Next == Run

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Unknown == (1..begun) \ acked

\* What t reads of k in the order that place gives to all transactions.
ReadIn(place, all, t, k) ==
    LET earlier == {u \in all : place[u] < place[t] /\ k \in writes[u]}
    IN  IF earlier = {} THEN 0 ELSE CHOOSE u \in earlier : \A v \in earlier : place[v] <= place[u]

\* The definition: acknowledged transactions and some unknown ones have places, one each, that keep the
\* given order and explain each read.
Explained(order) ==
    \E some \in SUBSET Unknown :
        LET all == acked \union some
        IN  \E place \in [all -> 1..Cardinality(all)] :
                /\ \A t, u \in all : place[t] = place[u] => t = u
                /\ \A p \in order : {p[1], p[2]} \subseteq all => place[p[1]] < place[p[2]]
                /\ \A t \in all : \A r \in reads[t] :
                       r[2] \in {ReadIn(place, all, t, r[1])} \union {u \in {t} : r[1] \in writes[t]}

\* ours: the search finds an order exactly where there is one.
JudgedInv ==
    /\ StrictSerializable(acked, Unknown, reads, writes, 0, before) = Explained(before)
    /\ Serializable(acked, Unknown, reads, writes, 0) = Explained({})

\* Real time alone refuses a history.
StaleReach ==
    /\ Serializable(acked, Unknown, reads, writes, 0)
    /\ ~StrictSerializable(acked, Unknown, reads, writes, 0, before)
\* Who was told nothing took effect.
UnknownSeenReach ==
    /\ acked # {} /\ Unknown # {}
    /\ StrictSerializable(acked, Unknown, reads, writes, 0, before)
    /\ ~StrictSerializable(acked, {}, reads, writes, 0, before)
=============================================================================
