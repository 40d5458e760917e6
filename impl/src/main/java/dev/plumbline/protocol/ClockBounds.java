package dev.plumbline.protocol;

/**
 * What a protocol assumes of clocks.
 *
 * @param epsilonMicros a TrueTime interval is at most twice this wide, microseconds
 * @param driftPpm an interval clock's rate is within 1 ± this many parts per million
 */
public record ClockBounds(long epsilonMicros, long driftPpm) {}
