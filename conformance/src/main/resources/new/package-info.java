/**
 * A primary with a remote log: machines as {@code RemoteLog} specifies them. They are pure: no
 * thread, no I/O, no clock of the system, no randomness.
 */
package ${package};
