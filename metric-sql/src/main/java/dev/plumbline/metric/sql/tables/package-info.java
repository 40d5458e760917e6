/**
 * Which tables a statement reads and writes. What cannot be determined is refused by name; nothing
 * is guessed.
 */
package dev.plumbline.metric.sql.tables;
