package dev.plumbline.metric;

import java.util.List;

/**
 * The name of a redo-log entry: the time that its maker's clock showed, and the maker.
 *
 * @param time of the site's clock, later than in any before; 0 for the entries of initialization
 * @param site the maker's number; in an entry of initialization the table's
 */
public record Uuid(long time, long site) implements Comparable<Uuid> {

  @Override
  public int compareTo(Uuid other) {
    return time != other.time ? Long.compare(time, other.time) : Long.compare(site, other.site);
  }

  /** As the specifications write it. */
  public List<Long> words() {
    return List.of(time, site);
  }

  @Override
  public String toString() {
    return time + "." + site;
  }
}
