package dev.plumbline.metric.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BeatsTest {
  private static final long LEASE = 100;

  private final Beats beats = new Beats(LEASE);

  private boolean lapsed(long reference, Long beat, long begun, long ended) {
    return beats.lapsed("k", reference, beat, begun, ended);
  }

  @Test
  void theSameBeatForALeaseIsALapse() {
    assertThat(lapsed(1, 7L, 0, 1)).isFalse();
    assertThat(lapsed(1, 7L, 100, 100)).isFalse();
    assertThat(lapsed(1, 7L, 101, 102)).isTrue();
  }

  @Test
  void neitherASlowReadNorAPauseInOneIsALapse() {
    assertThat(lapsed(1, 7L, 0, 500)).isFalse();
    assertThat(lapsed(1, 7L, 501, 1_000)).isFalse();
    assertThat(lapsed(1, 7L, 600, 1_000)).isTrue();
  }

  @Test
  void anotherBeatOrHolderBeginsAnew() {
    assertThat(lapsed(1, null, 0, 0)).isFalse();
    assertThat(lapsed(1, 7L, 200, 200)).isFalse();
    assertThat(lapsed(1, 8L, 400, 400)).isFalse();
    assertThat(lapsed(2, 8L, 600, 600)).isFalse();
    assertThat(lapsed(2, 8L, 700, 700)).isTrue();
  }

  @Test
  void aBeatThatWasForgottenIsReadAsTheFirst() {
    assertThat(lapsed(1, 7L, 0, 0)).isFalse();
    beats.forget("k");
    assertThat(lapsed(1, 7L, 200, 200)).isFalse();
  }

  @Test
  void aHolderThatNeverWroteABeatLapsesToo() {
    assertThat(lapsed(1, null, 0, 0)).isFalse();
    assertThat(lapsed(1, null, 100, 100)).isTrue();
  }
}
