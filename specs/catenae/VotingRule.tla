------------------------------ MODULE VotingRule ------------------------------
(***************************************************************************)
(* Catenae's voting rule alone (section VI-D2): each data centre executes   *)
(* the same transactions in an acyclic order of its own; a transaction is   *)
(* committed with the dependencies that a majority of data centres gave it. *)
(* Is what is decided acyclic (VIII-C)?                                     *)
(*                                                                         *)
(* Modelled: one round of votes. Conflicts form a ring: transactions i and  *)
(* i+1 share a key that nobody else touches. An execution is an acyclic     *)
(* orientation of the ring, coded as a number, one bit an edge.             *)
(*                                                                         *)
(* The rule doesn't distinguish data centres, so they vote in the order of  *)
(* their codes. A majority among the votes that arrived is one among all,   *)
(* so late votes need no action of their own.                              *)
(*                                                                         *)
(* Assumed, not checked: acyclic execution in every data centre.            *)
(* Out of scope: timestamps, values, catch-up (Validation).                 *)
(* Readings: none.                                                         *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    \* @type: Int;
    DCs,      \* how many data centres
    \* @type: Int;
    Txns,     \* how many transactions, at least three
    \* @type: Set(Str);
    Repairs

ASSUME Repairs \subseteq {"closure"}

DC == 1..DCs
Txn == 1..Txns
After(t) == IF t = Txns THEN 1 ELSE t + 1

VARIABLES
    \* @type: Int -> Int;
    cast      \* the code of each data centre's execution, NotYet before it votes

vars == <<cast>>
NotYet == -1

RECURSIVE Power(_)
Power(n) == IF n = 0 THEN 1 ELSE 2 * Power(n - 1)

Bit(code, i) == (code \div Power(i - 1)) % 2

\* The order of each pair of neighbours: bit i set says that i is before After(i).
Edges(code) ==
    {IF Bit(code, i) = 1 THEN <<i, After(i)>> ELSE <<After(i), i>> : i \in Txn}

\* All but the two ways round the ring.
Codes == 1..(Power(Txns) - 2)

RECURSIVE Back(_, _)
Back(E, S) ==
    LET next == S \union {e[1] : e \in {f \in E : f[2] \in S}}
    IN  IF next = S THEN S ELSE Back(E, next)

\* The dependencies that a vote names for t: those directly before it, or, with
\* repair "closure", all that are before it through others as well.
DepsOf == TLCEval([code \in Codes |-> TLCEval([t \in Txn |->
    IF "closure" \in Repairs
    THEN Back(Edges(code), {t}) \ {t}
    ELSE {e[1] : e \in {f \in Edges(code) : f[2] = t}}])])

Voted == {d \in DC : cast[d] # NotYet}

Init == cast = [d \in DC |-> NotYet]

Vote(d, code) ==
    /\ cast[d] = NotYet
    /\ \A e \in DC : e < d => cast[e] # NotYet /\ cast[e] <= code
    /\ cast' = [cast EXCEPT ![d] = code]

Next == \E d \in DC, code \in Codes : Vote(d, code)

Spec == Init /\ [][Next]_vars

--------------------------------------------------------------------------------
Supporters(t, D) == {d \in Voted : DepsOf[cast[d]][t] = D}

\* The dependencies decided for t: a set of one set, or empty.
Decided(t) ==
    {D \in {DepsOf[cast[d]][t] : d \in Voted} :
        2 * Cardinality(Supporters(t, D)) > DCs}

Committed == {t \in Txn : Decided(t) # {}}

\* Who waits for whom: an aborted dependency holds nobody up (VI-E).
DecidedEdges ==
    UNION {{<<u, t>> : u \in (UNION Decided(t)) \cap Committed} : t \in Committed}

\* ours
TypeOKInv == cast \in [DC -> Codes \union {NotYet}]

\* claimed (VI-D2): a majority can't be found for two dependency sets.
UniqueInv == \A t \in Txn : Cardinality(Decided(t)) <= 1

\* implied (VI-D2): of two conflicting transactions that are committed, exactly
\* one depends on the other.
OrderedInv ==
    \A t \in Committed : After(t) \in Committed =>
        (t \in UNION Decided(After(t))) # (After(t) \in UNION Decided(t))

\* claimed (VIII-C): what is decided is acyclic.
DecidedAcyclicInv ==
    LET E == DecidedEdges
    IN  \A t \in Committed : t \notin Back(E, {e[1] : e \in {f \in E : f[2] = t}})

AllCommittedReach == Committed = Txn
NoneCommittedReach == Voted = DC /\ Committed = {}
================================================================================
