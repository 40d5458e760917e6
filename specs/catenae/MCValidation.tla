---------------------------- MODULE MCValidation ----------------------------
(* Small worlds for Validation. *)
EXTENDS Validation, TLC

CONSTANT World

MCTxn == IF World \in {"update2", "blind2", "reader2"} THEN 1..2 ELSE 1..3
MCKey == IF World \in {"update2", "blind2"} THEN 1..1 ELSE 1..2

\* update: all update key 1. blind: all overwrite it. reader2: one reads two keys
\* that the other writes. chain3: 1 overwrites key 1, 2 updates both, 3 reads 2.
MCReads == [t \in MCTxn |->
    CASE World \in {"update2", "update3"} -> {1}
      [] World = "blind2" -> {}
      [] World = "reader2" -> IF t = 1 THEN {1, 2} ELSE {}
      [] World = "chain3" -> CASE t = 1 -> {} [] t = 2 -> {1} [] OTHER -> {2}]
MCWrites == [t \in MCTxn |->
    CASE World \in {"update2", "update3", "blind2"} -> {1}
      [] World = "reader2" -> IF t = 1 THEN {} ELSE {1, 2}
      [] World = "chain3" -> CASE t = 1 -> {1} [] t = 2 -> {1, 2} [] OTHER -> {2}]
MCOrigin == [t \in MCTxn |-> t]
=============================================================================
