package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.metric.node.EntryLock.Asked;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryLockTest {
  private static final Asked ONE = new Asked("m-S1", 1);
  private static final Asked OTHER = new Asked("m-S2", 1);

  private static EntryLock lock(long last, Asked holder, boolean forced, Asked... waiting) {
    return new EntryLock(0, last, holder, forced, List.of(waiting));
  }

  @Test
  void aFreeLockIsGivenUnderANewReferenceAndAHeldOneIsWaitedFor() {
    EntryLock held = EntryLock.FREE.askedBy(ONE);
    assertThat(held).isEqualTo(lock(1, ONE, false));
    assertThat(held.held()).isEqualTo(1);
    assertThat(held.askedBy(ONE)).isSameAs(held);
    EntryLock wanted = held.askedBy(OTHER);
    assertThat(wanted).isEqualTo(lock(1, ONE, false, OTHER));
    assertThat(wanted.askedBy(OTHER)).isSameAs(wanted);
  }

  @Test
  void whoeverWaitsLongestHasItNextAndIsToldHowItWasFreed() {
    Asked third = new Asked("m-S3", 1);
    EntryLock held = lock(4, ONE, false, OTHER, third);
    assertThat(held.leftBy(ONE, true)).isEqualTo(lock(5, OTHER, false, third));
    assertThat(held.leftBy(ONE, false)).isEqualTo(lock(5, OTHER, true, third));
    assertThat(held.freed(true)).isEqualTo(lock(5, OTHER, true, third));
    assertThat(held.leftBy(OTHER, true)).isEqualTo(lock(4, ONE, false, third));
    assertThat(lock(4, ONE, true).leftBy(ONE, true)).isEqualTo(lock(4, null, false));
    assertThat(lock(4, null, true).askedBy(OTHER)).isEqualTo(lock(5, OTHER, true));
  }

  @Test
  void whoHasNothingToDoWithItChangesNothing() {
    EntryLock held = lock(4, ONE, false, OTHER);
    assertThat(held.leftBy(new Asked("m-S1", 9), true)).isSameAs(held);
    assertThat(held.leftBy(new Asked("m-S2", 9), true)).isSameAs(held);
    assertThat(held.askedBy(new Asked("m-S1", 0))).as("long ago").isSameAs(held);
    assertThat(held.askedBy(new Asked("m-S2", 0))).as("long ago").isSameAs(held);
    assertThat(lock(4, null, true).held()).isZero();
  }

  @Test
  void whoAsksUnderANewNameUsesTheOldOneNoMore() {
    Asked again = new Asked("m-S1", 2);
    assertThat(lock(4, ONE, false, OTHER).askedBy(again)).isEqualTo(lock(5, OTHER, true, again));
    assertThat(lock(4, ONE, false).askedBy(again)).isEqualTo(lock(5, again, true));
    assertThat(lock(4, OTHER, false, ONE).askedBy(again)).isEqualTo(lock(4, OTHER, false, again));
  }
}
