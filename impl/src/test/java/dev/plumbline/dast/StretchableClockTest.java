package dev.plumbline.dast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class StretchableClockTest {
  private static final long FREE = StretchableClock.FREE;

  @Property
  void readingsGoUpWhateverTheWallClockAndTheHeadDo(
      @ForAll @Size(min = 1, max = 30) List<@IntRange(min = 1, max = 20) Integer> walls,
      @ForAll @Size(min = 1, max = 30) List<@IntRange(min = 1, max = 20) Integer> heads) {
    StretchableClock clock = new StretchableClock(1, true);
    Timestamp before = clock.last();
    for (int i = 0; i < walls.size(); i++) {
      Timestamp now = clock.create(walls.get(i), heads.get(i % heads.size()));
      assertThat(before.before(now)).isTrue();
      before = now;
    }
  }

  @Test
  void stretchedItStaysBelowTheHeadAndCountsFractions() {
    StretchableClock clock = new StretchableClock(7, true);
    assertThat(clock.create(100, 50)).isEqualTo(new Timestamp(49, 0, 7));
    assertThat(clock.create(101, 50)).isEqualTo(new Timestamp(49, 1, 7));
    assertThat(clock.create(102, FREE)).isEqualTo(new Timestamp(102, 0, 7));
  }

  @Test
  void asPublishedItStaysWhereItWasRead() {
    StretchableClock clock = new StretchableClock(7, false);
    clock.create(10, FREE);
    assertThat(clock.create(100, 50)).isEqualTo(new Timestamp(10, 1, 7));
  }

  @Test
  void calibrationMovesTheWallClockAndFollowingMovesAStretchedOne() {
    StretchableClock clock = new StretchableClock(7, true);
    clock.calibrate(100, 250);
    assertThat(clock.create(101, FREE))
        .as("past 250, one later")
        .isEqualTo(new Timestamp(252, 0, 7));
    clock.follow(new Timestamp(260, 3, 9), 300);
    assertThat(clock.last()).isEqualTo(new Timestamp(260, 4, 7));
    clock.follow(new Timestamp(310, 0, 9), 300);
    assertThat(clock.last()).isEqualTo(new Timestamp(260, 4, 7));
  }
}
