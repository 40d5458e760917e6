---------------------------- MODULE ClientHistory ----------------------------
(***************************************************************************)
(* Isolation judged from what clients saw, never from what a protocol      *)
(* keeps for itself.                                                       *)
(*                                                                         *)
(* A transaction is known by its reads, a set of <<key, writer>> pairs     *)
(* (writer is the transaction whose value was returned, or the value that  *)
(* the caller uses for the initial state), and by the set of keys that it  *)
(* wrote. Every write writes a value of its own, so a value names its      *)
(* writer. acked are the transactions whose clients were told that they    *)
(* committed; unknown are those that may or may not have taken effect      *)
(* (the client was told nothing); before is the set of pairs <<t, u>>      *)
(* where t's client was told before u's client began.                      *)
(*                                                                         *)
(* The definitions enumerate orders: meant for up to five transactions.    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

\* All sequences that contain every element of S once.
Orders(S) == {f \in [1 .. Cardinality(S) -> S] : \A i, j \in DOMAIN f : i # j => f[i] # f[j]}

\* The writer whose value a read of k in position i of the order must return.
Expected(order, writes, initial, i, k) ==
    LET writers == {j \in 1 .. i - 1 : k \in writes[order[j]]}
    IN IF writers = {} THEN initial
       ELSE order[CHOOSE j \in writers : \A l \in writers : l <= j]

\* Every read of every transaction returns the newest value before it in the
\* order; a transaction may also see its own write.
Legal(order, reads, writes, initial) ==
    \A i \in DOMAIN order : \A r \in reads[order[i]] :
        \/ r[2] = order[i] /\ r[1] \in writes[order[i]]
        \/ r[2] = Expected(order, writes, initial, i, r[1])

Respects(order, before) ==
    \A i, j \in DOMAIN order : i < j => <<order[j], order[i]>> \notin before

\* Some choice of the unknown transactions, and some order of those and all
\* acknowledged ones, explains every read and keeps the given order.
SerializableIn(acked, unknown, reads, writes, initial, before) ==
    \E extra \in SUBSET unknown : \E order \in Orders(acked \union extra) :
        Respects(order, before) /\ Legal(order, reads, writes, initial)

StrictSerializable(acked, unknown, reads, writes, initial, before) ==
    SerializableIn(acked, unknown, reads, writes, initial, before)

Serializable(acked, unknown, reads, writes, initial) ==
    SerializableIn(acked, unknown, reads, writes, initial, {})
=============================================================================
