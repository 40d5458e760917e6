package dev.plumbline.protocol;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How a protocol is configured for a run.
 *
 * @param clocks the bounds that the machines may assume
 * @param asPublished published behaviours switched on in place of their repairs
 * @param parameters protocol parameters by name, such as {@code ttlMicros}; absent ones have the
 *     protocol's defaults
 * @param deployment the text that says who is where, for a protocol that takes one; else empty
 * @param secret what nodes know and clients do not, for a protocol that takes one
 */
public record Settings(
    ClockBounds clocks,
    SortedSet<String> asPublished,
    SortedMap<String, Long> parameters,
    String deployment,
    Secret secret) {

  /** No secret. */
  public Settings(
      ClockBounds clocks,
      SortedSet<String> asPublished,
      SortedMap<String, Long> parameters,
      String deployment) {
    this(clocks, asPublished, parameters, deployment, Secret.NONE);
  }

  /** The protocol's own deployment, and no secret. */
  public Settings(
      ClockBounds clocks, SortedSet<String> asPublished, SortedMap<String, Long> parameters) {
    this(clocks, asPublished, parameters, "");
  }

  /** The repaired protocol with default parameters. */
  public static Settings repaired(ClockBounds clocks) {
    return new Settings(clocks, new TreeSet<>(), new TreeMap<>());
  }

  /** The same, with what nodes know and clients do not. */
  public Settings with(Secret nodes) {
    return new Settings(clocks, asPublished, parameters, deployment, nodes);
  }

  public boolean asPublished(String behaviour) {
    return asPublished.contains(behaviour);
  }

  public long parameter(String name, long otherwise) {
    return parameters.getOrDefault(name, otherwise);
  }

  /**
   * A parameter that counts something.
   *
   * @throws IllegalArgumentException if it is not from 1 to the most that makes sense
   */
  public int count(String name, int otherwise, int most) {
    return (int) bounded(name, otherwise, 1, most);
  }

  /**
   * A parameter that says how far away something is.
   *
   * @throws IllegalArgumentException if it is negative, or more than a deployment's text may say
   */
  public long latency(String name, long otherwise) {
    return bounded(name, otherwise, 0, 999_999_999);
  }

  private long bounded(String name, long otherwise, long least, long most) {
    long value = parameter(name, otherwise);
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + "; it is from " + least + " to " + most);
    }
    return value;
  }
}
