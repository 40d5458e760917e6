----------------------- MODULE StretchableClockContracts -----------------------
(***************************************************************************)
(* What the steps of the repaired StretchableClock owe each other. The     *)
(* paper claims little of this; mutants of the module that leave its       *)
(* claims intact are caught here. For Monotone, FreezeTime and Follow,     *)
(* with and without Climb.                                                 *)
(***************************************************************************)
EXTENDS MCStretchableClock

Reading(n) == <<wall[n] + offset[n], n, 0>>
Makes(n) == made' # made /\ last'[n] # last[n]

\* A timestamp made is its maker's last one; nothing else happens with it.
MadeStep == [][made' # made => \E n \in Node :
    /\ made' = made \union {last'[n]} /\ last' = [last EXCEPT ![n] = last'[n]]
    /\ UNCHANGED <<wall, offset, waitQ>>]_vars

\* It is the clock's reading if that is new and below waitQ. A held clock makes the highest reading below waitQ with
\* Climb, and what is not above the last timestamp becomes the next frac of it.
ReadingStep == [][\A n \in Node : Makes(n) =>
    LET under == IF "Climb" \in Repairs THEN <<HeadTime(n) - 1, n, 0>> ELSE last[n]
        reading == IF Held(n, Reading(n)) THEN under ELSE Reading(n)
    IN  last'[n] = IF Less(last[n], reading) THEN reading ELSE <<last[n][1], n, last[n][3] + 1>>]_vars

\* A dclock is never set back, and calibration takes it just above what was heard: another node's last timestamp,
\* or half a round trip after a remote clock.
CalibratedStep == [][\A n \in Node : offset'[n] # offset[n] =>
    /\ offset'[n] > offset[n]
    /\ wall[n] + offset'[n] - 1 \in {last[x][1] : x \in Node \ {n}} \union {ts + HalfRtt : ts \in Ahead}]_vars

\* Calibration by a node's clock raises the last timestamp just above that node's, and the dclock with it.
FollowStep == [][\A n \in Node : last'[n] # last[n] /\ made' = made =>
    /\ \E x \in Node \ {n} : Less(last[n], last[x]) /\ last'[n] = <<last[x][1], n, last[x][3] + 1>>
    /\ wall[n] + offset'[n] > last'[n][1]
    /\ ~Held(n, last'[n])]_vars

\* Members of waitQ come and go one by one. A clock that was below all of them is so until another comes.
BelowStep == [][\A n \in Node : below'[n] # below[n] => waitQ'[n] # waitQ[n]]_vars
WaitStep == [][\A n \in Node : waitQ'[n] # waitQ[n] =>
    /\ Cardinality(waitQ'[n] \ waitQ[n]) + Cardinality(waitQ[n] \ waitQ'[n]) = 1
    /\ \A at \in waitQ'[n] \ waitQ[n] : at[1] - wall[n] \in Ahead
    /\ UNCHANGED <<wall, offset, last, made>>]_vars

\* Members of waitQ leave in any order. A clock that is behind another is calibrated, stretched or not.
CanInv == \A n \in Node :
    /\ \A at \in waitQ[n] : ENABLED Leave(n, at)
    /\ \A x \in Node \ {n} : wall[n] + offset[n] <= last[x][1] =>
         ENABLED (Calibrate(n, x) /\ wall[n] + offset'[n] > last[x][1])
    /\ \A ts \in Ahead : wall[n] + offset[n] <= ts + HalfRtt =>
         ENABLED (CalibrateRemote(n, ts) /\ wall[n] + offset'[n] > ts + HalfRtt)
================================================================================
