----------------------------- MODULE MCReadOnly -----------------------------
(* Small worlds for ReadOnly: two data centres, one reader in each. *)
EXTENDS ReadOnly, TLC

CONSTANT World

MCTxn == IF World \in {"one", "second"} THEN 1..1 ELSE 1..2
MCKey == 1..2
MCOrigin == [t \in MCTxn |-> IF t \in DC THEN t ELSE 1]

\* one: a writer of both keys. apart: two writers of a key each.
\* both: two writers of both keys. second: a writer of the second key.
MCReads == [t \in MCTxn |-> {}]
MCWrites == [t \in MCTxn |-> CASE World = "apart" -> {t} [] World = "second" -> {2} [] OTHER -> {1, 2}]

MCPlace == [r \in Reader |-> r - 10]
MCWanted == [r \in Reader |-> {1, 2}]
=============================================================================
