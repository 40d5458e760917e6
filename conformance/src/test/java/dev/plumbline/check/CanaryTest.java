package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.parts.Shard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Known errors of model checkers, as models whose verdict is known. An engine that errs in another
 * way than the pinned one turns this red: then docs/limits.md is to be corrected.
 */
class CanaryTest {
  private static final Path CANARIES = Path.of("src/test/resources/canaries");

  /**
   * What the pinned engine says wrongly: of functions that EXCEPT changed while they were lazy, and
   * of two names bound to subsets of the empty set.
   */
  private static final Set<String> WRONG = Set.of("except-tuple", "except-domain", "empty-subset");

  @TempDir Path root;

  @Test
  void theEngineErrsWhereItIsKnownToErr() throws IOException {
    Path folder = Files.createDirectories(root.resolve("specs/canaries"));
    try (Stream<Path> files = Files.list(CANARIES)) {
      for (Path p : files.toList()) {
        Files.copy(p, folder.resolve(p.getFileName()));
      }
    }
    Driver.Options options =
        new Driver.Options(List.of("canaries"), "nightly", true, 2, Shard.WHOLE);
    Board quiet = new Board(new PrintStream(new ByteArrayOutputStream()), false);
    List<Result> results = new Driver(new Workspace(root), options, quiet).run();
    assertThat(results).hasSize(5);
    assertThat(results).noneMatch(Result::environment);
    assertThat(
            results.stream().filter(Result::failed).map(Result::check).collect(Collectors.toSet()))
        .isEqualTo(WRONG);
  }
}
