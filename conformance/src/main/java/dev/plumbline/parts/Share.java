package dev.plumbline.parts;

/** A share that a whole stage must reach, of which each machine knows its own count. */
public record Share(String name, int least, long some, long all) {
  public boolean met() {
    return all == 0 || 100.0 * some / all >= least;
  }

  /** Of two runs of one shard the one that got further; of equal ones the worse. */
  Share fuller(Share other) {
    boolean more = all != other.all ? all > other.all : some < other.some;
    return more ? this : other;
  }

  Share plus(Share other) {
    return new Share(name, least, some + other.some, all + other.all);
  }
}
