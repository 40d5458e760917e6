/** Specification to code: state graphs, corpora of behaviours, and their replay on machines. */
package dev.plumbline.graph;
