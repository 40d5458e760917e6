package dev.plumbline.sim.engage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.VectorClock;
import dev.plumbline.sim.ClientDriver;
import dev.plumbline.sim.MicroOp;
import dev.plumbline.sim.Settings;
import dev.plumbline.sim.Transaction;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The client of loads, among clients that write what no load writes. */
class EngageClientTest {
  private static final EngageSystem ENGAGE = new EngageSystem();

  private static ClientDriver.Next read(List<String> values) {
    Settings settings = new Settings(ENGAGE.clockBounds(), new TreeSet<>(), new TreeMap<>());
    var topology = ENGAGE.topology(settings);
    ClientDriver client = ENGAGE.client(0, 0, topology.regions().get(0), topology, settings);
    client.begin(new Transaction(Transaction.Kind.READ_WRITE, List.of(MicroOp.read(0)), 0));
    int cloudlets = EngageDeployment.of(settings).layout().cloudlets().size();
    VectorClock clock = new VectorClock(Collections.nCopies(cloudlets, 0L));
    return client.answered(new EngageResponse.Value(values, clock, clock));
  }

  @Test
  void aTextThatIsNoNumberFailsTheRead() {
    assertThat(((ClientDriver.Outcome) read(List.of("7"))).ops())
        .containsExactly(new MicroOp(MicroOp.Kind.READ, 0, 7L));
    for (String text : List.of("ADD", "", "9".repeat(40))) {
      ClientDriver.Outcome outcome = (ClientDriver.Outcome) read(List.of(text));
      assertThat(outcome.kind()).isEqualTo(ClientDriver.Outcome.Kind.ABORTED);
      assertThat(outcome.error()).contains("key 0 holds a text that is no number");
    }
  }
}
