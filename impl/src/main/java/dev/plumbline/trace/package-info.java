/** The log of steps: one NDJSON file per node, in the format of {@code docs/trace-log.md}. */
package dev.plumbline.trace;
