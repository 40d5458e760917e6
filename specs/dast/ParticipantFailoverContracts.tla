--------------------- MODULE ParticipantFailoverContracts ---------------------
(***************************************************************************)
(* What a change of the view owes a CRT that members take part in, with    *)
(* the repairs. The paper claims none of this; errors in                   *)
(* ParticipantFailover that leave its claim intact are caught here.        *)
(***************************************************************************)
EXTENDS MCParticipantFailover

\* What a member who stays has of the CRT, everybody in the new view has: who stays, and who is added.
ViewStep == [][view' # view =>
    \A n \in members \intersect members', x \in members' :
        /\ crt[n] # "none" => crt'[x] # "none"
        /\ crt[n] = "committed" => crt'[x] = "committed"]_vars
\* A view takes nothing away from who stays.
KeptStep == [][\A n \in members \intersect members' :
    /\ crt[n] = "committed" => crt'[n] = "committed"
    /\ crt[n] # "none" => crt'[n] # "none"]_vars
===============================================================================
