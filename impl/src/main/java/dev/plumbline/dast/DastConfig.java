package dev.plumbline.dast;

/**
 * Periods of the protocol, microseconds.
 *
 * @param tellMicros a process tells its region its clock this often
 * @param resendMicros what was not answered is sent again after this long
 * @param rttMicros a manager's estimate of a round trip before it measured one
 * @param follow whether the repair Follow is on
 * @param vote whether the repair Vote is on
 */
public record DastConfig(
    long tellMicros, long resendMicros, long rttMicros, boolean follow, boolean vote) {}
