----------------------------- MODULE MCFirstRead -----------------------------
(* Transactions whose shards are found by a first read (4.1), as they may be  *)
(* put together: 1 reads, 2 is what it leads to, 3 changes something.         *)
EXTENDS MCTwoPhaseAnticipation

CONSTANTS
    \* The shard that the first read reads.
    \* @type: Str;
    Sought,
    \* Coordinators of the three.
    \* @type: Int;
    ReadAt,
    \* @type: Int;
    FoundAt,
    \* @type: Int;
    ChangedAt,
    \* What the second one writes.
    \* @type: Set(Str);
    FoundWrites,
    \* What the third one changes.
    \* @type: Set(Str);
    Changed,
    \* Readings at which those that are IRTs are stamped.
    \* @type: Int -> Int;
    StampedAt,
    \* Whether the change is done before what was found begins; else they may go on side by side.
    \* @type: Bool;
    ChangedBefore,
    \* Whether the second one depends on what was read: the condition of 4.1.
    \* @type: Bool;
    Conditional

Other == CHOOSE s \in XY : s # Sought
FoundPlan ==
    1 :> [Simple(ReadAt, {Sought}) EXCEPT !.writes = {}]
    @@ 2 :> [Dependent(FoundAt, XY, Sought, Other) EXCEPT !.cond = IF Conditional THEN Sought ELSE "",
                                                         !.writes = FoundWrites]
    @@ 3 :> Simple(ChangedAt, Changed)

\* Clocks are heard when somebody waits, and do not run ahead before what was found begins, so that it can still end.
FirstWorlds ==
    /\ FoundByRead /\ AwaitedClocks
    /\ ChangedBefore /\ txn'[2].phase # "new" => txn[3].phase = "done"
    /\ \A t \in {1, 3} : ~IsCrt(t) /\ txn'[t].ts # txn[t].ts => txn'[t].ts[1] = StampedAt[t]
    /\ txn[2].phase = "new" => \A p \in Node \union Manager : last'[p][1] <= 2
=============================================================================
