package dev.plumbline.cli;

import dev.plumbline.cluster.StorePlan;
import picocli.CommandLine.Option;

/** Where the nodes of a cluster keep their logs. */
final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "STORE",
      description =
          "where nodes keep what they must not forget: rocksdb (in their folders, the default);"
              + " cassandra (a Cassandra 5 of its own for each region, which goes down with the"
              + " cluster); cassandra=HOST:PORT[,...][/KEYSPACE] (one that runs; with --loopback)."
              + " With parameters that have nodes reach a database by themselves, it is that"
              + " database: cassandra is then one ring with a node in each region"
              + " (docs/cassandra.md)")
  private String store;

  /** As it was given; null for RocksDB. */
  String text() {
    return store;
  }

  /**
   * What a cluster is to use.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  StorePlan plan() {
    return StorePlan.parse(store, Places.root().toAbsolutePath());
  }
}
