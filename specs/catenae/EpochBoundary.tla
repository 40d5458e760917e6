----------------------------- MODULE EpochBoundary -----------------------------
(***************************************************************************)
(* Catenae's epoch boundary protocol (sections V, VI-A, VIII-B; secondary   *)
(* coordinators: IV): which transactions does each data centre schedule, in *)
(* which order of epochs, and whose votes does it hear?                     *)
(*                                                                         *)
(* Modelled: one coordinator per data centre with a loosely synchronized    *)
(* epoch counter; epoch messages with both payloads of the epoch and of the *)
(* two before it; loss, delay, duplication and reordering of messages;      *)
(* waiting for all, delay tolerance with abandoned messages, and majority   *)
(* mode; failover from primary to secondary coordinator.                    *)
(*                                                                         *)
(* Assumed, not checked: epoch counters never go back and differ by at most *)
(* Skew. The secondary has every epoch message from other data centres that *)
(* the primary had, and knows which epochs are scheduled.                   *)
(*                                                                         *)
(* Out of scope: the execution itself. A data centre's vote on a            *)
(* transaction is ready as soon as the transaction is scheduled there.      *)
(*                                                                         *)
(* Readings: late epoch messages are awaited, executed at once or passed   *)
(* over (V-C, VI-A: Late, Mode, Tolerance). To "skip an execution epoch"   *)
(* (VIII-B) drops what is missing, not the whole epoch.                    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    \* @type: Set(Int);
    DC,
    \* @type: Set(Int);
    Txn,
    \* @type: Int -> Int;
    Origin,     \* the data centre where a transaction's client is
    \* @type: Int;
    MaxEpoch,
    \* @type: Int;
    Skew,       \* how far two epoch counters may be apart
    \* @type: Int;
    Tolerance,  \* the largest offset of a counter over the epoch to be scheduled,
                \* before what is missing is abandoned; 0: wait without limit
    \* @type: Str;
    Mode,       \* schedule an epoch on messages of "all" or of a "majority"
    \* @type: Str;
    Late,       \* a message for an epoch that is past, within the tolerance: its
                \* transactions are executed at once ("run") or not ("drop")
    \* @type: Int;
    MaxLoss,
    \* @type: Int;
    MaxFailover,
    \* @type: Set(Str);
    Repairs

ASSUME Mode \in {"all", "majority"} /\ Late \in {"run", "drop"}
ASSUME Repairs \subseteq {"repeatUntilKnown", "handOver"}

Epoch == 1..MaxEpoch

VARIABLES
    \* @type: Int -> Int;
    clock,    \* the epoch that each coordinator is in; MaxEpoch + 1: past the last
    \* @type: Int -> Set(Int);
    batch,    \* transactions received in that epoch
    \* @type: Int -> Set(Int);
    ballot,   \* transactions that got a vote here in that epoch
    \* @type: Int -> (Int -> (Int -> Set({ txns: Set(Int), votes: Set(Int) })));
    known,    \* known[d][e][n]: what d holds as payload of e in epoch n, {} or one
    \* @type: Int -> Int;
    next,     \* the lowest epoch that a coordinator has not scheduled
    \* @type: Int -> Seq({ epoch: Int, txns: Set(Int) });
    log,      \* what each data centre scheduled, in order
    \* @type: Set(Int);
    accepted, \* transactions that a coordinator took from its clients
    \* @type: Set($msg);
    msgs,     \* epoch messages that may still arrive (again)
    \* @type: Int;
    losses,
    \* @type: Int;
    failovers

(* @typeAlias: msg = { type: Str, from: Int, to: Int, epoch: Int,
     payload: Int -> Set({ txns: Set(Int), votes: Set(Int) }) }; *)
EpochBoundary_aliases == TRUE

vars == <<clock, batch, ballot, known, next, log, accepted, msgs, losses, failovers>>

Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Majority(S) == 2 * Cardinality(S) > Cardinality(DC)
Range(q) == {q[i] : i \in DOMAIN q}
Empty == [txns |-> {}, votes |-> {}]

\* Everything that d has scheduled.
Scheduled(d) == UNION {b.txns : b \in Range(log[d])}

\* Whose payload of epoch n is at d.
Heard(d, n) == {e \in DC : known[d][e][n] # {}}
Txns(d, E, n) == UNION {UNION {p.txns : p \in known[d][e][n]} : e \in E}

--------------------------------------------------------------------------------
\* A client's transaction arrives at its coordinator and joins the current batch.
Receive(d, t) ==
    /\ d = Origin[t] /\ t \notin accepted /\ clock[d] <= MaxEpoch
    /\ batch' = [batch EXCEPT ![d] = @ \union {t}]
    /\ accepted' = accepted \union {t}
    /\ UNCHANGED <<clock, ballot, known, next, log, msgs, losses, failovers>>

\* The epochs whose payloads an epoch message carries (V-C). Repair
\* "repeatUntilKnown": every epoch that some receiver may lack.
Carried(n) ==
    IF "repeatUntilKnown" \in Repairs THEN 1..n ELSE {i \in Epoch : n - 2 <= i /\ i <= n}

\* The boundary at the end of an epoch: dispatch the payloads (V-C).
EndEpoch(d) ==
    LET n == clock[d]
        own == [txns |-> batch[d], votes |-> ballot[d]]
        mine == [known[d][d] EXCEPT ![n] = {own}]
    IN  /\ n <= MaxEpoch
        /\ \A e \in DC : n + 1 - clock[e] <= Skew
        /\ clock' = [clock EXCEPT ![d] = n + 1]
        /\ known' = [known EXCEPT ![d][d] = mine]
        /\ batch' = [batch EXCEPT ![d] = {}]
        /\ ballot' = [ballot EXCEPT ![d] = {}]
        /\ msgs' = msgs \union {[type |-> "epoch", from |-> d, to |-> e, epoch |-> n,
                               payload |-> [i \in Carried(n) |-> mine[i]]] : e \in DC \ {d}}
        /\ UNCHANGED <<next, log, accepted, losses, failovers>>

Lose(m) ==
    /\ losses < MaxLoss
    /\ losses' = losses + 1
    /\ msgs' = msgs \ {m}
    /\ UNCHANGED <<clock, batch, ballot, known, next, log, accepted, failovers>>

\* Is an epoch message too late at d for the transactions of epoch n?
Abandoned(d, n) == n < next[d] /\ (Late = "drop" \/ clock[d] - n > Tolerance)

\* The transactions that a late message brings for an epoch that is past.
LateTxns(d, e, p, n) ==
    IF n < next[d] /\ ~Abandoned(d, n) /\ known[d][e][n] = {}
    THEN UNION {x.txns : x \in p} ELSE {}

\* Collect payloads by epoch; the first that names an epoch counts. Late ones are
\* executed at once or abandoned (VIII-B). Votes are taken whenever they come.
HandleEpoch(m) ==
    LET d == m.to
        e == m.from
        fresh == {n \in DOMAIN m.payload : m.payload[n] # {} /\ known[d][e][n] = {}}
        late == UNION {LateTxns(d, e, m.payload[n], n) : n \in fresh}
    IN  /\ fresh # {}
        /\ known' = [known EXCEPT ![d][e] =
             [n \in Epoch |-> IF n \in fresh THEN m.payload[n] ELSE @[n]]]
        /\ log' = IF late = {} THEN log
                  ELSE [log EXCEPT ![d] = Append(@,
                          [epoch |-> Max({n \in fresh : n < next[d]}), txns |-> late])]
        /\ ballot' = [ballot EXCEPT ![d] = @ \union late]
        /\ UNCHANGED <<clock, batch, next, accepted, msgs, losses, failovers>>

ScheduleWith(d, E) ==
    LET n == next[d]
        t == Txns(d, E, n)
    IN  /\ log' = [log EXCEPT ![d] = Append(@, [epoch |-> n, txns |-> t])]
        /\ ballot' = [ballot EXCEPT ![d] = @ \union t]
        /\ next' = [next EXCEPT ![d] = n + 1]
        /\ UNCHANGED <<clock, batch, known, accepted, msgs, losses, failovers>>

\* All (or a majority of) epoch messages of the next epoch are there (VI-A, VIII-B).
Schedule(d) ==
    /\ next[d] <= MaxEpoch
    /\ IF Mode = "all" THEN Heard(d, next[d]) = DC ELSE Majority(Heard(d, next[d]))
    /\ d \in Heard(d, next[d])
    /\ ScheduleWith(d, Heard(d, next[d]))

\* The delay tolerance is used up: do without what is missing (VIII-B). "Skip an
\* execution epoch" could also mean to drop the whole epoch, what is there included;
\* this is the reading that loses less.
Skip(d) ==
    /\ Tolerance > 0 /\ next[d] <= MaxEpoch
    /\ Heard(d, next[d]) # DC
    /\ clock[d] - next[d] > Tolerance
    /\ ScheduleWith(d, Heard(d, next[d]))

\* The primary dies and the secondary takes over. Coordinators are stateless and
\* the secondary gets the epoch messages of other data centres (IV): what the
\* primary had from its own clients and servers is gone, and the secondary speaks
\* for it with empty payloads. Repair "handOver": the secondary holds it before a
\* client's transaction counts as received and before an epoch message leaves.
FailOver(d) ==
    /\ failovers < MaxFailover
    /\ failovers' = failovers + 1
    /\ IF "handOver" \in Repairs THEN UNCHANGED <<batch, ballot, known>>
       ELSE /\ batch' = [batch EXCEPT ![d] = {}]
            /\ ballot' = [ballot EXCEPT ![d] = {}]
            /\ known' = [known EXCEPT ![d][d] =
                 [n \in Epoch |-> IF n < clock[d] THEN {Empty} ELSE {}]]
    /\ UNCHANGED <<clock, next, log, accepted, msgs, losses>>

