package dev.plumbline.mutate;

import dev.plumbline.protocol.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;

/**
 * Logs that every trace model accepted. A mutant's run that leaves the very logs of an earlier run
 * need not be validated again: the verdict depends on the logs and the settings alone. Kept in the
 * folder that the system property {@code plumb.accepted} names, where the processes of one mutation
 * run meet; without it nothing is remembered.
 */
final class AcceptedLogs {
  private static final String FOLDER = System.getProperty("plumb.accepted");

  private final Path file;

  /**
   * @param traces each node's log
   */
  AcceptedLogs(Settings settings, SortedMap<String, byte[]> traces) {
    file = FOLDER == null ? null : Path.of(FOLDER).resolve(hash(settings, traces));
  }

  /** Whether these logs were accepted before. */
  boolean known() {
    return file != null && Files.exists(file);
  }

  /** They are accepted. */
  void remember() {
    if (file != null) {
      try {
        Files.write(file, new byte[0]);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static String hash(Settings settings, SortedMap<String, byte[]> traces) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(settings.toString().getBytes(StandardCharsets.UTF_8));
      traces.forEach(
          (node, log) -> {
            digest.update((node + " " + log.length + "\n").getBytes(StandardCharsets.UTF_8));
            digest.update(log);
          });
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
