package dev.plumbline.metric.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A link is late by what it is told, each way, and loses and turns round nothing. */
@Timeout(60)
class SlowLinkTest {
  private static final long MILLIS = 30;

  private static Socket connect(int port) throws Exception {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  @Test
  void whatIsSentComesLaterEachWay() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        SlowLink link =
            new SlowLink(server.getLocalPort(), TimeUnit.MILLISECONDS.toMicros(MILLIS));
        Socket near = connect(link.port());
        Socket far = server.accept()) {
      long begin = System.nanoTime();
      near.getOutputStream().write(7);
      assertThat(far.getInputStream().read()).isEqualTo(7);
      long there = System.nanoTime();
      far.getOutputStream().write(8);
      assertThat(near.getInputStream().read()).isEqualTo(8);
      long back = System.nanoTime();

      assertThat(there - begin).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(MILLIS));
      assertThat(back - there).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(MILLIS));
    }
  }

  @Test
  void muchIsUnderWayAtOnceAndComesWholeAndInItsOrder() throws Exception {
    byte[] sent = new byte[1 << 20];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = (byte) (i * 31 >> 3);
    }
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        SlowLink link =
            new SlowLink(server.getLocalPort(), TimeUnit.MILLISECONDS.toMicros(MILLIS));
        Socket near = connect(link.port());
        Socket far = server.accept()) {
      near.getOutputStream().write(sent);
      near.shutdownOutput();
      InputStream in = far.getInputStream();

      assertThat(in.readAllBytes()).as("up to its end, which comes too").isEqualTo(sent);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEndIsToldBothWays(boolean reset) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        SlowLink link = new SlowLink(server.getLocalPort(), 0);
        Socket near = connect(link.port())) {
      near.setSoTimeout((int) TimeUnit.SECONDS.toMillis(10));
      Socket far = server.accept();
      far.setSoLinger(reset, 0);
      far.close();
      assertThat(near.getInputStream().read()).isEqualTo(-1);
    }
  }
}
