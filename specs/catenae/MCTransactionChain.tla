------------------------- MODULE MCTransactionChain -------------------------
(* Small worlds for TransactionChain: who reads and writes what, and where. *)
EXTENDS TransactionChain, TLC

CONSTANT World

\* The conflicts of T1, T3 and T4 in the paper's figure 3, as read-modify-writes:
\* each pair shares one key, and the keys lie on three servers.
RingKeys(t) == IF t = 1 THEN {1, 2} ELSE IF t = 2 THEN {2, 3} ELSE {1, 3}

MCTxn == CASE World \in {"ring", "ringBlind"} -> 1..3
           [] World \in {"pair", "readers", "oneServer", "long"} -> 1..2
           [] World \in {"triple", "mixed", "oneServer3", "fork"} -> 1..3
           [] World = "ring4" -> 1..4
MCKey == CASE World \in {"ring", "ringBlind", "long"} -> 1..3
           [] World \in {"pair", "readers", "oneServer", "triple", "mixed", "fork"} -> 1..2
           [] World = "oneServer3" -> 1..1
           [] World = "ring4" -> 1..4
MCServer == CASE World = "oneServer" -> 1..1 [] OTHER -> MCKey
MCHome == [k \in MCKey |-> IF World = "oneServer" THEN 1 ELSE k]

Ring4Keys(t) == IF t = 4 THEN {1, 4} ELSE {t, t + 1}

MCReads == [t \in MCTxn |->
    CASE World = "ring" -> RingKeys(t)
      [] World = "ringBlind" -> {}
      [] World = "ring4" -> {}
      [] World \in {"pair", "oneServer", "triple"} -> {1, 2}
      [] World = "oneServer3" -> {1}
      [] World = "readers" -> IF t = 1 THEN {1, 2} ELSE {}
      [] World = "long" -> IF t = 1 THEN {1, 2, 3} ELSE {}
      [] World = "fork" -> IF t = 3 THEN {} ELSE {1}
      [] World = "mixed" -> CASE t = 1 -> {1} [] t = 2 -> {} [] OTHER -> {1, 2}]
MCWrites == [t \in MCTxn |->
    CASE World \in {"ring", "ringBlind"} -> RingKeys(t)
      [] World = "ring4" -> Ring4Keys(t)
      [] World \in {"pair", "oneServer", "triple"} -> {1, 2}
      [] World = "oneServer3" -> {1}
      [] World = "readers" -> IF t = 1 THEN {} ELSE {1, 2}
      [] World = "long" -> IF t = 1 THEN {} ELSE {3}
      [] World = "fork" -> IF t = 3 THEN {1} ELSE {2}
      [] World = "mixed" -> CASE t = 1 -> {2} [] t = 2 -> {1, 2} [] OTHER -> {}]

\* Fork: transaction 2 is behind 1 at server 2, and has read key 1 when 3, which writes it, comes between them.
Between ==
    /\ phase[1] = "new" => phase[2] = "new"
    /\ phase[2] # "new" => 1 \in Range(pre[2]) /\ 1 \notin Range(pre[1])
    /\ phase[3] # "new" => 2 \in Range(pre[1])
    /\ \A t \in Txn : ~Settled(t)

\* Where the transactions are interchangeable (oneServer3, triple), their numbers say who was submitted first.
Numbered == \A t, u \in Txn : t < u /\ phase[t] = "new" => phase[u] = "new"
=============================================================================
