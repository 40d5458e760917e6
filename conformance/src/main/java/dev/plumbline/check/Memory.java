package dev.plumbline.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files of the cache: a text and a closing line with the hash of it and of its file's name, so that
 * an entry which a disk, a copy or a hand has changed or moved counts as absent. The cache may be
 * shared by machines or restored.
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
      return hash(file, text).equals(m.group(1)) ? text : null;
    } catch (CharacterCodingException | NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void write(Path file, String text) {
    Workspace.writeWhole(file, text + "\n# sha256 " + hash(file, text) + "\n");
  }

  /** Of a text under its name: what a file of the cache says is true of nothing else. */
  private static String hash(Path file, String text) {
    Path absolute = file.toAbsolutePath().normalize();
    String named = absolute.getParent().getFileName() + "/" + absolute.getFileName() + "\n" + text;
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(named.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
