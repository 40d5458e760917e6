package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A copy of the toy protocol that a test may change. */
public final class ToyWorkspace {
  private static final Path FIXTURE = Path.of("src/test/resources");

  private ToyWorkspace() {}

  public static void copyTo(Path root) throws IOException {
    for (String part : List.of("specs", "docs")) {
      try (Stream<Path> files = Files.walk(FIXTURE.resolve(part))) {
        for (Path p : files.filter(Files::isRegularFile).toList()) {
          Path to = root.resolve(FIXTURE.relativize(p).toString());
          Files.createDirectories(to.getParent());
          Files.copy(p, to);
        }
      }
    }
  }

  public static void edit(Path root, String file, String from, String to) throws IOException {
    Path p = root.resolve("specs/toy").resolve(file);
    String text = Files.readString(p, StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    Files.writeString(p, text.replace(from, to), StandardCharsets.UTF_8);
  }
}
