package dev.plumbline.metric;

/** The handler that a Metric process runs next. */
public enum Phase {
  IDLE("idle", "idle"),
  QUERY("query", "own"),
  CREATE("create", "own"),
  LOCK_NEW("lockNew", "own"),
  LOOP("loop", "own"),
  LOCK_DIRECTORY("lockDir", "own"),
  LOCK_FOUND("lockFound", "own"),
  ADD("add", "own"),
  ADDING("adding", "own"),
  POINT("point", "own"),
  POINTING("pointing", "own"),
  /** The redo log is read. */
  READ("populate", "populate"),
  POPULATE("populate", "populate"),
  EXECUTE("execute", "execute"),
  CHECK("commit", "check"),
  /** A site leads the transaction. */
  LED("execute", "execute"),
  /** The redo log is read for a site. */
  LED_READ("execute", "execute"),
  LOCAL_COMMIT("commit", "localCommit"),
  APPEND("commit", "append"),
  APPENDING("commit", "appending"),
  CLEAR("idle", "clear"),
  REPLY("idle", "reply");

  private final String ownership;
  private final String redoLog;

  Phase(String ownership, String redoLog) {
    this.ownership = ownership;
    this.redoLog = redoLog;
  }

  /** What the module {@code Ownership} calls it. */
  public String ownership() {
    return ownership;
  }

  /** What the module {@code RedoLog} calls it. */
  public String redoLog() {
    return redoLog;
  }
}
