package dev.plumbline.history;

import com.fasterxml.jackson.core.JsonProcessingException;

/** What is wrong with a text that should be JSON, for people. */
public final class JsonFault {
  private JsonFault() {}

  /** The parser's message without its words on where an open bracket stands. */
  public static String words(JsonProcessingException e) {
    return e.getOriginalMessage().replaceAll(" \\(start marker at \\[Source: .*?\\]\\)", "");
  }
}
