/** Counterexamples for readers: columns, space-time diagrams, a page that steps through one. */
package dev.plumbline.explain;
