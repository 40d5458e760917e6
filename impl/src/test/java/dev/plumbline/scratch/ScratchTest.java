package dev.plumbline.scratch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchTest {
  @TempDir Path temp;

  private Path made(String name) throws IOException {
    Path folder = Files.createDirectories(temp.resolve(name));
    Files.writeString(folder.resolve("file"), "");
    return folder;
  }

  @Test
  void whatDeadProcessesLeftIsDeletedWhateverItWasFor() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    Path trace = made("plumb-trace-" + process.pid() + "-1");
    Path tlc = made("plumb-tlc-" + process.pid() + "-2");
    Path own = made("plumb-trace-" + ProcessHandle.current().pid() + "-3");
    Path other = made("plumb-trace-" + process.pid());
    Scratch.sweep(temp);
    assertThat(trace).doesNotExist();
    assertThat(tlc).doesNotExist();
    assertThat(own).exists();
    assertThat(other).exists();
  }

  @Test
  void aFolderCarriesItsProcess() throws IOException {
    Path folder = Scratch.folder("test");
    assertThat(folder.getFileName().toString())
        .startsWith("plumb-test-" + ProcessHandle.current().pid() + "-");
    Scratch.delete(folder);
    assertThat(folder).doesNotExist();
  }
}
