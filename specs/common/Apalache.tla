------------------------------ MODULE Apalache ------------------------------
(* What TLA+'s parser has to know of the module that Apalache brings along and reads instead. *)

\* Any value of the type that is expected here, its sets and functions of at most n elements.
\* Nothing that TLC evaluates uses it.
\* @type: (Int) => a;
Gen(n) == {}
=============================================================================
