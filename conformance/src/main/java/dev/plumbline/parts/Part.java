package dev.plumbline.parts;

/**
 * One part of a run and how it ended.
 *
 * @param name unique in its stage
 * @param verdict the stage's own word, such as killed or reached
 * @param detail why, where it does not hold
 * @param millis what it took
 */
public record Part(String name, Ending outcome, String verdict, String detail, long millis) {}
