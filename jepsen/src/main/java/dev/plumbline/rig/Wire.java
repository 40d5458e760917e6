package dev.plumbline.rig;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import dev.plumbline.machine.Message;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Frames: a length of four bytes and as many bytes of JSON. */
final class Wire {
  private static final int LARGEST = 16 << 20;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .setSerializationInclusion(JsonInclude.Include.NON_NULL)
          .setPolymorphicTypeValidator(
              BasicPolymorphicTypeValidator.builder()
                  .allowIfSubType("dev.plumbline.")
                  .allowIfSubType("java.util.")
                  .build())
          .addMixIn(Message.class, Typed.class)
          .addMixIn(Record.class, Typed.class);

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS, property = "@")
  private interface Typed {}

  /**
   * What is sent. Of the parts that a kind does not need, numbers are 0 and the rest is null.
   *
   * @param kind hello, message, request, reply, admin or report
   * @param node the sender
   * @param number of the message, or of the request
   * @param from the sending role
   * @param to the receiving role
   * @param body the message, request, response or command
   */
  record Frame(String kind, String node, long number, String from, String to, JsonNode body) {}

  private Wire() {}

  static JsonNode json(Object value) {
    return JSON.valueToTree(value);
  }

  static <T> T read(JsonNode json, Class<T> type) throws IOException {
    return JSON.treeToValue(json, type);
  }

  static byte[] bytes(Object value) throws IOException {
    return JSON.writeValueAsBytes(value);
  }

  static JsonNode parse(byte[] bytes, int from, int length) throws IOException {
    return JSON.readTree(bytes, from, length);
  }

  static byte[] encode(String kind, String node, long number, String from, String to, Object body)
      throws IOException {
    var o = JSON.createObjectNode().put("kind", kind).put("node", node).put("number", number);
    o.put("from", from).put("to", to).set("body", json(body));
    return JSON.writeValueAsBytes(o);
  }

  static void write(DataOutputStream out, byte[] frame) throws IOException {
    out.writeInt(frame.length);
    out.write(frame);
    out.flush();
  }

  static Frame read(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > LARGEST) {
      throw new IOException("a frame of " + length + " bytes");
    }
    JsonNode o = JSON.readTree(in.readNBytes(length));
    return new Frame(
        o.path("kind").asText(),
        o.path("node").asText(),
        o.path("number").asLong(),
        o.path("from").asText(),
        o.path("to").asText(),
        o.get("body"));
  }
}