--------------------------------------------------------------------------------
Init ==
    /\ clock = [d \in DC |-> 1]
    /\ batch = [d \in DC |-> {}]
    /\ ballot = [d \in DC |-> {}]
    /\ known = [d \in DC |-> [e \in DC |-> [n \in Epoch |-> {}]]]
    /\ next = [d \in DC |-> 1]
    /\ log = [d \in DC |-> <<>>]
    /\ accepted = {}
    /\ msgs = {}
    /\ losses = 0
    /\ failovers = 0

Next ==
    \/ \E d \in DC, t \in Txn : Receive(d, t)
    \/ \E d \in DC : EndEpoch(d)
    \/ \E d \in DC : Schedule(d)
    \/ \E d \in DC : Skip(d)
    \/ \E d \in DC : FailOver(d)
    \/ \E m \in msgs : HandleEpoch(m)
    \/ \E m \in msgs : Lose(m)

\* Next without clients, losses and failures.
Progress ==
    \/ \E d \in DC : EndEpoch(d) \/ Schedule(d) \/ Skip(d)
    \/ \E m \in msgs : HandleEpoch(m)

Spec == Init /\ [][Next]_vars /\ WF_vars(Progress)

--------------------------------------------------------------------------------
\* ours
TypeOKInv ==
    /\ clock \in [DC -> 1..(MaxEpoch + 1)]
    /\ next \in [DC -> 1..(MaxEpoch + 1)]
    /\ \A d \in DC : batch[d] \subseteq accepted /\ Scheduled(d) \subseteq accepted
    /\ \A d, e \in DC, n \in Epoch : Cardinality(known[d][e][n]) <= 1

