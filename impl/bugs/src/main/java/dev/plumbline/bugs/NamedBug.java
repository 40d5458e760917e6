package dev.plumbline.bugs;

import dev.plumbline.protocol.SeededBug;

/** What every seeded bug says of itself. */
public abstract class NamedBug implements SeededBug {
  private final String protocol;
  private final String name;
  private final String description;

  protected NamedBug(String protocol, String name, String description) {
    this.protocol = protocol;
    this.name = name;
    this.description = description;
  }

  @Override
  public final String protocol() {
    return protocol;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String description() {
    return description;
  }
}
