package dev.plumbline.k2.binding;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.Binding;
import dev.plumbline.bind.Shape;
import dev.plumbline.bind.Sort;
import dev.plumbline.graph.Constants;
import dev.plumbline.graph.SpecAdapter;
import dev.plumbline.k2.K2Config;
import dev.plumbline.k2.system.K2System;
import dev.plumbline.protocol.SeededBug;
import dev.plumbline.protocol.Settings;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How {@code EpochVisibility} reads in the terms of K2's coordinators, data nodes (with their
 * recorders) and replicas.
 */
final class EpochVisibilityBinding extends Binding {
  static final String PREFIX = "EpochVisibility.";
  static final String RECOVER = "Mvto.RecoverDataNode";

  /** Words retired between two rounds of forgetting. */
  static final int ROUND = 32;

  static final Sort TXN = Sort.reused("transaction", "transactions", null, ROUND + 16);
  static final Sort READER =
      Sort.reused("reader", "readers", null, ROUND + 16, n -> Term.of(-n.json().intValue()));

  /** A transaction or a reader. */
  static final Sort WHO = Sort.own("transaction", "NoTxn");

  static final Sort KEY = Sort.listed("key", "NoKey");

  final K2Config config;

  EpochVisibilityBinding(Settings settings) {
    super("EpochVisibility", "specs/k2", settings);
    begins("timer", "Begin", "BeginLinearizable");
    begins("request", "BeginSnapshot");
    config = new K2System().config(settings);
    names(WHO, "t", "r", "w", "v", "writer");
    names(KEY, "k", "first");
    names(Shape.set(KEY), "writes");
    names(Shape.set(Shape.tuple(KEY, WHO)), "reads");
    names(Shape.set(Shape.PLAIN), "versions");
    names(Shape.SMALL, "record");
    shown("first");
    handles("PrimaryRead", "PrimaryWrite", "Commit");
    argument("t", e -> message(e, "t"));
    argument("k", e -> message(e, "k"));
    argument("w", e -> message(e, "v"));
    if (!settings.asPublished().contains(K2Config.TRACK_AT_REPLY)) {
      also("Mvto.HandleRead", "", "Ask");
    }
    also("Mvto.IssueWrite", "", "First");
    also("Mvto.HandleReadReply", "", "Returned");
    also(RECOVER, "", "Recover");
    constant("Old", 0);
    constant("Next", "<- Shown");
    constant("NoTxn", "NoTxn");
    constant("NoKey", "NoKey");
    repairs(K2Config.CLOSE_EPOCHS);
    forgotten("told", Term.sequence(List.of()));
    probes(Set.of(), Set.of("Cut", "Replay", "ReplicaRead", "Tell"));
    given("now", "real time, which no server reads");
    given("seen", "what a client knew when it began; no machine tells clients apart");
    ghost("told", "the order over all coordinators; that a client is told is the machine's doing");
    ghost("txn.phase", "done where a coordinator is lost, and snapshot: its client's choice");
    readBy((log, room) -> new EpochVisibilityReading(this, log, room));
  }

  /** A field of the message that an event of {@code Mvto} handles. */
  private static Object message(TraceEvent e, String field) {
    JsonNode m = e.args().get("m");
    return m == null ? null : m.path(field);
  }

  @Override
  protected SpecAdapter world(Constants model, Optional<SeededBug> bug) {
    return new EpochVisibilityWorld(this, model, bug);
  }
}