\* claimed (V-A, VIII-B, where all epoch messages are awaited): whoever schedules
\* an epoch schedules the same transactions.
SameBatchInv ==
    \A d, e \in DC : \A b \in Range(log[d]), c \in Range(log[e]) :
        b.epoch = c.epoch => b.txns = c.txns

\* claimed (VI-A): lower epochs are scheduled before higher ones.
EpochOrderInv ==
    \A d \in DC : \A i, j \in DOMAIN log[d] :
        i < j => log[d][i].epoch < log[d][j].epoch

\* implied (VI-A): a transaction is scheduled once.
OnceInv ==
    \A d \in DC : \A i, j \in DOMAIN log[d] :
        i # j => log[d][i].txns \cap log[d][j].txns = {}

\* claimed (VIII-B): the counter is always larger than the epoch that is scheduled.
CounterAheadInv == \A d \in DC : \A b \in Range(log[d]) : clock[d] > b.epoch

Quiet == ~ENABLED Progress

\* Epochs whose payload is sent as often inside the model as the protocol counts on:
\* three times as published; repaired, once more than messages can be lost. The later
\* ones are cut off by the end of the model, where nobody repeats them any more.
Copies == IF "repeatUntilKnown" \in Repairs THEN MaxLoss + 1 ELSE 3
Settled == {n \in Epoch : n + Copies - 1 <= MaxEpoch}

\* claimed (V-C, VIII-B): message losses are handled by the redundancy, and
\* scheduling never stops.
NoWaitInv == Quiet => \A d \in DC, n \in Settled : next[d] > n

\* claimed (V-A): in the end every data centre has scheduled what any has, in the
\* settled epochs.
EverywhereInv ==
    Quiet => \A d, e \in DC : \A b \in Range(log[d]) :
        b.epoch \in Settled => b.txns \subseteq Scheduled(e)

\* implied (VI-A, VIII-C): what a coordinator took in a settled epoch is scheduled
\* by a majority, or no vote can ever decide it. What its own data centre sent
\* last may be cut off by the end of the model.
AcceptedInv ==
    Quiet => \A t \in accepted :
        \/ Majority({d \in DC : t \in Scheduled(d)})
        \/ \E n \in Epoch \ Settled : \E p \in known[Origin[t]][Origin[t]][n] : t \in p.txns

\* implied (V-B, VI-D2): in the end every vote cast in a settled epoch was heard.
VotesHeardInv ==
    Quiet => \A d, e \in DC, n \in Settled : known[d][d][n] # {} => known[e][d][n] # {}

LateReach == \E d \in DC : \E i \in DOMAIN log[d] : \E j \in 1..(i - 1) :
    log[d][j].epoch >= log[d][i].epoch
SkipReach == \E d \in DC : next[d] > 1 /\ Heard(d, 1) # DC
RepeatReach ==    \* a payload that only a later message brought
    \E d, e \in DC : \E n \in Epoch : d # e /\ known[d][e][n] # {}
        /\ ~\E m \in msgs : m.from = e /\ m.to = d /\ m.epoch = n
AllScheduledReach == Txn # {} /\ \A d \in DC : Scheduled(d) = Txn
================================================================================
