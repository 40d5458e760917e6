package dev.plumbline.parts;

/** A share that a whole stage must reach, of which each machine knows its own count. */
public record Share(String name, int least, long some, long all) {
  public boolean met() {
    return all == 0 || 100.0 * some / all >= least;
  }

  Share plus(Share other) {
    return new Share(name, least, some + other.some, all + other.all);
  }
}
