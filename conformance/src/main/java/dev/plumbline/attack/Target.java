package dev.plumbline.attack;

import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What is attacked, and what can be seen of it. */
interface Target {

  /** Addresses, and the folder with the certificates. */
  NodeConfig config();

  /** A folder with the certificates of another authority. */
  Path strangers();

  /** The processes that ended. */
  List<String> dead();

  /** The most memory that any process has held so far, MiB. */
  long mostMib() throws IOException;

  /** The sum over all nodes of a counter's series that begin so. */
  long count(String series) throws IOException;

  /** What keeps an ordinary client from going on, or empty; it takes as long as that needs. */
  String clientStuck();
}
