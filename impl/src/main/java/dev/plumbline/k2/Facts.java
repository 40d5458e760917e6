package dev.plumbline.k2;

import java.util.Map;
import java.util.TreeMap;

/** Values of the trace log in the specifications' terms. */
final class Facts {
  static final String NO_KEY = "NoKey";

  private Facts() {}

  static String key(long key) {
    return "k" + key;
  }

  /** A message of {@code Mvto}. */
  static Map<String, String> message(String type, String txn, String key, String value, String s) {
    Map<String, String> message = new TreeMap<>();
    message.put("type", type);
    message.put("t", txn);
    message.put("k", key);
    message.put("v", value);
    message.put("s", s);
    return message;
  }

  static Map<String, Map<String, String>> m(String type, String txn, String key) {
    return m(type, txn, key, Txn.NONE.id(), "");
  }

  static Map<String, Map<String, String>> m(
      String type, String txn, String key, String value, String s) {
    return Map.of("m", message(type, txn, key, value, s));
  }

  /** The arguments of an action that gives a transaction its timestamp. */
  static Map<String, Object> begin(String parameter, String txn, Timestamp ts) {
    Map<String, Object> args = new TreeMap<>();
    args.put(parameter, txn);
    args.put("n", ts.micros());
    args.put("oracle", ts.oracle());
    args.put("coordinator", ts.coordinator());
    args.put("incarnation", ts.incarnation());
    return args;
  }
}
