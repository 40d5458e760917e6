/** One run's work as parts, which machines share, and the parts of many machines as one report. */
package dev.plumbline.parts;
