package dev.plumbline.engage.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.engage.EngageResponse;
import dev.plumbline.engage.SealedClock;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Transaction;
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
    SealedClock clock = SealedClock.zero(cloudlets);
    return client.answered(new EngageResponse.Value(values, clock, clock.clock()));
  }

  private static Object seen(String text) {
    return ((ClientDriver.Outcome) read(List.of(text))).ops().get(0).value();
  }

  /** It ends no client, and the session checker objects: no load writes this. */
  @Test
  void aTextThatIsNoNumberIsShownAsWhatNobodyWrote() {
    assertThat(seen("7")).isEqualTo(7L);
    for (String text : List.of("ADD", "", "9".repeat(40))) {
      assertThat(seen(text)).isEqualTo(Long.MIN_VALUE);
    }
  }
}
