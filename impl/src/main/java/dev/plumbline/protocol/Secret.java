package dev.plumbline.protocol;

import java.util.HexFormat;

/**
 * What the nodes of a cluster know and its clients do not.
 *
 * @param hex two digits a byte
 */
public record Secret(String hex) {
  private static final int BYTES = 32;

  /** Where there is nobody to keep one from: everybody knows this one. */
  public static final Secret NONE = new Secret("00".repeat(BYTES));

  /**
   * @throws IllegalArgumentException if it is too short, or no hexadecimal number
   */
  public Secret {
    if (!hex.matches("([0-9a-f]{2}){" + BYTES + ",}")) {
      throw new IllegalArgumentException(
          "a secret is " + 2 * BYTES + " hexadecimal digits or more, an even number of them");
    }
  }

  public byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  /** It is in no log. */
  @Override
  public String toString() {
    return "Secret";
  }
}
