package dev.plumbline.engage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.machine.Message;
import dev.plumbline.machine.NoEffects;
import dev.plumbline.machine.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What one end of a link sends, sends again, takes and acknowledges. */
class ChannelTest {
  private static final Timer RESEND = new EngageTimer.Resend("b");
  private static final Timer NEXT = new EngageTimer.Next("b");
  private static final Timer SKIP = new EngageTimer.Skip("b");

  /** What the channel did since the last time it was asked. */
  private static final class Done extends NoEffects {
    private final List<Long> messages = new ArrayList<>();
    private final List<Long> acknowledged = new ArrayList<>();
    final Map<Timer, Long> timers = new LinkedHashMap<>();

    @Override
    public void send(String to, Message message) {
      assertThat(to).isEqualTo("b");
      if (message instanceof EngageMessage.Ack ack) {
        acknowledged.add(ack.number());
      } else {
        messages.add(((EngageMessage.Numbered) message).number());
      }
    }

    @Override
    public void setTimer(Timer timer, long delayMicros) {
      timers.put(timer, delayMicros);
    }

    @Override
    public void cancelTimer(Timer timer) {
      assertThat(timers.remove(timer)).as("was set").isNotNull();
    }

    List<Long> messages() {
      return drained(messages);
    }

    List<Long> acknowledged() {
      return drained(acknowledged);
    }

    private static List<Long> drained(List<Long> list) {
      List<Long> all = List.copyOf(list);
      list.clear();
      return all;
    }
  }

  private final Done done = new Done();
  private final Channel channel = new Channel(Rig.config(), "b");
  private final Channel published = new Channel(Rig.config(EngageConfig.RESEND), "b");

  private static EngageMessage.Numbered message(long number) {
    return new EngageMessage.Flush(1, number, Rig.ring().zero());
  }

