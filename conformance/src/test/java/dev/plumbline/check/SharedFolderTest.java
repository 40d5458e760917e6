package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines that share a cache: in containers their processes have the same numbers. */
class SharedFolderTest {
  private static final int FILES = 300;

  @TempDir Path folder;

  /** The class as another process with this one's number has it. */
  private static Method writer() throws Exception {
    List<URL> path = new ArrayList<>();
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    for (String entry : classPath.split(":", -1)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    ClassLoader other =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    return other
        .loadClass(Workspace.class.getName())
        .getMethod("writeWhole", Path.class, String.class);
  }

  @Test
  void processesOfOneNumberDoNotWriteToOneFile() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    ExecutorService two = Executors.newFixedThreadPool(2);
    List<Future<?>> writing = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      Method write = writer();
      writing.add(
          two.submit(
              () -> {
                for (int i = 0; i < FILES; i++) {
                  both.await(20, TimeUnit.SECONDS);
                  write.invoke(null, folder.resolve(name + i), name);
                }
                return null;
              }));
    }
    try {
      for (Future<?> each : writing) {
        each.get();
      }
    } finally {
      two.shutdownNow();
    }
    for (int i = 0; i < FILES; i++) {
      assertThat(folder.resolve("a" + i)).hasContent("a");
      assertThat(folder.resolve("b" + i)).hasContent("b");
    }
  }
}
