package dev.plumbline.sim;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Finds protocols and seeded bugs on a class path. */
public final class Protocols {
  private Protocols() {}

  /** All protocols, by name. */
  public static List<ProtocolSystem> all() {
    return StreamSupport.stream(ServiceLoader.load(ProtocolSystem.class).spliterator(), false)
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .toList();
  }

  /** The protocol of that name. */
  public static ProtocolSystem named(String name) {
    return all().stream()
        .filter(protocol -> protocol.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no protocol \""
                        + name
                        + "\"; there are "
                        + all().stream()
                            .map(ProtocolSystem::name)
                            .collect(Collectors.joining(", "))));
  }

  /** A protocol's seeded bugs that {@code loader} can see, by name. */
  public static List<SeededBug> bugs(String protocol, ClassLoader loader) {
    return StreamSupport.stream(ServiceLoader.load(SeededBug.class, loader).spliterator(), false)
        .filter(bug -> bug.protocol().equals(protocol))
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .toList();
  }
}
