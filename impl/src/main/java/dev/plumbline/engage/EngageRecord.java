package dev.plumbline.engage;

/** What the machines keep on disk: what happened to them, in order. */
public final class EngageRecord {
  private EngageRecord() {}

  /** A cloudlet made an update. */
  public record Wrote(Update update) {}

  /** A numbered message was handled. */
  public record Took(String from, EngageMessage message) {}

  /** A cloudlet executed an update that waited. */
  public record Executed(String source, long number) {}

  /** A flush was sent. */
  public record Flushed(String to) {}

  /** The node started again without what it kept in memory alone. */
  public record Forgot(long epoch) {}

  /** The node joined a new tree. */
  public record Planted(long tree) {}
}
