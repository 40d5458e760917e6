package dev.plumbline.sim;

import dev.plumbline.machine.Input;
import dev.plumbline.protocol.Bandwidth;
import dev.plumbline.protocol.Fault;
import dev.plumbline.protocol.RttTable;
import java.util.ArrayList;
import java.util.List;

/**
 * Delays, loses, duplicates and cuts off messages. Endpoints are the nodes by index, then one for
 * the clients of each region. What a node sends to itself always arrives.
 */
final class Network {
  private static final long LOOPBACK_MICROS = 5;
  private static final long JITTER_PERCENT = 10;
  private static final int JITTER = 1;
  private static final int COPY_JITTER = 2;

  private final Simulator sim;
  private final EventQueue events;
  private final long seed;
  private final long[][] oneWayMicros;
  private final int[] regionOf;
  private final List<Link> links = new ArrayList<>();
  private final Bandwidth[] bandwidths;
  private final double[] sendsFrom;
  private final double[] receivesFrom;
  private long forwarded;
  private long sent;

  /** A link fault in force. */
  private record Link(Fault fault, boolean[] from, boolean[] to) {
    boolean covers(int sender, int receiver) {
      return from[sender] && to[receiver];
    }
  }

  /**
   * @param regionOf each endpoint's region
   * @param bandwidths of the nodes
   */
  Network(Simulator sim, RttTable table, int[] regionOf, List<Bandwidth> bandwidths) {
    this.bandwidths = bandwidths.toArray(Bandwidth[]::new);
    sendsFrom = new double[bandwidths.size()];
    receivesFrom = new double[bandwidths.size()];
    this.sim = sim;
    this.events = sim.events();
    this.seed = sim.seed();
    this.regionOf = regionOf;
    int regions = table.regions().size();
    oneWayMicros = new long[regions][regions];
    for (int i = 0; i < regions; i++) {
      for (int j = 0; j < regions; j++) {
        oneWayMicros[i][j] = table.rttMicros(i, j) / 2;
      }
    }
  }

  /** How many messages nodes sent to other nodes. */
  long sent() {
    return sent;
  }

  void begin(Fault fault, boolean[] from, boolean[] to) {
    links.add(new Link(fault, from, to));
  }

  void end(Fault fault) {
    links.removeIf(link -> link.fault == fault);
  }

  void heal() {
    links.clear();
  }

  void send(SimNode.Envelope envelope) {
    int from = envelope.sender.index;
    SimNode to = envelope.to.believedBy(from);
    envelope.copied();
    if (to.index == from) {
      events.at(events.now() + LOOPBACK_MICROS, new Arrival(to, envelope));
      return;
    }
    sent++;
    long subject = ((long) from << 40) + envelope.number;
    long delay = delay(from, to.index, subject, JITTER);
    long left = left(from, envelope);
    if (delay >= 0) {
      events.at(left + delay, new Arrival(to, envelope));
    }
    if (delay >= 0 && duplicated(from, to.index, subject)) {
      envelope.copied();
      long copyDelay = delay(from, to.index, subject, COPY_JITTER);
      events.at(left + (copyDelay >= 0 ? copyDelay : 2 * delay), new Arrival(to, envelope));
    }
    if (delay < 0) {
      envelope.dropped();
    }
  }

  /** When a message has left its sender, after those that wait for the same link. */
  private long left(int from, SimNode.Envelope envelope) {
    long length = envelope.delivery.message().length();
    double takes = Bandwidth.micros(length, bandwidths[from].upMbps());
    sendsFrom[from] = Math.max(events.now(), sendsFrom[from]) + takes;
    return Math.round(sendsFrom[from]);
  }

  /** When a message that reaches a node's link now has come through it. */
  private long through(int to, SimNode.Envelope envelope) {
    long length = envelope.delivery.message().length();
    double takes = Bandwidth.micros(length, bandwidths[to].downMbps());
    receivesFrom[to] = Math.max(events.now(), receivesFrom[to]) + takes;
    return Math.round(receivesFrom[to]);
  }

