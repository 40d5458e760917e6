------------------------ MODULE MCParticipantFailover ------------------------
(* Bounds for checking ParticipantFailover: one member is gone at a time. *)
EXTENDS ParticipantFailover, TLC

CONSTANTS
    \* Changes of the view.
    \* @type: Int;
    MaxViews

\* One member fails at a time: there are as many as at the start, or one less.
Bounded == view <= MaxViews /\ Cardinality(members) >= Cardinality(Member) - 1

\* A clock message is taken when it tells of a transaction or one waits for it: every behaviour has an equivalent one
\* like that.
LazyClocks == max' # max /\ members' = members =>
    \E n \in Node : max'[n] # max[n] /\ (irt'[n] # irt[n] \/ crt'[n] # crt[n] \/ Ready(n) # {})

\* The IRT begins, and clocks are told, in the last view: what was decided before may be lost by then.
Late == (stamped' # stamped \/ (max' # max /\ members' = members)) => view = MaxViews
LazyLate == LazyClocks /\ Late

\* Machines start a replica above the clocks of members, and of their manager.
LazyAbove == LazyClocks /\ \A n \in members' \ members : clock'[n] > 0 /\ \A x \in members : clock'[n] > clock[x]

\* The last reading is a new replica's.
Passed == LazyAbove /\ \A n \in Node : clock'[n] # clock[n] /\ members' = members => \E time \in Times : time > clock'[n]

\* For corpora: the added node alone executes, and hears of clocks at the last reading; an IRT is told by its own message. Its
\* clock starts below a CRT that waits (PassedCorpus has those above).
Corpus ==
    /\ LazyLate /\ LazyAbove
    /\ \A n \in members' \ members : crt'[n] = "prepared" => clock'[n] < CrtAt
    /\ \A n \in Member : log'[n] = log[n]
    /\ members' = members => \A x, n \in Node : max'[n][x] # max[n][x] =>
        n \in Spare /\ \A time \in Times : time <= max'[n][x]

\* For corpora: node 2 has the CRT before the view changes, the IRT's coordinator has passed it by then, and the rest comes
\* in the last view.
PassedCorpus ==
    /\ Passed
    /\ view' # view /\ view = 0 => crt[2] = "prepared" /\ stamped
    /\ view' # view => 3 \in members'
    /\ (votes' # votes \/ log' # log \/ decided' # decided) => view = MaxViews \/ (view = 0 /\ crt'[2] # crt[2])

\* For failures alone: nodes 2 and 3 vote and are removed, and nodes 4 and 5 get no message of the CRT.
ReplacedStory ==
    /\ LazyLate
    /\ \A n \in {4, 5} : crt'[n] = "none"
    /\ 4 \in members'
    /\ \A n \in {2, 3} : max'[n] = max[n] \/ members' # members
    /\ log'[2] = log[2] /\ log'[3] = log[3] /\ irt'[2] = irt[2] /\ irt'[3] = irt[3]
=============================================================================
