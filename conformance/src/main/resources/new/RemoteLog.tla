------------------------------ MODULE RemoteLog ------------------------------
(***************************************************************************)
(* A primary runs transactions one after the other and keeps nothing on    *)
(* disk. A backup logs them. A client is answered once the primary knows   *)
(* that the backup has logged its transaction.                             *)
(*                                                                         *)
(* Modelled: messages that are lost, duplicated, delayed and reordered     *)
(* (what is in msgs stays there, and nothing forces its delivery); starts  *)
(* of the primary, after each of which it asks the backup for the log.     *)
(* Assumed, not checked: what the backup has logged survives, so that its  *)
(* restarts are no steps.                                                  *)
(* Out of scope: what transactions read and write; a second backup.        *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
    \* The transactions that clients ask for.
    Txns,
    \* The numbers of the primary's starts.
    Epochs,
    \* What is repaired. "epochs": the backup refuses entries of an earlier start.
    Repairs

VARIABLES
    epoch,    \* The number of the primary's last start, 0 before the first.
    ready,    \* Whether the primary has got the backup's log since.
    log,      \* The transactions that the primary has run, in their order.
    known,    \* How many of these the primary knows to be stored.
    answered, \* The transactions whose clients may have been answered.
    stored,   \* The backup's log.
    promised, \* The newest start of the primary that the backup has heard of.
    msgs      \* The messages that were sent.

vars == <<epoch, ready, log, known, answered, stored, promised, msgs>>

Range(s) == {s[i] : i \in 1..Len(s)}

Ask(e) == [type |-> "ask", epoch |-> e]
State(e, l) == [type |-> "state", epoch |-> e, log |-> l]
Entry(e, n, t) == [type |-> "entry", epoch |-> e, n |-> n, t |-> t]
Held(e, n) == [type |-> "held", epoch |-> e, n |-> n]

Init ==
    /\ epoch = 0 /\ ready = FALSE /\ log = <<>> /\ known = 0 /\ answered = {}
    /\ stored = <<>> /\ promised = 0 /\ msgs = {}

\* The primary starts, for the first time or after a crash, and asks for the log.
Restart(e) ==
    /\ e > epoch
    /\ epoch' = e /\ ready' = FALSE /\ log' = <<>> /\ known' = 0
    /\ msgs' = msgs \union {Ask(e)}
    /\ UNCHANGED <<answered, stored, promised>>

\* The backup hears of a start, and sends its log.
HandleAsk(m) ==
    /\ m \in msgs /\ m.type = "ask" /\ m.epoch >= promised
    /\ promised' = m.epoch
    /\ msgs' = msgs \union {State(m.epoch, stored)}
    /\ UNCHANGED <<epoch, ready, log, known, answered, stored>>

\* The primary gets the log. Clients who ask again are answered.
HandleState(m) ==
    /\ m \in msgs /\ m.type = "state" /\ m.epoch = epoch /\ ~ready
    /\ ready' = TRUE /\ log' = m.log /\ known' = Len(m.log)
    /\ answered' = answered \union Range(m.log)
    /\ UNCHANGED <<epoch, stored, promised, msgs>>

\* The primary runs a transaction, and sends it to the backup.
Run(t) ==
    /\ ready /\ t \notin Range(log)
    /\ log' = Append(log, t)
    /\ msgs' = msgs \union {Entry(epoch, Len(log) + 1, t)}
    /\ UNCHANGED <<epoch, ready, known, answered, stored, promised>>

\* The backup logs the next transaction, or has logged it before.
HandleEntry(m) ==
    /\ m \in msgs /\ m.type = "entry" /\ m.n <= Len(stored) + 1
    /\ "epochs" \in Repairs => m.epoch = promised
    /\ stored' = IF m.n > Len(stored) THEN Append(stored, m.t) ELSE stored
    /\ msgs' = msgs \union {Held(m.epoch, m.n)}
    /\ UNCHANGED <<epoch, ready, log, known, answered, promised>>

\* The primary learns that a transaction is stored, with all before it.
HandleHeld(m) ==
    /\ m \in msgs /\ m.type = "held" /\ m.epoch = epoch /\ ready /\ m.n > known
    /\ known' = m.n
    /\ answered' = answered \union {log[i] : i \in 1..m.n}
    /\ UNCHANGED <<epoch, ready, log, stored, promised, msgs>>

Next ==
    \/ \E e \in Epochs : Restart(e)
    \/ \E t \in Txns : Run(t)
    \/ \E m \in msgs : HandleAsk(m) \/ HandleState(m) \/ HandleEntry(m) \/ HandleHeld(m)

Spec == Init /\ [][Next]_vars

\* What a client was told is never lost.
AnsweredInv == answered \subseteq Range(stored)

\* What the primary takes for stored is stored, in this order.
AgreeInv == ready => \A i \in 1..known : i <= Len(stored) /\ stored[i] = log[i]

\* No transaction is logged twice.
OnceInv == \A i, j \in 1..Len(stored) : stored[i] = stored[j] => i = j

\* The backup's log only grows, at its end.
GrowsStep == [][Len(stored') >= Len(stored) /\ SubSeq(stored', 1, Len(stored)) = stored]_vars

\* A primary that was started again answers a transaction of its own.
RecoveredReach == epoch > 1 /\ known > 1 /\ Held(epoch, known) \in msgs
=============================================================================
