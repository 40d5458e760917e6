package dev.plumbline.cluster;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network of IPv4 addresses.
 *
 * @param base its first address, as a number
 * @param length of the prefix, bits
 */
record Subnet(long base, int length) {
  static final int BITS = 32;
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})(?:/(\\d{1,2}))?");
  private static final int OCTET = 256;

  /**
   * Reads {@code 192.0.2.0/24}; without a length it is one address.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  static Subnet of(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw wrong(text);
    }
    int length = m.group(5) == null ? BITS : Integer.parseInt(m.group(5));
    long address = 0;
    for (int i = 1; i <= 4; i++) {
      int octet = Integer.parseInt(m.group(i));
      if (octet >= OCTET || length > BITS) {
        throw wrong(text);
      }
      address = address * OCTET + octet;
    }
    return new Subnet(address - address % size(length), length);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException("no IPv4 network: " + text + "; such as 192.0.2.0/24");
  }

  private static long size(int length) {
    return 1L << (BITS - length);
  }

  long size() {
    return size(length);
  }

  boolean overlaps(Subnet other) {
    return base < other.base + other.size() && other.base < base + size();
  }

  /** The address so many after the first. */
  String address(long number) {
    long a = base + number;
    return String.format(
        Locale.ROOT,
        "%d.%d.%d.%d",
        a >> 24 & OCTET - 1,
        a >> 16 & OCTET - 1,
        a >> 8 & OCTET - 1,
        a & OCTET - 1);
  }

  @Override
  public String toString() {
    return address(0) + "/" + length;
  }
}
