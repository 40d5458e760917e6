package dev.plumbline.protocol;

import java.util.List;

/** Finds protocols and seeded bugs on a class path. */
public final class Protocols {
  private Protocols() {}

  /** All protocols, by name. */
  public static List<ProtocolSystem> all() {
    return Services.all(ProtocolSystem.class).stream()
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .toList();
  }

  /** No protocol on the class path has the name; the message lists those there are. */
  public static final class Unknown extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unknown(String name) {
      super(
          "no protocol \""
              + name
              + "\""
              + Near.hint(name, names())
              + " there are "
              + String.join(", ", names()));
    }

    private static List<String> names() {
      return all().stream().map(ProtocolSystem::name).toList();
    }
  }

  /**
   * The protocol of that name.
   *
   * @throws Unknown if there is none
   */
  public static ProtocolSystem named(String name) {
    return all().stream()
        .filter(protocol -> protocol.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new Unknown(name));
  }

  /** A protocol's seeded bugs that {@code loader} can see, by name. */
  public static List<SeededBug> bugs(String protocol, ClassLoader loader) {
    return Services.all(SeededBug.class, loader).stream()
        .filter(bug -> bug.protocol().equals(protocol))
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .toList();
  }
}
