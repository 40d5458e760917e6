package dev.plumbline.parts;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of several machines that share a run's parts. Who does what follows from the parts' content
 * and from what they cost the last time, so that machines with the same files agree without a word.
 *
 * @param index from 1
 * @param run what the run was told besides, as far as its parts depend on it; equal for all shards
 */
public record Shard(int index, int count, String run) {
  /** A machine that does everything. */
  public static final Shard WHOLE = new Shard(1, 1);

  /** How many machines can share a run. */
  public static final int MOST = 9999;

  private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,3})/([1-9]\\d{0,3})");

  public Shard {
    if (index < 1 || index > count) {
      throw new IllegalArgumentException(
          "there is no shard " + index + " of " + count + ": use I/N with 1 <= I <= N");
    }
  }

  /** Of a run that was told nothing. */
  public Shard(int index, int count) {
    this(index, count, "");
  }

  /** The same share of a run. */
  public Shard of(String told) {
    return new Shard(index, count, told);
  }

  /** Reads {@code I/N}. */
  public static Shard parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException("\"" + text + "\" is no shard: use I/N, such as 2/7");
    }
    return new Shard(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
  }

  public boolean whole() {
    return count == 1;
  }

  /**
   * This machine's parts, in the order given. The dearest part goes first, each to the machine that
   * has least to do; where costs are equal the hash of the part's content decides.
   *
   * @param content names a part by what it depends on; no two parts have the same
   * @param cost what it took the last time in any unit, or less than 1 where nobody knows: then it
   *     counts as the median of those that are known
   */
  public <T> List<T> of(Collection<T> parts, Function<T, String> content, ToLongFunction<T> cost) {
    if (whole() || parts.isEmpty()) {
      return List.copyOf(parts);
    }
    Map<T, BigInteger> hashes = new HashMap<>();
    parts.forEach(p -> hashes.put(p, hash(content.apply(p))));
    List<Long> known = parts.stream().map(cost::applyAsLong).filter(c -> c > 0).sorted().toList();
    long median = known.isEmpty() ? 1 : known.get(known.size() / 2);
    Map<T, Long> costs = new HashMap<>();
    parts.forEach(p -> costs.put(p, cost.applyAsLong(p) > 0 ? cost.applyAsLong(p) : median));
    List<T> dearestFirst = new ArrayList<>(parts);
    dearestFirst.sort(
        Comparator.comparingLong((T p) -> costs.get(p)).reversed().thenComparing(hashes::get));
    // Where there is a remainder, different stages burden different machines with it.
    int first = hashes.get(dearestFirst.get(0)).mod(BigInteger.valueOf(count)).intValue();
    long[] load = new long[count];
    Set<T> mine = new HashSet<>();
    for (T part : dearestFirst) {
      int least = 0;
      for (int i = 1; i < count; i++) {
        least = load[i] < load[least] ? i : least;
      }
      load[least] += costs.get(part);
      if ((least + first) % count == index - 1) {
        mine.add(part);
      }
    }
    return parts.stream().filter(mine::contains).toList();
  }

  private static BigInteger hash(String text) {
    try {
      return new BigInteger(
          1, MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return index + "/" + count;
  }
}
