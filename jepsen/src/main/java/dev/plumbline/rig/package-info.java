/**
 * A plain host for the protocol machines, one process for each role: blocking sockets, a synced log
 * file, the machine's monotonic clock, and a port through which the suites bring faults about. It
 * has no security, and is for the suites' own networks only.
 */
package dev.plumbline.rig;
