package dev.plumbline.k2;

import java.util.Map;
import java.util.TreeMap;

/** Messages, keys and timestamps in the specifications' terms, with the machines' names. */
public final class Words {
  public static final String NO_KEY = "NoKey";

  private Words() {}

  public static String key(long key) {
    return "k" + key;
  }

  /** A message of {@code Mvto}; null where it is none. */
  public static Map<String, String> message(K2Message message) {
    if (message instanceof K2Message.Read m) {
      return message("read", m.txn().id(), key(m.key()), Txn.NONE.id(), "");
    } else if (message instanceof K2Message.ReadReply m) {
      return message("readReply", m.txn(), key(m.key()), m.writer(), "");
    } else if (message instanceof K2Message.Write m) {
      return message("write", m.txn().id(), key(m.key()), Txn.NONE.id(), "");
    } else if (message instanceof K2Message.WriteReply m) {
      String s = m.ok() ? "ok" : "refused";
      return message("writeReply", m.txn(), key(m.key()), Txn.NONE.id(), s);
    } else if (message instanceof K2Message.Commit m) {
      return message("commit", m.txn().id(), key(m.first()), Txn.NONE.id(), "");
    } else if (message instanceof K2Message.Abort m) {
      return message("abort", m.txn().id(), key(m.first()), Txn.NONE.id(), "");
    } else if (message instanceof K2Message.Decision m) {
      return message("decision", m.txn(), NO_KEY, Txn.NONE.id(), outcome(m.committed()));
    } else if (message instanceof K2Message.Finalize m) {
      return decided("finalize", m.txn(), m.key(), m.committed());
    } else if (message instanceof K2Message.Push m) {
      return message("push", m.txn().id(), key(m.key()), Txn.NONE.id(), "");
    } else if (message instanceof K2Message.PushReply m) {
      return decided("pushReply", m.txn(), m.key(), m.committed());
    }
    return null;
  }

  private static Map<String, String> decided(String type, Txn txn, long key, boolean committed) {
    return message(type, txn.id(), key(key), Txn.NONE.id(), outcome(committed));
  }

  private static String outcome(boolean committed) {
    return committed ? "committed" : "aborted";
  }

  private static Map<String, String> message(
      String type, String txn, String key, String value, String s) {
    Map<String, String> message = new TreeMap<>();
    message.put("type", type);
    message.put("t", txn);
    message.put("k", key);
    message.put("v", value);
    message.put("s", s);
    return message;
  }

  /** The arguments of an action that handles a message. */
  static Map<String, Map<String, String>> m(K2Message message) {
    return Map.of("m", message(message));
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
