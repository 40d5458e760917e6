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
(* The search tries orders from the left and drops one at the first read   *)
(* that it doesn't explain: meant for up to six transactions or so.        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

\* Some choice of the unknown transactions, and some order of those and all
\* acknowledged ones, explains every read and keeps the given order. A
\* transaction may also see its own write.
SerializableIn(acked, unknown, reads, writes, initial, before) ==
    LET all  == acked \union unknown
        keys == UNION ({writes[t] : t \in all} \union {{r[1] : r \in reads[t]} : t \in all})
        \* Can the transactions `left` follow in some order, when the newest
        \* writer of each key is newest[k]?
        RECURSIVE Placeable(_, _)
        Placeable(left, newest) ==
            \/ left \intersect acked = {}
            \/ \E t \in left :
                LET missed == {u \in left : <<u, t>> \in before}
                IN  /\ missed \intersect acked = {}
                    /\ \A r \in reads[t] : \/ r[2] = newest[r[1]]
                                           \/ r[2] = t /\ r[1] \in writes[t]
                    /\ Placeable((left \ {t}) \ missed,
                                 [k \in keys |-> IF k \in writes[t] THEN t ELSE newest[k]])
    IN Placeable(all, [k \in keys |-> initial])

StrictSerializable(acked, unknown, reads, writes, initial, before) ==
    SerializableIn(acked, unknown, reads, writes, initial, before)

Serializable(acked, unknown, reads, writes, initial) ==
    SerializableIn(acked, unknown, reads, writes, initial, {})
=============================================================================
