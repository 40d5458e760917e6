package dev.plumbline.engage.system;

import dev.plumbline.engage.Seals;
import dev.plumbline.protocol.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA-256 under a secret of the cluster's nodes, cut to 96 bits: whoever guesses has to ask a
 * cloudlet each time.
 */
final class HmacSeals implements Seals {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int BYTES = 12;

  private final Mac mac;
  private final long cluster;

  HmacSeals(Secret secret, long cluster) {
    this.cluster = cluster;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.bytes(), ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is in every JDK", e);
    }
  }

  @Override
  public String of(String cloudlet, long number) {
    String made = cluster + " " + number + " " + cloudlet;
    return Base64.getUrlEncoder()
        .encodeToString(Arrays.copyOf(digest(made.getBytes(StandardCharsets.UTF_8)), BYTES));
  }

  /** A configuration may be shared by threads; a Mac is for one. */
  private synchronized byte[] digest(byte[] text) {
    return mac.doFinal(text);
  }

  @Override
  public boolean genuine(String cloudlet, long number, String seal) {
    return MessageDigest.isEqual(
        of(cloudlet, number).getBytes(StandardCharsets.UTF_8),
        seal.getBytes(StandardCharsets.UTF_8));
  }
}
