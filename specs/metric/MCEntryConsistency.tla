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
===============================================================================
