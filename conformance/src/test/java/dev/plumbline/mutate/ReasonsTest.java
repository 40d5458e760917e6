package dev.plumbline.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.MutantsFile.Listed;
import dev.plumbline.mutate.MutantsFile.Machines;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A line of a machine that changes takes its mutants' names along, and reasons lose them. */
class ReasonsTest {
  private static final Workspace WORKSPACE =
      new Workspace(Path.of("..").toAbsolutePath().normalize());

  /** It runs no machine. */
  private static final String IDLE = "dev.plumbline.bind.TlaTest";

  @TempDir private Path reports;

  static Stream<String> mutated() {
    return WORKSPACE.protocols().stream()
        .map(Checks::protocol)
        .filter(p -> Mutation.machines(p, WORKSPACE));
  }

  @ParameterizedTest
  @MethodSource("mutated")
  void everyReasonOfAMachineHasItsMutant(String protocol) {
    assertThat(lost(protocol, machines(protocol))).isEmpty();
  }

  @Test
  void aReasonWithoutAMutantIsLost() {
    Machines k2 = machines("k2");
    Machines wrong =
        new Machines(
            List.of("dev.plumbline.k2.Oracle"),
            k2.except(),
            k2.tests(),
            0,
            Map.of("Oracle.handle.Math.00000000", new Listed("there is none", 1)),
            Map.of(),
            Map.of());
    assertThat(lost("k2", wrong)).containsExactly("Oracle.handle.Math.00000000");
  }

  private List<String> lost(String protocol, Machines machines) {
    return new MachineMutation(WORKSPACE, protocol, machines, null).lost(reports, IDLE);
  }

  private static Machines machines(String protocol) {
    return WORKSPACE.protocols().stream()
        .filter(p -> p.protocol().equals(protocol))
        .map(p -> MutantsFile.read(Mutation.file(p), p).machines())
        .findFirst()
        .orElseThrow();
  }
}
