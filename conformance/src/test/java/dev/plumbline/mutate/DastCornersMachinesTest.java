package dev.plumbline.mutate;

import static dev.plumbline.mutate.DastRuns.BEGIN;
import static dev.plumbline.mutate.DastRuns.SMALL;
import static dev.plumbline.mutate.DastRuns.lose;
import static dev.plumbline.mutate.DastRuns.processes;
import static dev.plumbline.mutate.DastRuns.setting;
import static dev.plumbline.mutate.DastRuns.sound;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.mutate.MachineRuns.Setting;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.FaultKind;
import dev.plumbline.protocol.Protocols;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What must kill the mutants of DAST's machines where the runs of {@link DastMachinesTest} do not
 * go: clients of bad manners or memory, checkpoints in parts, nodes that are lost again while one
 * is on its way. Replaceable nodes are watched, too.
 */
@Tag("conformance")
class DastCornersMachinesTest {
  @ParameterizedTest
  @CsvSource({"1, list-append", "2, bank"})
  void rudeClients(long seed, String workload) {
    RudeDastClients rude = new RudeDastClients();
    Setting s = new Setting(rude, seed, 60);
    s.workload = workload;
    s.parameters.putAll(SMALL);
    sound(s);
    assertThat(rude.complaints()).isEmpty();
  }

  /** What was answered once is answered so for good, whoever has taken its coordinator's place. */
  @ParameterizedTest
  @CsvSource({"1, bank, 0", "3, list-append, 200"})
  void clientsThatForget(long seed, String workload, int permille) {
    ForgetfulDastClients forgetful = new ForgetfulDastClients();
    Setting s = new Setting(forgetful, seed, 50);
    s.workload = workload;
    s.parameters.putAll(SMALL);
    s.parameters.putAll(Map.of("suspectMicros", 300_000L, "partBytes", 2_000L));
    lose(s, processes(), 4_500_000, permille);
    long at = 2_800_000;
    for (String role : List.of("r1s1n1", "r2s1n2", "r1s1n3", "m-r2", "r2s2n1")) {
      s.faults.add(new Fault.Crash(at, at + 300_000, role));
      at += 400_000;
    }
    s.healed = at + 400_000;
    watched(s);
    assertThat(forgetful.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1, bank, 0, 700",
    "2, list-append, 0, 3000",
    "3, list-append, 300, 1500",
    "4, bank, 150, 1"
  })
  void checkpointsInParts(long seed, String workload, int permille, long bytes) {
    Setting s = replaceable(seed, workload, bytes);
    lose(s, processes(), 3_000_000, permille);
    long at = BEGIN;
    for (String role : List.of("r1s1n1", "r2s1n2", "m-r2", "r1s2n3", "r2s2n1")) {
      s.faults.add(new Fault.Crash(at, at + 400_000, role));
      at += 300_000;
    }
    s.healed = at + 400_000;
    watched(s);
  }

  /** Twice while its checkpoint is on the way, and once more. */
  @Test
  void lostAgainAndAgain() {
    Setting s = replaceable(2, "list-append", 1);
    s.parameters.put("resendMicros", 20_000L);
    lose(s, processes(), 3_000_000, 300);
    for (String role : List.of("r1s1n1", "r1s2n2", "r2s1n2")) {
      s.faults.add(new Fault.Crash(BEGIN, BEGIN + 50_000, role));
      s.faults.add(new Fault.Crash(BEGIN + 90_000, BEGIN + 120_000, role));
      s.faults.add(new Fault.Crash(BEGIN + 600_000, BEGIN + 1_100_000, role));
    }
    s.healed = BEGIN + 1_600_000;
    watched(s);
  }

  @Test
  void messagesOfAllKindsLostAndRepeated() {
    Setting s = replaceable(5, "list-append", 2_000);
    s.parameters.put("resendMicros", 30_000L);
    s.kinds =
        FaultKind.parse(
            "crash,loss,pause,duplicate,reorder,delay", Protocols.named("dast").tolerated());
    watched(s);
  }

  private static Setting replaceable(long seed, String workload, long partBytes) {
    Setting s = setting(seed, 60, workload);
    s.parameters.put("suspectMicros", 300_000L);
    s.parameters.put("partBytes", partBytes);
    return s;
  }

  private static void watched(Setting s) {
    sound(s);
    DastWatch watch = new DastWatch();
    s.watch = Optional.of(watch);
    MachineRuns.unlogged(s);
    watch.drained();
    assertThat(watch.wrong).isEmpty();
    assertThat(watch.seen)
        .containsKeys(
            "a checkpoint is all that its giver has",
            "a coordinator forgets what has ended",
            "who keeps a CRT knows its end");
    if (s.parameters.get("partBytes") == 1) {
      assertThat(watch.seen).containsKey("parts are as small as they can be");
    }
  }
}
