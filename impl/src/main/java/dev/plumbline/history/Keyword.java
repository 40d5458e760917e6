package dev.plumbline.history;

/** A key that EDN writes as {@code :name}. JSON has no such thing and writes the bare name. */
public record Keyword(String name) {
  @Override
  public String toString() {
    return ":" + name;
  }
}
