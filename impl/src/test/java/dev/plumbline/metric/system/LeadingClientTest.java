package dev.plumbline.metric.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.MetricRequest;
import dev.plumbline.metric.MetricResponse;
import dev.plumbline.metric.Position;
import dev.plumbline.metric.Uuid;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.Transaction;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a site that leads tells of its transactions where answers stay away. */
class LeadingClientTest {
  private final LeadingClient client =
      new LeadingClient("c1", List.of("m-S1"), List.of("T1"), MetricSystem.ALL, 1_000);

  private static Transaction append(long value) {
    return new Transaction(Transaction.Kind.READ_WRITE, List.of(MicroOp.append(1, value)), 0);
  }

  /** The transaction up to its append, which is answered. */
  private ClientDriver.Next commits(Transaction transaction) {
    client.begin(transaction);
    client.answered(new MetricResponse.Ok());
    client.answered(new MetricResponse.Lacking(List.of(), false));
    return client.answered(new MetricResponse.Appended(new Position(new Uuid(5, 1), 1)));
  }

  @Test
  void aTransactionThatHasCommittedIsSoThoughItsReleaseIsNotAnswered() {
    assertThat(commits(append(7))).isInstanceOf(ClientDriver.Call.class);
    assertThat(client.timedOut())
        .isEqualTo(ClientDriver.Outcome.committed(append(7).ops(), List.of()));
  }

  /** It has asked for nothing yet but the release of the last one. */
  @Test
  void theNextOneThatDoesNotBeginInTimeHasNotDoneWhatTheLastOneDid() {
    commits(append(7));
    client.timedOut();
    ClientDriver.Call call = client.begin(append(8));
    assertThat(call.request()).isInstanceOf(MetricRequest.Release.class);
    assertThat(client.timedOut())
        .isEqualTo(ClientDriver.Outcome.aborted(append(8), "no answer in time"));
  }
}
