-------------------------- MODULE MCEntryConsistency --------------------------
\* Bounds EntryConsistency: how many lock references and operations there are.
EXTENDS EntryConsistency

CONSTANTS
  \* Highest lock reference.
  \* @type: Int;
  MaxRefs,
  \* Highest number of critical gets and puts together.
  \* @type: Int;
  MaxOps

Bound == lastRef <= MaxRefs /\ Len(hist) <= MaxOps

\* A get of client 1, a put of client 2, another get: one story in many, which a search of all doesn't reach.
OneStory ==
  /\ \A i \in DOMAIN hist : IsPut(i) = (i = 2)
  /\ \A c \in Clients : op[c].kind # "none" /\ op[c].id # 0 => c = 2 - (op[c].id % 2)
  /\ lastRef <= 1 => ~forced \/ Len(hist) = 1
  /\ Bound

===============================================================================
