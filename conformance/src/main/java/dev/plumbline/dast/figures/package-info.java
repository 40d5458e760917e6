/** What {@code ./plumb bench dast} measures and draws. */
package dev.plumbline.dast.figures;