  private void send(Channel from, int count) {
    for (int i = 0; i < count; i++) {
      from.send(message(from.next()), done);
    }
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  /** A message comes, and is handled if it is its turn. */
  private boolean takes(Channel to, long number) {
    EngageMessage.Numbered turn = to.arrived(message(number), done);
    if (turn != null) {
      to.took(turn, done);
    }
    return turn != null;
  }

  @Test
  void nothingIsSentAgainOnceAllIsAcknowledged() {
    send(channel, 3);
    assertThat(done.messages()).containsExactly(1L, 2L, 3L);
    assertThat(done.timers).containsOnlyKeys(RESEND);
    assertThat(done.timers).containsEntry(RESEND, Rig.config().resendMicros());

    channel.acknowledged(2, done);
    assertThat(done.timers).as("3 is under way").containsOnlyKeys(RESEND);
    channel.resend(done);
    assertThat(done.messages()).containsExactly(3L);

    channel.acknowledged(3, done);
    assertThat(done.timers).isEmpty();
    channel.acknowledged(3, done);
    channel.resend(done);
    assertThat(done.messages()).isEmpty();
    assertThat(done.timers).isEmpty();

    send(channel, 1);
    assertThat(done.messages()).containsExactly(4L);
    assertThat(done.timers).containsOnlyKeys(RESEND);
  }

  @Test
  void aLongQueueIsSentAgainWindowByWindow() {
    send(channel, 150);
    done.messages();
    channel.resend(done);
    assertThat(done.messages()).isEqualTo(numbers(1, 64));
    send(channel, 1);
    assertThat(done.messages()).containsExactly(151L);

    channel.acknowledged(63, done);
    assertThat(done.messages()).as("one of the window is under way").isEmpty();
    channel.acknowledged(64, done);
    assertThat(done.messages()).isEqualTo(numbers(65, 128));
    channel.acknowledged(64, done);
    assertThat(done.messages()).as("heard before").isEmpty();
    channel.acknowledged(130, done);
    assertThat(done.messages()).as("151 was sent after the timer").isEqualTo(numbers(131, 150));
    channel.acknowledged(150, done);
    assertThat(done.messages()).isEmpty();
    assertThat(done.timers).as("151 is under way").containsOnlyKeys(RESEND);
  }

  /**
   * The network holds so many messages for a peer and drops the oldest (as PeerLink does), and its
   * link carries few of them until all is sent again.
   */
  @Test
  void whatIsSentAgainIsNoMoreThanASlowLinkCarries() {
    int holds = 30;
    int carries = 5;
    Channel to = new Channel(Rig.config(), "b");
    ArrayDeque<Long> link = new ArrayDeque<>();
    send(channel, 300);
    for (int round = 0; round < 600 && channel.unacknowledged() > 0; round++) {
      for (int i = 0; i < carries; i++) {
        link.addAll(done.messages());
        while (link.size() > holds) {
          link.remove();
        }
        if (!link.isEmpty()) {
          takes(to, link.remove());
          for (var next = to.waiting(); next != null; next = to.waiting()) {
            to.took(next, done);
          }
          done.acknowledged().forEach(number -> channel.acknowledged(number, done));
        }
      }
      channel.resend(done);
    }
    assertThat(channel.unacknowledged()).isZero();
  }

  /** Where nothing comes back, little is sent again and again; then it is a window soon. */
  @Test
  void whileNothingIsAcknowledgedLessIsSentAgain() {
    send(channel, 300);
    done.messages();
    channel.resend(done);
    assertThat(done.messages()).hasSize(64);
    channel.resend(done);
    assertThat(done.messages()).hasSize(32);
    for (int i = 0; i < 10; i++) {
      channel.resend(done);
    }
    done.messages();
    channel.resend(done);
    assertThat(done.messages()).containsExactly(1L);
    long acknowledged = 1;
    for (int window : new int[] {2, 4, 8, 16, 32, 64, 64}) {
      channel.acknowledged(acknowledged, done);
      assertThat(done.messages()).isEqualTo(numbers(acknowledged + 1, acknowledged + window));
      acknowledged += window;
    }
  }

  @Test
  void everyMessageIsTakenOnceInItsTurn() {
    assertThat(takes(channel, 1)).isTrue();
    assertThat(done.acknowledged()).containsExactly(1L);
    assertThat(takes(channel, 1)).as("a copy").isFalse();
    assertThat(done.acknowledged()).as("the first may be lost").containsExactly(1L);

    assertThat(takes(channel, 4)).isFalse();
    assertThat(takes(channel, 3)).isFalse();
    assertThat(done.acknowledged()).isEmpty();
    assertThat(channel.waiting()).isNull();
    assertThat(takes(channel, 2)).isTrue();
    assertThat(done.acknowledged()).containsExactly(2L);
    assertThat(done.timers).containsEntry(NEXT, 0L).hasSize(1);

    done.timers.clear();
    channel.took(channel.waiting(), done);
    assertThat(done.timers).containsOnlyKeys(NEXT);
    done.timers.clear();
    channel.took(channel.waiting(), done);
    assertThat(done.acknowledged()).containsExactly(3L, 4L);
    assertThat(channel.waiting()).isNull();
    assertThat(done.timers).as("nothing more came early").isEmpty();
    assertThat(takes(channel, 3)).as("not kept").isFalse();
  }

  @Test
  void whatCameEarlyIsBounded() {
    for (long number = 2; number <= 1_003; number++) {
      assertThat(takes(channel, number)).isFalse();
    }
    takes(channel, 1);
    long last = 1;
    for (var next = channel.waiting(); next != null; next = channel.waiting()) {
      last = next.number();
      channel.took(next, done);
    }
    assertThat(last).as("1,000 and no more are kept").isEqualTo(1_001);
    assertThat(done.timers).containsOnlyKeys(NEXT);
  }

  @Test
  void asPublishedNothingIsAcknowledgedAndWhatIsMissingIsSkipped() {
    send(published, 2);
    assertThat(done.timers).isEmpty();
    published.resend(done);
    assertThat(done.messages()).containsExactly(1L, 2L);

    published.skip(done);
    assertThat(done.timers).as("nothing is missing").isEmpty();
    assertThat(takes(published, 3)).isFalse();
    assertThat(done.timers).containsEntry(SKIP, Rig.config().resendMicros());
    done.timers.clear();
    published.skip(done);
    assertThat(done.timers).containsEntry(NEXT, 0L);
    assertThat(published.waiting().number()).isEqualTo(3);
    published.took(published.waiting(), done);
    assertThat(done.acknowledged()).isEmpty();
    assertThat(takes(published, 2)).as("skipped").isFalse();
  }

  @Test
  void nothingIsSkippedThatIsSentAgain() {
    assertThat(takes(channel, 2)).isFalse();
    channel.skip(done);
    assertThat(done.timers).isEmpty();
    assertThat(takes(channel, 1)).isTrue();
  }

  @Test
  void aNewTreeBeginsWithNothingSentOrTaken() {
    send(channel, 2);
    done.messages();
    takes(channel, 1);
    takes(channel, 3);
    channel.clear(done);
    assertThat(done.timers).isEmpty();
    assertThat(channel.next()).isEqualTo(1);
    assertThat(channel.waiting()).isNull();
    channel.resend(done);
    assertThat(done.messages()).isEmpty();
    assertThat(takes(channel, 1)).isTrue();
    assertThat(channel.waiting()).as("3 was of the old tree").isNull();
    assertThat(takes(channel, 2)).isTrue();
    assertThat(channel.waiting()).isNull();

    channel.clear(done);
    send(channel, 1);
    assertThat(done.timers).containsOnlyKeys(RESEND);
  }
}
