package dev.plumbline.sim;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** A digest of everything that a run gave; as a program, prints that of a seed. */
final class Fingerprint {
  private Fingerprint() {}

  static String of(RunResult result) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    digest.update(result.history().ops().toString().getBytes(StandardCharsets.UTF_8));
    digest.update(result.plan().toJson().getBytes(StandardCharsets.UTF_8));
    digest.update(result.stats().toString().getBytes(StandardCharsets.UTF_8));
    for (Map.Entry<String, byte[]> log : result.traces().entrySet()) {
      digest.update(log.getKey().getBytes(StandardCharsets.UTF_8));
      digest.update(log.getValue());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  public static void main(String[] args) {
    RunConfig config =
        SimulationRunTest.config(Long.parseLong(args[0]), "list-append", Optional.empty());
    System.out.println(of(SimulationRun.of(config)));
  }
}
