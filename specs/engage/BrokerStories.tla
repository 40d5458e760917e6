----------------------------- MODULE BrokerStories -----------------------------
(***************************************************************************)
(* BrokerCausality where clients do one thing after the other, as told:    *)
(* enough to find a failure, not to show its absence.                      *)
(***************************************************************************)
EXTENDS MCBrokerCausality

\* Client c's operations so far are the first of the script, and none was held.
Plays(c, script) ==
  /\ \A r \in held : r.c # c
  /\ \A n \in DOMAIN hist[c] : <<hist[c][n].op, hist[c][n].obj>> = script[n]

\* B writes x, then y; A reads x twice.
ReaderStory == Plays("A", <<<<"r", "x">>, <<"r", "x">>>>) /\ Plays("B", <<<<"w", "x">>, <<"w", "y">>>>)
\* B writes x and reads it again; A reads x, then writes y.
OthersStory == Plays("A", <<<<"r", "x">>, <<"w", "y">>>>) /\ Plays("B", <<<<"w", "x">>, <<"r", "x">>>>)
===============================================================================
