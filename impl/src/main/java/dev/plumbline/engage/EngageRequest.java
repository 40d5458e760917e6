package dev.plumbline.engage;

import java.util.List;

/** What clients ask of a cloudlet (section III-D). */
public sealed interface EngageRequest {
  String session();

  String object();

  List<String> asks();

  Token token();

  /**
   * A client's clocks.
   *
   * @param cluster whose clocks they are
   * @param sent whether the client sends them; else they are zeros
   * @param read the past of what it read
   * @param write the updates that it made
   * @param tag what these are tagged with (repair keepTag)
   * @param seals for each cloudlet the seal of the largest of the three entries; empty where that
   *     is 0
   */
  record Token(
      long cluster,
      boolean sent,
      VectorClock read,
      VectorClock write,
      VectorClock tag,
      List<String> seals) {
    public Token {
      seals = List.copyOf(seals);
    }

    /** All that the clocks name. */
    VectorClock named() {
      return read.max(write).max(tag);
    }
  }

  /**
   * Reads an object.
   *
   * @param session names the client; a client that did not get an answer goes on under another name
   * @param asks of RYW, MR, WFR, MW
   */
  record Read(String session, String object, List<String> asks, Token token)
      implements EngageRequest {}

  /** Writes an object. */
  record Write(String session, String object, String value, List<String> asks, Token token)
      implements EngageRequest {}
}
