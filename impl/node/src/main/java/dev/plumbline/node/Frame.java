package dev.plumbline.node;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.MessageToByteEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is sent: four bytes of length (of all that follows), a byte of version, a byte of type,
 * eight bytes of sequence number, eight bytes of {@code number}, and the body. Integers are
 * big-endian. A body of more than {@link #PIECE} bytes goes in several frames with one number: all
 * but the last are of type 4 and have that many bytes of it, the last has the type and the rest.
 *
 * @param type what the body is
 * @param number of the message, unique for its sender; of the request, which its reply repeats; 0
 *     for a HELLO
 * @param body JSON
 */
public record Frame(Type type, long number, byte[] body) {
  /** The version of the format. */
  public static final int VERSION = 1;

  /** The longest that is taken, header and body, however many frames it needs. */
  public static final int LARGEST = 32 << 20;

  /** The most bytes of a body that go in one frame. */
  static final int PIECE = 1 << 20;

  /** The longest request. */
  static final int LARGEST_REQUEST = 256 << 10;

  /** The longest first frame of a connection. */
  static final int LARGEST_HELLO = 1024;

  static final int HEADER = 1 + 1 + Long.BYTES + Long.BYTES;

  /** What a frame's body is; its number on the wire is its ordinal. */
  public enum Type {
    HELLO,
    MESSAGE,
    REQUEST,
    REPLY,
    /** Of all frames of a body but the last; the whole has the type of that. */
    PART,
    /** Empty; shows whether what its sender sends is let in. */
    PROBE
  }

  /** Whether {@link Decoder} takes it. */
  boolean fits() {
    return length() <= LARGEST;
  }

  /** Bytes, without those that say so. */
  int length() {
    return HEADER + body.length;
  }

  /** Numbers a connection's frames from 0 and writes them. */
  public static final class Encoder extends MessageToByteEncoder<Frame> {
    private long sequence;

    @Override
    protected void encode(ChannelHandlerContext context, Frame frame, ByteBuf out) {
      int from = 0;
      for (; frame.body.length - from > PIECE; from += PIECE) {
        write(Type.PART, frame, from, PIECE, out);
      }
      write(frame.type, frame, from, frame.body.length - from, out);
    }

    @SuppressWarnings("EnumOrdinal")
    private void write(Type type, Frame frame, int from, int bytes, ByteBuf out) {
      out.writeInt(HEADER + bytes);
      out.writeByte(VERSION);
      out.writeByte(type.ordinal());
      out.writeLong(sequence++);
      out.writeLong(frame.number);
      out.writeBytes(frame.body, from, bytes);
    }
  }

  /**
   * Reads a connection's frames; throws {@link RefusedFrame} at the first that is not the next one
   * of this format, and reads nothing after it.
   */
  // What is scheduled cannot fail, and is never waited for.
  @SuppressWarnings("FutureReturnValueIgnored")
  public static final class Decoder extends ByteToMessageDecoder {
    private static final Type[] TYPES = Type.values();

    /** In which a frame is to be ended. */
    private static final long SECONDS = 10;

    private final List<byte[]> parts = new ArrayList<>();
    private long partsOf;
    private int limit;
    private int later = LARGEST;
    private long sequence;
    private boolean refused;
    private boolean partial;
    private boolean watched;

    /**
     * @param hello whether the first frame is to be a HELLO, and thus short
     */
    public Decoder(boolean hello) {
      limit = hello ? LARGEST_HELLO : LARGEST;
    }

    /** From the next frame on, nothing is longer. */
    void limit(int bytes) {
      limit = bytes;
      later = bytes;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      if (refused) {
        in.skipBytes(in.readableBytes());
        return;
      }
      read(in, out);
      partial = out.isEmpty();
      watch(context);
    }

    /**
     * A frame that was begun is to be ended in time, and the next one after a part; before HELLO
     * there is a time for that.
     */
    private void watch(ChannelHandlerContext context) {
      if (!partial || watched || sequence == 0) {
        return;
      }
      watched = true;
      long at = sequence;
      context
          .executor()
          .schedule(
              () -> {
                watched = false;
                if (refused || !context.channel().isActive()) {
                  return;
                }
                if (partial && sequence == at) {
                  context.fireExceptionCaught(
                      refuse(Refusal.SLOW, "a frame not ended in " + SECONDS + " s"));
                } else {
                  watch(context);
                }
              },
              SECONDS,
              TimeUnit.SECONDS);
    }

    private void read(ByteBuf in, List<Object> out) {
      if (in.readableBytes() < Integer.BYTES) {
        return;
      }
      int length = in.getInt(in.readerIndex());
      if (length < HEADER) {
        throw refuse(Refusal.MALFORMED, "a frame of " + length + " bytes");
      } else if (length > Math.min(limit, HEADER + PIECE)) {
        throw refuse(Refusal.OVERSIZED, "a frame of " + length + " bytes, more than are taken");
      } else if (length + parts.size() * PIECE > limit) {
        throw refuse(Refusal.OVERSIZED, "more than " + limit + " bytes in parts");
      } else if (in.readableBytes() < Integer.BYTES + length) {
        return;
      }
      in.skipBytes(Integer.BYTES);
      int version = in.readByte();
      int coded = in.readByte();
      long found = in.readLong();
      long number = in.readLong();
      if (version != VERSION || coded < 0 || coded >= TYPES.length) {
        throw refuse(Refusal.MALFORMED, "version " + version + ", type " + coded);
      }
      Type type = TYPES[coded];
      if (type == Type.PART && length != HEADER + PIECE) {
        throw refuse(Refusal.MALFORMED, "a part of " + (length - HEADER) + " bytes");
      } else if (!parts.isEmpty() && number != partsOf) {
        throw refuse(Refusal.MALFORMED, "frame " + number + " among the parts of " + partsOf);
      } else if (found != sequence) {
        throw refuse(
            found >= 0 && found < sequence ? Refusal.REPLAYED : Refusal.MALFORMED,
            "sequence number " + found + " where " + sequence + " is next");
      }
      sequence++;
      limit = later;
      byte[] bytes = new byte[length - HEADER];
      in.readBytes(bytes);
      if (type == Type.PART) {
        partsOf = number;
        parts.add(bytes);
      } else {
        out.add(new Frame(type, number, joined(bytes)));
      }
    }

    /** The body that ends with these bytes. */
    private byte[] joined(byte[] last) {
      if (parts.isEmpty()) {
        return last;
      }
      ByteBuffer whole = ByteBuffer.allocate(parts.size() * PIECE + last.length);
      parts.forEach(whole::put);
      parts.clear();
      return whole.put(last).array();
    }

    private RefusedFrame refuse(Refusal reason, String message) {
      refused = true;
      return new RefusedFrame(reason, message);
    }
  }
}
