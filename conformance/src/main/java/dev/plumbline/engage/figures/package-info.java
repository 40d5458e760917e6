/** What {@code ./plumb bench engage} measures and draws. */
package dev.plumbline.engage.figures;
