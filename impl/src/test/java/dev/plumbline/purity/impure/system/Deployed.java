package dev.plumbline.purity.impure.system;

/** Stands for what runs a protocol's machines: it is not held pure, and no machine may use it. */
public final class Deployed {
  private Deployed() {}

  /** A system clock. */
  public static long nanos() {
    return System.nanoTime();
  }
}
