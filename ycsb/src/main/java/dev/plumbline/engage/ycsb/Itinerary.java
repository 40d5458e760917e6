package dev.plumbline.engage.ycsb;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Where a mobile client's operations go: so many to the cloudlet that it prefers, then so many to
 * another one drawn at random, and back (the paper's Figures 5 and 9: 10 and 1, 95 and 5).
 */
final class Itinerary {
  private final String home;
  private final List<String> elsewhere;
  private final int localOps;
  private final int remoteOps;
  private final SplittableRandom random;
  private String at;
  private int done;

  /**
   * @param cloudlets all that there are
   * @param localOps before a client leaves, at least 1
   * @param remoteOps before it returns; 0: it never leaves
   */
  Itinerary(String home, List<String> cloudlets, int localOps, int remoteOps, long seed) {
    if (localOps < 1 || remoteOps < 0) {
      throw new IllegalArgumentException(
          "a client does 1 operation at home at least, and elsewhere 0 or more");
    }
    this.home = home;
    this.elsewhere = cloudlets.stream().filter(c -> !c.equals(home)).toList();
    this.localOps = localOps;
    this.remoteOps = elsewhere.isEmpty() ? 0 : remoteOps;
    random = new SplittableRandom(seed);
    at = home;
  }

  /** The cloudlet for the next operation. */
  String next() {
    if (remoteOps > 0 && done == localOps) {
      at = draw(elsewhere);
    } else if (done >= localOps + remoteOps) {
      at = home;
      done = 0;
    }
    done++;
    return at;
  }

  String draw(List<String> some) {
    return some.get(random.nextInt(some.size()));
  }
}
