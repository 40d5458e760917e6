package dev.plumbline.k2;

/**
 * A transaction as messages and write intents carry it.
 *
 * @param id unique name
 * @param coordinator the role that runs it
 * @param incarnation the fencing epoch of the coordinator that runs it
 * @param ts its timestamp
 */
public record Txn(String id, String coordinator, long incarnation, Timestamp ts) {

  /** Stands for the writer of initial values. */
  public static final Txn NONE = new Txn("NoTxn", "", 0, Timestamp.ZERO);
}
