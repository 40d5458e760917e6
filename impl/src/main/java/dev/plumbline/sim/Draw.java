package dev.plumbline.sim;

/**
 * Random numbers that depend only on what they are for. Because a message's draws do not depend on
 * how many draws came before, taking a fault out of a plan leaves the other messages' fates alone.
 */
final class Draw {
  private Draw() {}

  /** 64 mixed bits of a seed, a subject and a purpose (the finalizer of SplitMix64). */
  static long bits(long seed, long subject, long purpose) {
    return mix(mix(mix(seed) + subject * 0x9E3779B97F4A7C15L) + purpose * 0xD1B54A32D192ED03L);
  }

  /** A number in [0, bound). */
  static long below(long bits, long bound) {
    return bound <= 0 ? 0 : Math.floorMod(bits >>> 1, bound);
  }

  private static long mix(long bits) {
    long z = bits + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
