package dev.plumbline.k2;

import java.util.List;

/** Where keys live. */
public interface Placement {

  /** The data node, a role, that owns a key and records the transactions that write it first. */
  String home(long key);

  /** The role that serves a key to readers at replicas. */
  String replica(long key);

  /** The replicas of a data node. */
  List<String> replicasOf(String home);
}
