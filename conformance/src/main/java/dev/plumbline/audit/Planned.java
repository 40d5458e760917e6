package dev.plumbline.audit;

/**
 * A stage of a lane of {@code ./plumb verify}.
 *
 * @param command without {@code ./plumb}
 * @param input a digest of all that its result depends on
 */
public record Planned(String protocol, String stage, String command, String input) {}
