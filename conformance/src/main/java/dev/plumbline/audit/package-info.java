/** From a claim to its evidence: one graph of what the project knows, its gate, and its pages. */
package dev.plumbline.audit;
