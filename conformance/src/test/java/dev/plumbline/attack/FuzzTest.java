package dev.plumbline.attack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.Message;
import dev.plumbline.machine.Timer;
import dev.plumbline.node.Frame;
import dev.plumbline.node.NodeConfig;
import dev.plumbline.node.RefusedFrame;
import dev.plumbline.node.Wire;
import dev.plumbline.protocol.ClientDriver;
import dev.plumbline.protocol.MicroOp;
import dev.plumbline.protocol.NodeSpec;
import dev.plumbline.protocol.ProtocolSystem;
import dev.plumbline.protocol.Protocols;
import dev.plumbline.protocol.Settings;
import dev.plumbline.protocol.Topology;
import dev.plumbline.protocol.Transaction;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever bytes come, the decoder reads or refuses them; whatever a client may ask, no machine
 * fails at it. {@code jqwik.tries.default} says how often: ci/nightly goes on for an hour.
 */
class FuzzTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int REQUESTS = 12;
  private static final int STEPS = 600;

  @Property
  void theDecoderReadsOrRefuses(@ForAll long seed) {
    Random random = new Random(seed);
    EmbeddedChannel encoder = new EmbeddedChannel(new Frame.Encoder());
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      byte[] body = new byte[random.nextInt(60)];
      random.nextBytes(body);
      Frame.Type type = Frame.Type.values()[random.nextInt(Frame.Type.values().length)];
      encoder.writeOutbound(new Frame(type, random.nextLong(), body));
      ByteBuf out = encoder.readOutbound();
      sent.writeBytes(ByteBufUtil.getBytes(out));
      out.release();
    }
    byte[] bytes = spoilt(sent.toByteArray(), random);
    EmbeddedChannel decoder = new EmbeddedChannel(new Frame.Decoder(random.nextBoolean()));
    boolean refused = false;
    for (int at = 0; at < bytes.length; ) {
      int size = Math.min(bytes.length - at, 1 + random.nextInt(80));
      boolean over = refused;
      try {
        decoder.writeInbound(Unpooled.copiedBuffer(bytes, at, size));
      } catch (RefusedFrame e) {
        assertThat(e.reason()).isNotNull();
        refused = true;
      }
      Object read = decoder.readInbound();
      while (read != null) {
        assertThat(over).as("nothing is read after what was refused").isFalse();
        assertThat(((Frame) read).body().length).isLessThanOrEqualTo(bytes.length);
        read = decoder.readInbound();
      }
      at += size;
    }
    decoder.finishAndReleaseAll();
    encoder.finishAndReleaseAll();
  }

  private static byte[] spoilt(byte[] bytes, Random random) {
    byte[] spoilt = bytes.clone();
    for (int i = random.nextInt(4); i > 0 && spoilt.length > 0; i--) {
      switch (random.nextInt(3)) {
        case 0 -> spoilt[random.nextInt(spoilt.length)] ^= (byte) (1 << random.nextInt(8));
        case 1 -> spoilt = Arrays.copyOf(spoilt, random.nextInt(spoilt.length));
        default -> spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
      }
    }
    return spoilt;
  }

  private static ProtocolSystem some(Random random) {
    List<ProtocolSystem> served =
        Protocols.all().stream().filter(each -> !each.responses().isEmpty()).toList();
    return served.get(random.nextInt(served.size()));
  }

  @Property
  void aBodyIsReadOrRefused(@ForAll long seed) {
    Random random = new Random(seed);
    ProtocolSystem protocol = some(random);
    Topology topology = NodeConfig.of(protocol.name(), Map.of()).topology();
    Set<Class<?>> taken = new TreeSet<>((a, b) -> a.getName().compareTo(b.getName()));
    for (List<NodeSpec> to : topology.roles().values()) {
      taken.addAll(protocol.requests(to.get(0).kind()));
      for (List<NodeSpec> from : topology.roles().values()) {
        taken.addAll(protocol.messages(from.get(0).kind(), to.get(0).kind()));
      }
    }
    List<Class<?>> all = List.copyOf(taken);
    Class<?> type = all.get(random.nextInt(all.size()));
    byte[] body = new Bodies(random, List.of("a", "b")).valid(type);
    try {
      Record read = Wire.record(spoilt(body, random), new Wire.Types(taken));
      assertThat(taken).contains(read.getClass());
    } catch (RefusedFrame e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @Property
  void noMachineFailsAtWhatClientsMayAsk(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    new World(some(random), random).run();
  }

  /**
   * A protocol's machines, with a network that loses nothing, and clients that ask for anything.
   */
  private static final class World {
    private final ProtocolSystem protocol;
    private final Random random;
    private final Settings settings;
    private final Topology topology;
    private final Map<String, NodeSpec> owners;
    private final Map<String, Machine> machines = new TreeMap<>();
    private final Map<String, Map<Timer, Long>> timers = new TreeMap<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final Map<Long, ClientDriver> asked = new TreeMap<>();
    private long now = 1_000_000;
    private long requests;
    private int replies;

    World(ProtocolSystem protocol, Random random) {
      this.protocol = protocol;
      this.random = random;
      NodeConfig config = NodeConfig.of(protocol.name(), protocol.clusterParameters());
      settings = config.settings();
      topology = config.topology();
      owners = NodeConfig.owners(topology);
      owners.forEach(
          (role, spec) -> {
            machines.put(role, protocol.machine(spec, topology, settings));
            timers.put(role, new java.util.HashMap<>());
            give(role, new Input.Start(1, List.of()));
          });
    }

    void run() throws IOException {
      for (int i = 0; i < REQUESTS; i++) {
        ask();
        for (int step = 0; step < STEPS / REQUESTS; step++) {
          if (waiting.isEmpty() || random.nextInt(8) == 0) {
            fire();
          } else {
            waiting.poll().run();
          }
        }
      }
      for (int step = 0; step < STEPS && !waiting.isEmpty(); step++) {
        waiting.poll().run();
      }
    }

    private void give(String role, Input input) {
      NodeSpec spec = owners.get(role);
      ClockReading clock =
          spec.trueTime() ? new ClockReading(now, now - 10, now + 10) : ClockReading.local(now);
      machines.get(role).handle(input, clock, new Post(role));
    }

    /** The timer that is due first, at some node. */
    private void fire() {
      String role = null;
      Timer first = null;
      long due = Long.MAX_VALUE;
      for (Map.Entry<String, Map<Timer, Long>> of : timers.entrySet()) {
        for (Map.Entry<Timer, Long> timer : of.getValue().entrySet()) {
          if (timer.getValue() < due) {
            role = of.getKey();
            first = timer.getKey();
            due = timer.getValue();
          }
        }
      }
      if (first != null) {
        now = Math.max(now, due);
        timers.get(role).remove(first);
        give(role, new Input.TimerFired(first));
      }
    }

    /** A transaction as clients ask for it, and often with something else in its place. */
    private void ask() throws IOException {
      List<MicroOp> ops = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        long key = random.nextInt(6);
        ops.add(
            switch (random.nextInt(4)) {
              case 0 -> MicroOp.read(key);
              case 1 -> MicroOp.write(key, random.nextInt(9));
              case 2 -> MicroOp.add(key, random.nextInt(9) - 4);
              default -> MicroOp.append(key, random.nextInt(9));
            });
      }
      List<String> regions = topology.regions();
      String region = regions.get(random.nextInt(regions.size()));
      ClientDriver driver =
          protocol.client(random.nextInt(1 << 20), random.nextInt(4), region, topology, settings);
      next(driver, driver.begin(new Transaction(Transaction.Kind.READ_WRITE, ops, 0)));
    }

    private void next(ClientDriver driver, ClientDriver.Next next) throws IOException {
      if (next instanceof ClientDriver.Call call) {
        byte[] body = Wire.record(call.request());
        Set<Class<?>> taken = protocol.requests(owners.get(call.role()).kind());
        for (int i = random.nextInt(3); i > 0; i--) {
          try {
            Record odd = Wire.record(altered(body), new Wire.Types(taken));
            give(call.role(), new Input.ClientRequest(--requests, odd, "odd"));
          } catch (RefusedFrame e) {
            assertThat(e.reason()).isNotNull();
          }
        }
        asked.put(++replies + 1_000_000L, driver);
        give(call.role(), new Input.ClientRequest(replies + 1_000_000L, call.request(), "client"));
      }
    }

    /** With another value in one place. */
    private byte[] altered(byte[] body) throws IOException {
      JsonNode tree = JSON.readTree(body);
      List<Runnable> places = new ArrayList<>();
      places(tree, places);
      if (!places.isEmpty()) {
        places.get(random.nextInt(places.size())).run();
      }
      return JSON.writeValueAsBytes(tree);
    }

    private void places(JsonNode tree, List<Runnable> places) {
      if (tree instanceof ObjectNode object) {
        object
            .fields()
            .forEachRemaining(
                field -> {
                  if (!field.getKey().equals("@")) {
                    places.add(() -> field.setValue(other(field.getValue())));
                    places(field.getValue(), places);
                  }
                });
      } else if (tree instanceof ArrayNode array) {
        for (int i = 0; i < array.size(); i++) {
          int place = i;
          places.add(() -> array.set(place, other(array.get(place))));
          places(array.get(i), places);
        }
      }
    }

    private JsonNode other(JsonNode value) {
      long[] numbers = {0, 1, -1, 7, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE};
      if (value.isNumber()) {
        return JSON.getNodeFactory().numberNode(numbers[random.nextInt(numbers.length)]);
      } else if (value.isTextual()) {
        String[] words = {"", "0", "x", "-1", "ADD", "WRITE", "READ", "APPEND", "9".repeat(40)};
        return JSON.getNodeFactory().textNode(words[random.nextInt(words.length)]);
      } else if (value instanceof ArrayNode array && !array.isEmpty() && random.nextBoolean()) {
        ArrayNode more = JSON.createArrayNode();
        Collections.nCopies(1 + random.nextInt(3), array).forEach(more::addAll);
        return more;
      }
      return value.isArray() ? JSON.createArrayNode() : JSON.createObjectNode();
    }

    /** What a machine does goes through bytes, as between processes. */
    private final class Post implements Effects {
      private final String from;

      Post(String from) {
        this.from = from;
      }

      @Override
      public void send(String to, Message message) {
        if (machines.containsKey(to)) {
          Message read = Wire.message(Wire.message(message));
          waiting.add(() -> give(to, new Input.Deliver(from, read)));
        }
      }

      @Override
      public void setTimer(Timer timer, long delayMicros) {
        timers.get(from).put(timer, now + delayMicros);
      }

      @Override
      public void cancelTimer(Timer timer) {
        timers.get(from).remove(timer);
      }

      @Override
      public void reply(long requestId, Record response) {
        Wire.Types taken = new Wire.Types(protocol.responses());
        assertThat(Wire.record(Wire.record(response), taken)).isEqualTo(response);
        ClientDriver driver = asked.remove(requestId);
        if (driver != null) {
          waiting.add(
              () -> {
                try {
                  next(driver, driver.answered(response));
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
        }
      }

      @Override
      public void persist(Record record) {
        assertThat(Wire.record(Wire.record(record))).isEqualTo(record);
      }

      @Override
      public boolean tracing() {
        return false;
      }

      @Override
      public void trace(String action, Map<String, ?> args, Map<String, ?> state) {
        assertThat(action).isNotEmpty();
      }
    }
  }
}
