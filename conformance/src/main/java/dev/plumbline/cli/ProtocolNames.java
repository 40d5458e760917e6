package dev.plumbline.cli;

import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import java.util.Iterator;

/** The protocols that have machines, for help and completion. */
final class ProtocolNames implements Iterable<String> {
  /** What help says of an argument that names one. */
  static final String HELP = "one of ${COMPLETION-CANDIDATES}";

  @Override
  public Iterator<String> iterator() {
    return Protocols.all().stream().map(ProtocolSystem::name).iterator();
  }
}
