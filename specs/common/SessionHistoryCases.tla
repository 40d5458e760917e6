------------------------- MODULE SessionHistoryCases -------------------------
(* Does SessionHistory judge histories as the session guarantees are defined? Histories made by hand, one a step,  *)
(* each with what it breaks: Terry et al.'s guarantees as the clients of the history asked for them, and causality. *)
EXTENDS SessionHistory

VARIABLES
    \* Which history is judged.
    case

vars == <<case>>

All == {"RYW", "MR", "WFR", "MW"}
Write(o, g, id) == [op |-> "w", obj |-> o, at |-> 1, g |-> g, id |-> id, saw |-> <<>>]
ReadAt(i, o, g, saw) == [op |-> "r", obj |-> o, at |-> i, g |-> g, id |-> "none", saw |-> saw]
Read(o, g, saw) == ReadAt(1, o, g, saw)

\* What A, B and C did, in their order, what each replica would show, and what that breaks.
Case(a, b, c, shown, broken) == [h |-> [A |-> a, B |-> b, C |-> c], shown |-> shown, broken |-> broken]
\* One replica, which shows s of x and t of y.
XY(s, t) == {[x |-> s, y |-> t]}

ByA == <<Write("x", {}, "a")>>
\* Who has read a writes b, to y.
ThenB(g) == <<Read("x", {}, <<"a">>), Write("y", g, "b")>>
Twice(o, g) == <<Write("x", {}, "a"), Write(o, g, "b")>>

Cases == <<
    \* RYW
    Case(Twice("x", {}) \o <<Read("x", {"RYW"}, <<"a", "b">>)>>, <<>>, <<>>, {}, {}),
    Case(Twice("x", {}) \o <<Read("x", {"RYW"}, <<"b">>)>>, <<>>, <<>>, {}, {"RYW"}),
    Case(Twice("x", {}) \o <<Read("x", {"RYW", "MW"}, <<"a">>)>>, <<>>, <<>>, {}, {"RYW"}),
    Case(ByA \o <<ReadAt(2, "x", {"RYW"}, <<>>)>>, <<>>, <<>>, {}, {"RYW"}),
    Case(ByA \o <<Read("x", All \ {"RYW"}, <<>>)>>, <<>>, <<>>, {}, {}),
    Case(ByA \o <<Read("y", All, <<>>)>>, <<>>, <<>>, {}, {}),
    Case(ByA, <<Read("x", All, <<>>)>>, <<>>, {}, {}),
    Case(<<Read("x", All, <<>>)>> \o ByA, <<>>, <<>>, {}, {}),
    \* MR
    Case(Twice("x", {}), <<Read("x", {}, <<"a", "b">>), Read("x", {}, <<>>), Read("x", {"MR"}, <<"a", "b">>)>>, <<>>, {}, {}),
    Case(Twice("x", {}), <<Read("x", {}, <<"a", "b">>), Read("x", {}, <<>>), Read("x", {"MR"}, <<"b">>)>>, <<>>, {}, {"MR"}),
    Case(Twice("x", {}), <<Read("x", {}, <<"a", "b">>), Read("x", {"MR", "RYW"}, <<"a">>)>>, <<>>, {}, {"MR"}),
    Case(Twice("x", {}), <<Read("x", {}, <<"a">>), ReadAt(2, "x", {"MR"}, <<"b">>)>>, <<>>, {}, {"MR"}),
    Case(ByA, <<Read("x", {}, <<"a">>), Read("x", All \ {"MR"}, <<>>), Read("y", All, <<>>)>>, <<>>, {}, {}),
    Case(ByA, <<Read("x", {}, <<"a">>)>>, <<Read("x", All, <<>>)>>, {}, {}),
    Case(ByA, <<Read("x", All, <<>>), Read("x", All, <<"a">>)>>, <<>>, {}, {}),
    \* WFR: a replica shows b without a, with it, or has no x.
    Case(ByA, ThenB({"WFR", "MR"}), <<>>, XY(<<>>, <<"b">>), {"WFR", "visible"}),
    Case(ByA, ThenB({"WFR"}), <<>>, XY(<<"a">>, <<"b">>) \union XY(<<"a">>, <<>>) \union XY(<<>>, <<>>) \union {[y |-> <<"b">>]}, {}),
    Case(ByA, ThenB({"WFR"}), <<>>, XY(<<"a">>, <<"b">>) \union XY(<<>>, <<"b">>), {"WFR", "visible"}),
    Case(ByA, ThenB(All \ {"WFR"}), <<>>, XY(<<>>, <<"b">>), {"visible"}),
    Case(ByA, <<Read("x", {}, <<"a">>), Read("x", {}, <<>>), Write("y", {"WFR"}, "b")>>, <<>>, XY(<<>>, <<"b">>), {"WFR", "visible"}),
    Case(ByA, <<Write("y", {"WFR"}, "b"), Read("x", {}, <<"a">>)>>, <<>>, XY(<<>>, <<"b">>), {}),
    Case(ByA, <<Read("x", {}, <<"a">>)>>, <<Write("y", All, "b")>>, XY(<<>>, <<"b">>), {}),
    Case(Twice("x", {}), <<Read("x", {}, <<"a", "b">>), Write("y", {"WFR"}, "c")>>, <<>>, XY(<<"b">>, <<"c">>), {"WFR", "visible"}),
    Case(Twice("x", {}), <<Read("x", {}, <<"a", "b">>), Write("y", {"WFR"}, "c")>>, <<>>, XY(<<"a">>, <<"c">>), {"WFR", "visible"}),
    \* WFR within an object: b follows a.
    Case(ByA, <<Read("x", {}, <<"a">>), Write("x", {"WFR"}, "b")>>, <<>>, {[x |-> <<"b">>]}, {"WFR", "visible"}),
    Case(ByA, <<Read("x", {}, <<"a">>), Write("x", {"WFR"}, "b")>>, <<>>, {[x |-> <<"b", "a">>]}, {"WFR", "visible"}),
    Case(ByA, <<Read("x", {}, <<"a">>), Write("x", {"WFR"}, "b")>>, <<Write("x", {}, "c")>>, {[x |-> <<"a", "c", "b">>]}, {}),
    Case(ByA, <<Read("x", {}, <<"a">>), Write("x", {"WFR"}, "b")>>, <<Write("x", {}, "c")>>, {[x |-> <<"b", "c", "a">>]}, {"WFR", "visible"}),
    \* MW
    Case(Twice("y", {"MW", "RYW"}), <<>>, <<>>, XY(<<>>, <<"b">>), {"MW", "visible"}),
    Case(Twice("y", {"MW"}), <<>>, <<>>, XY(<<"a">>, <<"b">>) \union XY(<<"a">>, <<>>) \union XY(<<>>, <<>>) \union {[y |-> <<"b">>]}, {}),
    Case(Twice("y", All \ {"MW"}), <<>>, <<>>, XY(<<>>, <<"b">>), {"visible"}),
    Case(<<Write("x", All, "a"), Write("y", {}, "b")>>, <<>>, <<>>, XY(<<>>, <<"b">>), {"visible"}),
    Case(<<Write("x", {}, "a"), Write("z", {}, "c"), Write("y", {"MW"}, "b")>>, <<>>, <<>>, {[x |-> <<>>, y |-> <<"b">>]}, {"MW", "visible"}),
    Case(ByA, <<Write("y", All, "b")>>, <<>>, XY(<<>>, <<"b">>), {}),
    Case(Twice("x", {"MW"}), <<>>, <<>>, {[x |-> <<"b">>]}, {"MW", "visible"}),
    Case(Twice("x", {"MW"}), <<>>, <<>>, {[x |-> <<"b", "a">>]}, {"MW", "visible"}),
    \* Causality goes through other clients' sessions, and through all that they knew.
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Read("x", All, <<>>)>>, {}, {"causal"}),
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Read("x", All, <<"a">>)>>, {}, {}),
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Read("x", All \ {"MW"}, <<>>)>>, {}, {}),
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Read("z", All, <<>>)>>, {}, {}),
    Case(ByA, <<Write("y", {}, "b"), Read("x", {}, <<"a">>)>>, <<Read("y", {}, <<"b">>), Read("x", All, <<>>)>>, {}, {}),
    Case(Twice("z", {}), <<Read("z", {}, <<"b">>), Write("y", {}, "c")>>, <<Read("y", {}, <<"c">>), Read("x", All, <<>>)>>, {}, {"causal"}),
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Write("z", {}, "c")>>, {[x |-> <<>>, z |-> <<"c">>]}, {"visible"}),
    Case(ByA, ThenB({}), <<Read("y", {}, <<"b">>), Write("z", {}, "c")>>, {[x |-> <<"a">>, z |-> <<"c">>]}, {}),
    Case(ByA, <<Read("x", {}, <<"a", "b">>), Write("y", {}, "c")>>, <<Write("x", {}, "b")>>, XY(<<"b">>, <<"c">>), {"visible"}),
    \* A read lacks what its client itself had written or read.
    Case(ByA \o <<Read("x", All, <<>>)>>, <<>>, <<>>, {}, {"RYW", "causal"}),
    Case(ByA, <<Read("x", {}, <<"a">>), Read("x", All, <<>>)>>, <<>>, {}, {"MR", "causal"}),
    \* What completed reads show of WFR and MW: two of one session at one replica, in their order, or one alone.
    Case(ByA, ThenB({"WFR"}), <<Read("y", {}, <<"b">>), Read("x", {}, <<>>)>>, {}, {"seen WFR"}),
    Case(ByA, ThenB({"WFR"}), <<ReadAt(1, "y", {}, <<"b">>), ReadAt(2, "x", {}, <<>>)>>, {}, {}),
    Case(ByA, ThenB({"WFR"}), <<Read("x", {}, <<>>), Read("y", {}, <<"b">>)>>, {}, {}),
    Case(ByA \o <<Read("y", {}, <<"b">>)>>, ThenB({"WFR"}), <<Read("x", {}, <<>>)>>, {}, {}),
    Case(Twice("y", {"MW"}), <<>>, <<Read("y", {}, <<"b">>), Read("x", {}, <<>>)>>, {}, {"seen MW"}),
    Case(Twice("x", {"MW"}), <<>>, <<Read("x", {}, <<"b">>)>>, {}, {"seen MW"}),
    Case(Twice("x", {"MW"}), <<>>, <<Read("x", {}, <<"a", "b">>)>>, {}, {}) >>

Init == case = 1

NextCase == case < Len(Cases) /\ case' = case + 1

Next == NextCase

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* What SessionHistory says that the case breaks.
Broken ==
    LET h     == Cases[case].h
        looks == UNION {LooksOfReplica(v) : v \in Cases[case].shown}
        says  == [RYW |-> ReadYourWrites(h), MR |-> MonotonicReads(h),
                  WFR |-> WritesFollowReads(h, looks), MW |-> MonotonicWrites(h, looks),
                  causal |-> CausalReads(h), visible |-> \A w \in WritesOf(h) : CausallyVisible(h, looks, w)]
        seen  == [WFR |-> WritesFollowReads(h, LooksOfHistory(h)), MW |-> MonotonicWrites(h, LooksOfHistory(h))]
    IN  {g \in DOMAIN says : ~says[g]} \union {"seen " \o g : g \in {s \in DOMAIN seen : ~seen[s]}}

\* ours: each case breaks what is said beside it, and nothing else.
CasesInv == Broken = Cases[case].broken
=============================================================================
