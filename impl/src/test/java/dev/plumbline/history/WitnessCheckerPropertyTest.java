package dev.plumbline.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.history.Executions.Fault;
import dev.plumbline.history.Judgement.Outcome;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** The witness checker against executions known to be right, and against brute force. */
class WitnessCheckerPropertyTest {

  @Property(tries = 1000)
  void acceptsStrictlySerializableExecutions(
      @ForAll Random random, @ForAll DataModel workload, @ForAll boolean indeterminate)
      throws Exception {
    History history = Executions.strictlySerializable(random, workload, 60, 3, indeterminate, true);
    HistoryValidator.validate(history, workload);
    for (Model model : new Model[] {Model.STRICT_SERIALIZABLE, Model.SNAPSHOT_READS}) {
      Judgement judgement = WitnessChecker.check(history, workload, model);
      boolean mayDoubt = indeterminate && workload != DataModel.LIST_APPEND;
      if (!mayDoubt || judgement.outcome() != Outcome.UNKNOWN) {
        assertThat(judgement.outcome()).as("%s", judgement).isEqualTo(Outcome.VALID);
      }
    }
    if (workload == DataModel.BANK) {
      assertThat(BankChecker.check(history).outcome()).isNotEqualTo(Outcome.INVALID);
    }
  }

  @Property(tries = 5000)
  void agreesWithBruteForceOnSpoiltHistories(
      @ForAll Random random,
      @ForAll DataModel workload,
      @ForAll Fault fault,
      @ForAll boolean indeterminate) {
    History spoilt =
        Executions.spoil(
            Executions.strictlySerializable(random, workload, 6, 2, indeterminate, true),
            fault,
            random);
    if (spoilt == null
        || spoilt.ops().stream().noneMatch(op -> op.ts() != null || op.at() != null)) {
      return;
    }
    Model weaker = random.nextBoolean() ? Model.SERIALIZABLE : Model.STRONG_SESSION_SERIALIZABLE;
    for (Model model : new Model[] {Model.STRICT_SERIALIZABLE, weaker}) {
      Judgement judgement = WitnessChecker.check(spoilt, workload, model);
      boolean explained = BruteForce.explains(spoilt, true, model);
      Statistics.label(fault + ", " + model).collect(judgement.outcome(), explained);
      boolean mayDoubt = indeterminate && workload != DataModel.LIST_APPEND;
      if (!mayDoubt || judgement.outcome() != Outcome.UNKNOWN) {
        assertThat(judgement.outcome())
            .as("%s %s", judgement, spoilt)
            .isEqualTo(explained ? Outcome.VALID : Outcome.INVALID);
      }
      if (judgement.outcome() == Outcome.VALID) {
        assertThat(BruteForce.explains(spoilt, false, model)).isTrue();
      }
    }
  }

  @Property(tries = 400)
  void rejectsMostFaultsInLongHistories(@ForAll Random random, @ForAll Fault fault) {
    History spoilt =
        Executions.spoil(
            Executions.strictlySerializable(random, DataModel.LIST_APPEND, 60, 3, true, true),
            fault,
            random);
    if (spoilt != null) {
      Judgement judgement =
          WitnessChecker.check(spoilt, DataModel.LIST_APPEND, Model.STRICT_SERIALIZABLE);
      Statistics.label(fault.name()).collect(judgement.outcome());
      Statistics.label("all")
          .collect(judgement.outcome())
          .coverage(checker -> checker.check(Outcome.INVALID).percentage(share -> share > 50));
    }
  }
}
