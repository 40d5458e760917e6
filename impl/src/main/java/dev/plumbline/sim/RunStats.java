package dev.plumbline.sim;

import java.util.SortedMap;

/**
 * Counts of a run.
 *
 * @param steps inputs handled by machines
 * @param messages messages between nodes
 * @param virtualMicros length in virtual time
 * @param committed transactions, final reads included
 * @param clientsCommitted of those, what the workload's clients ran: no set-up, no final read
 * @param aborted transactions
 * @param unknown transactions
 * @param faults faults that took effect, by kind
 * @param actions trace events by action; empty if not traced
 */
public record RunStats(
    long steps,
    long messages,
    long virtualMicros,
    long committed,
    long clientsCommitted,
    long aborted,
    long unknown,
    SortedMap<String, Long> faults,
    SortedMap<String, Long> actions) {}
