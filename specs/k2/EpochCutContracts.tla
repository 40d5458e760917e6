-------------------------- MODULE EpochCutContracts --------------------------
(***************************************************************************)
(* What the steps of EpochCut owe each other. The paper claims none of     *)
(* this; mutants of the module that leave Property 6.1 intact are caught   *)
(* here. Every transaction is an attempt of a node.                        *)
(***************************************************************************)
EXTENDS MCEpochCut

Restarted(c) == incarnation'[c] # incarnation[c]
Asks(c) == cut[c].attempt = "" /\ cut'[c].attempt # ""

\* A node that keeps its timer does not ask before the epoch's promised end.
AskInTimeStep == [][\A c \in Coordinators :
    (Asks(c) /\ TimerKept /\ incarnation[c] = 0) => now >= Promised(cut[c].epoch)]_cutVars

\* A transaction begins as the attempt of a node that has no other.
AttemptStep == [][\A c \in Coordinators :
    /\ \A t \in Txns : (txn[t].phase = "idle" /\ txn'[t].phase = "begun" /\ txn'[t].coordinator = c)
                       => cut[c].attempt = "" /\ cut'[c].attempt = t
    /\ (cut'[c].attempt # "" /\ cut'[c].attempt # cut[c].attempt) => Asks(c)]_cutVars

\* An attempt ends in a cut if its timestamp is after the promised end, and in
\* another wait of what is missing, by the fastest clock, if it is not. A cut ends all
\* epochs whose promised ends lie before the timestamp, and no other. Its timer is set
\* for the promised end of the epoch that begins, as seen from that timestamp.
SettleStep == [][\A c \in Coordinators :
    LET t == cut[c].attempt
        missing == Promised(cut[c].epoch) - txn[t].ts
        settled == t # "" /\ cut'[c].attempt = "" /\ ~Restarted(c) IN
    /\ settled => txn[t].phase = "running"
    /\ (settled /\ missing >= 0) => /\ cut'[c].epoch = cut[c].epoch
                                    /\ cut'[c].due >= clock[c] + missing * (Nominal + Drift)
    /\ (settled /\ missing < 0) =>
        /\ Promised(cut'[c].epoch - 1) < txn[t].ts /\ txn[t].ts <= Promised(cut'[c].epoch)
        /\ cut'[c].epoch > cut[c].epoch /\ cut'[c].cutAt = now
        /\ cut'[c].due = clock[c] + (Promised(cut'[c].epoch) - txn[t].ts) * (Nominal + Drift)
    /\ (cut'[c].due # cut[c].due \/ cut'[c].epoch # cut[c].epoch) => settled \/ Restarted(c)]_cutVars

\* A timestamp that was waited out cuts an epoch, and nothing else does.
EndStep == [][
    /\ \A t \in Txns : (txn[t].phase = "running" /\ txn'[t].phase = "ended") =>
        cut'[txn[t].coordinator].epoch > cut[txn[t].coordinator].epoch
    /\ \A c \in Coordinators : cut'[c].epoch # cut[c].epoch =>
        \E t \in Txns : t = cut[c].attempt /\ txn[t].phase = "running" /\ txn'[t].phase = "ended"]_cutVars

\* A restart keeps the epoch, which is in the log, and nothing else.
RestartStep == [][\A c \in Coordinators : Restarted(c) =>
    cut'[c].epoch = cut[c].epoch /\ cut'[c].attempt = "" /\ cut'[c].due = clock[c]]_cutVars

\* Whatever the timestamp is, an attempt is settled in the end.
SettledInv == \A c \in Coordinators, t \in Txns : (cut[c].attempt = t /\ txn[t].phase = "running") =>
    IF txn[t].ts <= Promised(cut[c].epoch) THEN ENABLED TooEarly(t, c)
    ELSE clock[c] - txn[t].local >= CommitWait => ENABLED CutEpoch(t, c)
=============================================================================
