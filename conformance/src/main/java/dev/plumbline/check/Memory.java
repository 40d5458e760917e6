package dev.plumbline.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files of the cache: a text and a closing line with its hash, so that an entry which a disk, a
 * copy or a hand has changed counts as absent. The cache may be shared by machines or restored.
 */
public final class Memory {
  private static final Pattern CLOSING = Pattern.compile("\n# sha256 ([0-9a-f]{64})\n\\z");

  private Memory() {}

  /** What was written there; null if there is nothing, or something else than what was written. */
  public static String read(Path file) {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    try {
      String all = Files.readString(file, StandardCharsets.UTF_8);
      Matcher m = CLOSING.matcher(all);
      if (!m.find()) {
        return null;
      }
      String text = all.substring(0, m.start());
      return hash(text).equals(m.group(1)) ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void write(Path file, String text) {
    Workspace.writeWhole(file, text + "\n# sha256 " + hash(text) + "\n");
  }

  private static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
