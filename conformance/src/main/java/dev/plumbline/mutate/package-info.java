/**
 * Mutants of specifications and machines: which property kills each, and which survive. How to read
 * the result: docs/mutation.md.
 */
package dev.plumbline.mutate;