  /** A node without an instance hands a message on to whom it knows to own the role now. */
  void forward(SimNode from, SimNode.Envelope envelope) {
    SimNode to = envelope.to.owner;
    long delay = delay(from.index, to.index, nextForward(), JITTER);
    if (delay < 0) {
      envelope.dropped();
    } else {
      events.at(events.now() + delay, new Arrival(to, envelope));
    }
  }

  void forwardRequest(SimNode from, Input.ClientRequest request) {
    deliverRequest(from.index, from.role.owner, nextForward(), request);
  }

  /** A client of an endpoint asks the owner of a role. */
  void request(int endpoint, SimRole role, Input.ClientRequest request) {
    deliverRequest(endpoint, role.believedBy(endpoint), request.requestId(), request);
  }

  /** Subjects of forwards' draws: negative, so that they meet no message's. */
  private long nextForward() {
    forwarded++;
    return -forwarded;
  }

  private void deliverRequest(int from, SimNode to, long subject, Input.ClientRequest request) {
    long delay = delay(from, to.index, subject, JITTER);
    if (delay >= 0) {
      events.at(events.now() + delay, () -> to.request(request));
    }
  }

  void reply(SimNode from, long requestId, Record response) {
    int endpoint = sim.clientEndpoint(requestId);
    if (endpoint < 0) {
      return;
    }
    long delay = delay(from.index, endpoint, requestId, COPY_JITTER);
    if (delay >= 0) {
      events.at(events.now() + delay, () -> sim.respond(requestId, response));
    }
  }

  /** One way, microseconds; negative if the message is lost. */
  private long delay(int from, int to, long subject, int purpose) {
    long base = oneWayMicros[regionOf[from]][regionOf[to]];
    long micros =
        1 + base + Draw.below(Draw.bits(seed, subject, purpose), base * JITTER_PERCENT / 100 + 1);
    for (int i = 0; i < links.size(); i++) {
      Link link = links.get(i);
      if (link.fault instanceof Fault.Partition partition && !partition.oneWay()) {
        if (link.covers(from, to) || link.covers(to, from)) {
          return -1;
        }
      } else if (link.covers(from, to)) {
        if (link.fault instanceof Fault.Partition) {
          return -1;
        } else if (link.fault instanceof Fault.Loss loss) {
          if (happens(loss, subject, purpose, loss.permille())) {
            return -1;
          }
        } else if (link.fault instanceof Fault.Delay slow) {
          micros += slow.micros();
        } else if (link.fault instanceof Fault.Reorder reorder) {
          micros +=
              Draw.below(
                  Draw.bits(seed, subject, salt(reorder) + purpose), reorder.spreadMicros() + 1);
        }
      }
    }
    return micros;
  }

  private boolean duplicated(int from, int to, long subject) {
    for (int i = 0; i < links.size(); i++) {
      Link link = links.get(i);
      if (link.fault instanceof Fault.Duplicate duplicate
          && link.covers(from, to)
          && happens(duplicate, subject, JITTER, duplicate.permille())) {
        return true;
      }
    }
    return false;
  }

  private boolean happens(Fault fault, long subject, int purpose, int permille) {
    return Draw.below(Draw.bits(seed, subject, salt(fault) + purpose), 1000) < permille;
  }

  /** Tells the draws of one fault from those of another, whatever else is in the plan. */
  private static long salt(Fault fault) {
    return 16 + fault.at() * 16;
  }

  private final class Arrival extends EventQueue.Event {
    private final SimNode to;
    private final SimNode.Envelope envelope;

    Arrival(SimNode to, SimNode.Envelope envelope) {
      this.to = to;
      this.envelope = envelope;
    }

    @Override
    void happen() {
      long at = through(to.index, envelope);
      if (at <= events.now()) {
        to.arrive(envelope);
      } else {
        events.at(at, () -> to.arrive(envelope));
      }
    }
  }
}
