package dev.plumbline.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.k2.K2Message;
import dev.plumbline.k2.Timestamp;
import dev.plumbline.k2.Txn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameTest {
  private static final K2Message MESSAGE =
      new K2Message.Write(
          new Txn("c-SH-1.7", "c-SH", 1, new Timestamp(5, 1, 6, 1)), 3, 3, List.of(1L, -9L));

  private static byte[] frames(Frame... frames) {
    EmbeddedChannel out = new EmbeddedChannel(new Frame.Encoder());
    ByteBuf all = Unpooled.buffer();
    for (Frame frame : frames) {
      out.writeOutbound(frame);
      all.writeBytes(out.<ByteBuf>readOutbound());
    }
    return ByteBufUtil.getBytes(all);
  }

  private static Frame message() {
    return new Frame(Frame.Type.MESSAGE, 41, Wire.message(MESSAGE));
  }

  /** What a decoder lets through of these bytes, and the refusal that ended it, if any. */
  private record Decoded(List<Frame> frames, Refusal refusal) {
    static Decoded of(byte[] bytes, int piece) {
      EmbeddedChannel in = new EmbeddedChannel(new Frame.Decoder(false));
      Refusal refusal = null;
      for (int i = 0; i < bytes.length && refusal == null; i += piece) {
        byte[] next = Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece));
        RefusedFrame refused =
            catchThrowableOfType(
                () -> in.writeInbound(Unpooled.wrappedBuffer(next)), RefusedFrame.class);
        refusal = refused == null ? null : refused.reason();
      }
      List<Frame> frames = new ArrayList<>();
      for (Frame f = in.readInbound(); f != null; f = in.readInbound()) {
        frames.add(f);
      }
      return new Decoded(frames, refusal);
    }
  }

  @Test
  void framesArriveAsTheyWereSent() {
    Decoded decoded = Decoded.of(frames(message(), message()), 7);
    assertThat(decoded.refusal).isNull();
    assertThat(decoded.frames).hasSize(2).allMatch(f -> f.number() == 41);
    assertThat(Wire.message(decoded.frames.get(1).body())).isEqualTo(MESSAGE);
  }

  @Test
  void anOversizedFrameIsRefusedByItsLength() {
    byte[] bytes = Unpooled.buffer().writeInt(Frame.LARGEST + 1).writeZero(20).array();
    assertThat(Decoded.of(Arrays.copyOf(bytes, 24), 24).refusal).isEqualTo(Refusal.OVERSIZED);
  }

  /** Bodies around the lengths at which one more frame is needed, each followed by a short one. */
  @ParameterizedTest
  @CsvSource({"0, 1", "1, 2", "1048576, 2", "1048577, 3", "5000000, 6", "32505837, 32"})
  void aLongBodyGoesInSeveralFrames(int more, int frames) {
    byte[] body = new byte[Frame.PIECE + more];
    new Random(more).nextBytes(body);
    byte[] bytes = frames(new Frame(Frame.Type.MESSAGE, 40, body), message());
    int headers = (frames + 1) * (Integer.BYTES + Frame.HEADER);
    assertThat(bytes).hasSize(body.length + Wire.message(MESSAGE).length + headers);
    Decoded decoded = Decoded.of(bytes, 100_000);
    assertThat(decoded.refusal).isNull();
    assertThat(decoded.frames).extracting(Frame::number).containsExactly(40L, 41L);
    assertThat(decoded.frames.get(0).type()).isEqualTo(Frame.Type.MESSAGE);
    assertThat(decoded.frames.get(0).body()).isEqualTo(body);
  }

  @Test
  void aLongBodyIsRefusedWhereItIsTooLongAltogether() {
    byte[] longest = new byte[Frame.LARGEST - Frame.HEADER];
    assertThat(Decoded.of(frames(new Frame(Frame.Type.REPLY, 1, longest)), 1 << 20).frames)
        .hasSize(1);
    Frame more = new Frame(Frame.Type.REPLY, 1, new byte[longest.length + 1]);
    assertThat(more.fits()).isFalse();
    assertThat(Decoded.of(frames(more), 1 << 20))
        .isEqualTo(new Decoded(List.of(), Refusal.OVERSIZED));
  }

  @Test
  void onlyAWholePartIsOneAndTheNextFrameGoesOnWithIt() {
    byte[] two = frames(new Frame(Frame.Type.MESSAGE, 40, new byte[Frame.PIECE + 1]));
    byte[] shorter = frames(new Frame(Frame.Type.MESSAGE, 40, new byte[1]));
    shorter[5] = 4;
    assertThat(Decoded.of(shorter, shorter.length))
        .isEqualTo(new Decoded(List.of(), Refusal.MALFORMED));
    byte[] otherNumber = two.clone();
    otherNumber[two.length - 2]++;
    assertThat(Decoded.of(otherNumber, two.length))
        .isEqualTo(new Decoded(List.of(), Refusal.MALFORMED));
  }

  @Test
  void whoSendsRequestsSendsNoPart() {
    byte[] two = frames(new Frame(Frame.Type.REQUEST, 40, new byte[Frame.PIECE + 1]));
    EmbeddedChannel in = new EmbeddedChannel(new Frame.Decoder(false));
    in.pipeline().get(Frame.Decoder.class).limit(Frame.LARGEST_REQUEST);
    RefusedFrame refused =
        catchThrowableOfType(
            () -> in.writeInbound(Unpooled.wrappedBuffer(two)), RefusedFrame.class);
    assertThat(refused.reason()).isEqualTo(Refusal.OVERSIZED);
  }

  @Test
  void aPartIsFollowedInTime() {
    byte[] two = frames(new Frame(Frame.Type.MESSAGE, 40, new byte[Frame.PIECE + 1]));
    EmbeddedChannel in = new EmbeddedChannel(new Frame.Decoder(false));
    in.freezeTime();
    in.writeInbound(Unpooled.wrappedBuffer(two, 0, Integer.BYTES + Frame.HEADER + Frame.PIECE));
    in.advanceTimeBy(9, TimeUnit.SECONDS);
    in.runScheduledPendingTasks();
    in.checkException();
    in.advanceTimeBy(2, TimeUnit.SECONDS);
    in.runScheduledPendingTasks();
    assertThat(catchThrowableOfType(in::checkException, RefusedFrame.class).reason())
        .isEqualTo(Refusal.SLOW);
  }

  @Test
  void aFirstFrameHasToBeShort() {
    EmbeddedChannel in = new EmbeddedChannel(new Frame.Decoder(true));
    byte[] large = frames(new Frame(Frame.Type.HELLO, 0, new byte[Frame.LARGEST_HELLO]));
    RefusedFrame refused =
        catchThrowableOfType(
            () -> in.writeInbound(Unpooled.wrappedBuffer(large)), RefusedFrame.class);
    assertThat(refused.reason()).isEqualTo(Refusal.OVERSIZED);
  }

  @Test
  void aFrameSentAgainIsRefused() {
    byte[] once = frames(message());
    byte[] twice = Arrays.copyOf(once, 2 * once.length);
    System.arraycopy(once, 0, twice, once.length, once.length);
    Decoded decoded = Decoded.of(twice, twice.length);
    assertThat(decoded.frames).hasSize(1);
    assertThat(decoded.refusal).isEqualTo(Refusal.REPLAYED);
  }

  @Test
  void aMissingFrameIsRefused() {
    byte[] first = frames(message());
    byte[] both = frames(message(), message());
    byte[] second = Arrays.copyOfRange(both, first.length, both.length);
    assertThat(Decoded.of(second, second.length).refusal).isEqualTo(Refusal.MALFORMED);
  }

  @Test
  void anotherVersionOrTypeIsRefused() {
    for (int at : new int[] {4, 5}) {
      byte[] bytes = frames(message());
      bytes[at] = 9;
      assertThat(Decoded.of(bytes, bytes.length).refusal).isEqualTo(Refusal.MALFORMED);
    }
  }

  @Test
  void bodiesAreReadStrictly() {
    for (String body :
        List.of(
            "",
            "null",
            "[]",
            "{}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\"}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":null}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":\"1\"}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":1.5}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":1,\"x\":2}",
            "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":1} {}",
            "{\"@\":\"dev.plumbline.k2.K2Message$Read\",\"txn\":null,\"key\":1}",
            "{\"@\":\"dev.plumbline.k2.K2Message$LogEntries\",\"from\":1,\"entries\":[null]}",
            "{\"@\":\"dev.plumbline.k2.K2Request$Commit\",\"txn\":\"t\"}",
            "{\"@\":\"java.io.File\",\"path\":\"x\"}")) {
      RefusedFrame refused =
          catchThrowableOfType(
              () -> Wire.message(body.getBytes(StandardCharsets.UTF_8)), RefusedFrame.class);
      assertThat(refused).as(body).isNotNull();
      assertThat(refused.reason()).isEqualTo(Refusal.MALFORMED);
    }
    assertThat(
            Wire.message(
                "{\"@\":\"dev.plumbline.k2.K2Message$BatchRequest\",\"id\":1}"
                    .getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new K2Message.BatchRequest(1));
  }

  /** Whatever comes in: frames, a refusal, or waiting for more; nothing else, and no message. */
  private static void survives(byte[] bytes, int piece) {
    for (Frame frame : Decoded.of(bytes, piece).frames) {
      RefusedFrame refused =
          catchThrowableOfType(() -> Wire.message(frame.body()), RefusedFrame.class);
      assertThat(refused == null || refused.reason() == Refusal.MALFORMED).isTrue();
    }
  }

  @Property(tries = 2000)
  void randomBytesAreRefusedOrWaitedFor(
      @ForAll @Size(max = 200) byte[] bytes, @ForAll @IntRange(min = 1, max = 64) int piece) {
    survives(bytes, piece);
  }

  @Property(tries = 1000)
  void randomBytesAfterAHeaderAreNoMessage(@ForAll @Size(max = 200) byte[] body) {
    survives(frames(new Frame(Frame.Type.MESSAGE, 1, body)), 50);
  }

  @Property(tries = 1000)
  void truncatedFramesGiveNothing(@ForAll("cuts") int cut) {
    byte[] whole = frames(message());
    Decoded decoded = Decoded.of(Arrays.copyOf(whole, cut), 16);
    assertThat(decoded.frames).isEmpty();
    assertThat(decoded.refusal).isNull();
  }

  @Provide
  Arbitrary<Integer> cuts() {
    return Arbitraries.integers().between(0, frames(message()).length - 1);
  }

  @Property(tries = 2000)
  void flippedBitsAreRefusedOrAnotherWellFormedMessage(
      @ForAll("cuts") int at, @ForAll @IntRange(min = 0, max = 7) int bit) {
    byte[] bytes = frames(message(), message());
    bytes[at] ^= (byte) (1 << bit);
    survives(bytes, 33);
    if (at < 14) {
      assertThat(Decoded.of(bytes, bytes.length).frames)
          .as("a flipped length, version, type or sequence number")
          .noneMatch(f -> f.type() == Frame.Type.MESSAGE && f.number() == 41 && at >= 6);
    }
  }
}
