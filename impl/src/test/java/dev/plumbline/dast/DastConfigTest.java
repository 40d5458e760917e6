package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which configurations processes can run with. */
class DastConfigTest {

  private static DastConfig config(long tell, long resend, long rtt, long suspect) {
    return new DastConfig(tell, resend, rtt, suspect, DastConfig.PART_BYTES, List.of());
  }

  /** Managers divide by it, and a timer without a delay is always due. */
  @Test
  void aPeriodIsNotZero() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config(0, 1, 0, 1))
        .withMessage("tellMicros is 0; it is from 1 to 1000000000000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config(1, 0, 0, 1))
        .withMessageStartingWith("resendMicros is 0");
    assertThat(config(1, 1, 0, 0).failover()).isFalse();
  }

  /** Clocks stay below a clock's reading and such a time. */
  @Test
  void noTimeIsSoLongThatSumsOverflow() {
    long most = 1_000_000_000_000L;
    assertThat(config(most, most, most, most).suspectMicros()).isEqualTo(most);
    for (int i = 0; i < 4; i++) {
      long[] times = {1, 1, 1, 1};
      times[i] = Long.MAX_VALUE;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> config(times[0], times[1], times[2], times[3]));
    }
  }
}
