/** What {@code ./plumb bench metric} measures and draws, simulated and over processes. */
package dev.plumbline.metric.figures;
