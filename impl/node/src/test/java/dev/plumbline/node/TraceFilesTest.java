package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFilesTest {
  @TempDir Path folder;

  private static String line(int n) {
    return "{\"n\":" + n + ",\"node\":\"a\"}\n";
  }

  private long opened(String lastStep) throws IOException {
    try (TraceFiles files = new TraceFiles(folder, "a", 1_000, lastStep)) {
      return files.events();
    }
  }

  @Test
  void aFullFileIsFollowedByAnother() throws IOException {
    try (TraceFiles files = new TraceFiles(folder, "a", 50, "")) {
      for (int n = 1; n <= 5; n++) {
        files.write(line(n).getBytes(StandardCharsets.UTF_8));
      }
    }
    assertThat(folder.resolve("a.ndjson")).hasContent(line(1) + line(2));
    assertThat(folder.resolve("a.2.ndjson")).hasContent(line(3) + line(4));
    assertThat(folder.resolve("a.3.ndjson")).hasContent(line(5));
    assertThat(opened("")).isEqualTo(5);
  }

  @Test
  void aFolderThatCannotBeMadeIsSaidToBeTheTraces() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> new TraceFiles(file, "a", 1_000, ""))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("the folder of the trace, " + file, "cannot be made", "key trace");
  }

  @Test
  void aHalfLineIsCutOffAndAMissingStepAdded() throws IOException {
    Path file = folder.resolve("a.ndjson");
    Files.writeString(file, line(1) + "{\"n\":2,\"no");
    assertThat(opened(line(2) + line(3))).isEqualTo(3);
    assertThat(file).hasContent(line(1) + line(2) + line(3));
    assertThat(opened(line(2) + line(3))).as("it is there already").isEqualTo(3);
  }

  @Test
  void anEmptyLastFileGoesOnFromTheOneBefore() throws IOException {
    Files.writeString(folder.resolve("a.ndjson"), line(1) + line(2));
    Files.writeString(folder.resolve("a.2.ndjson"), "{\"n\":", StandardOpenOption.CREATE);
    assertThat(opened(line(2))).as("it is in the file before").isEqualTo(2);
    assertThat(folder.resolve("a.2.ndjson")).isEmptyFile();
    assertThat(opened(line(2) + line(3))).isEqualTo(3);
    assertThat(folder.resolve("a.2.ndjson")).hasContent(line(3));
  }

  @Test
  void withoutAFolderNothingIsWritten() throws IOException {
    try (TraceFiles files = new TraceFiles(null, "a", 50, line(1))) {
      files.write(line(1).getBytes(StandardCharsets.UTF_8));
      assertThat(files.events()).isZero();
    }
    assertThat(folder).isEmptyDirectory();
  }

  /** A step's line may hold much. */
  @Test
  void aLastLineMayBeLong() throws IOException {
    Path file = folder.resolve("a.ndjson");
    String rest = ",\"node\":\"" + "x".repeat(3 << 20) + "\"}\n";
    Files.writeString(file, line(1) + "{\"n\":2" + rest);
    assertThat(opened("")).isEqualTo(2);
    Files.writeString(file, "{\"n\":3" + rest.substring(0, 2 << 20), StandardOpenOption.APPEND);
    assertThat(opened("")).as("half a line").isEqualTo(2);
    assertThat(file).hasSize((line(1) + "{\"n\":2" + rest).length());
  }
}
