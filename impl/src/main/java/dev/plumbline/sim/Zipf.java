package dev.plumbline.sim;

import java.util.SplittableRandom;

/** Draws from 0 to below {@code size}; {@code i} with a weight of 1 / (i + 1)^exponent. */
public final class Zipf {
  private final double[] cumulative;

  /**
   * @param exponent 0 for a uniform draw
   */
  public Zipf(int size, double exponent) {
    cumulative = new double[size];
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += 1 / Math.pow(i + 1, exponent);
      cumulative[i] = sum;
    }
  }

  public int next(SplittableRandom random) {
    int high = cumulative.length - 1;
    double point = random.nextDouble(cumulative[high]);
    int low = 0;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (cumulative[middle] > point) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
