------------------------- MODULE StretchableClockInd -------------------------
(***************************************************************************)
(* Uniqueness, monotonicity and staying below waitQ at every length: an    *)
(* inductive invariant of the repaired StretchableClock.                   *)
(*                                                                         *)
(* Obligations: Init => IndInv; IndInv /\ Next => IndInv'; IndInv =>       *)
(* UniqueInv, MonotonicInv and StretchInv. Apalache takes them for the     *)
(* instance that CInit fixes. TLC takes the same three: the first by model *)
(* checking from Init, the other two from every state of a small typed     *)
(* domain (IndInit, one step).                                             *)
(*                                                                         *)
(* Domain: two nodes; dclocks and waitQ with times 0 to 2, last timestamps *)
(* with time and frac 0 or 1; of the timestamps made at most one a node,   *)
(* since a new one is compared with each on its own. wall is fixed: only   *)
(* its sum with offset is ever looked at.                                  *)
(***************************************************************************)
EXTENDS StretchableClock

\* Timestamps carry their maker, and none is above its maker's last.
MadeInd ==
    /\ \A n \in Node : last[n][2] = n
    /\ \A ts \in made : ts[2] \in Node /\ ~Less(last[ts[2]], ts)

\* The time of a clock that was below waitQ is below that of every entry.
HeldInd == \A n \in Node : below[n] => \A at \in waitQ[n] : last[n][1] < at[1]

IndInv == ~repeated /\ ~fellBack /\ MadeInd /\ HeldInd

-----------------------------------------------------------------------------
\* @type: () => Set(Set(<<Int, Int, Int>>));
Waits == {{}} \union {{<<t, Manager, 0>>} : t \in 1 .. 2}

IndInit ==
    /\ wall = [n \in Node |-> 0]
    /\ offset \in [Node -> 0 .. 2]
    /\ \E f \in [Node -> (0 .. 1) \X (0 .. 1)] : last = [n \in Node |-> <<f[n][1], n, f[n][2]>>]
    /\ waitQ \in [Node -> Waits]
    /\ below \in [Node -> BOOLEAN]
    /\ HeldInd
    /\ \E m \in [Node -> -1 .. 1] : made = {<<m[n], n, 0>> : n \in {x \in Node : m[x] >= 0}}
    /\ repeated = FALSE
    /\ fellBack = FALSE
    /\ IndInv

IndSpec == IndInit /\ [][Next]_vars

\* The domain has stretched clocks at the point of making a timestamp.
StretchingReach == \E n \in Node : below[n] /\ Held(n, <<wall[n] + offset[n], n, 0>>)

-----------------------------------------------------------------------------
(* The instance for Apalache                                               *)
Instance ==
    /\ Node = {1, 2, 3}
    /\ Steps = {-10, 1, 7}
    /\ Ahead = {50, 100}
    /\ Manager = 9
    /\ HalfRtt = 50
    /\ Order = "fracFirst"

CInit == Instance /\ Repairs = {"Monotone", "FreezeTime", "Follow"}

\* A clock that is set back makes a timestamp again.
FallingCInit == Instance /\ Repairs = {"FreezeTime", "Follow"}
=============================================================================
