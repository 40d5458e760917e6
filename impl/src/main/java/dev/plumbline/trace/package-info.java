/** The log of steps: one NDJSON file per node, in the format of {@code docs/architecture.md}. */
package dev.plumbline.trace;
