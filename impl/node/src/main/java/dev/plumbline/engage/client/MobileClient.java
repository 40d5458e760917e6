package dev.plumbline.engage.client;

import dev.plumbline.engage.ClientSession;
import dev.plumbline.engage.EngageRequest;
import dev.plumbline.engage.EngageResponse;
import dev.plumbline.history.Guarantee;
import dev.plumbline.node.Connections;
import dev.plumbline.node.Connector;
import dev.plumbline.node.RefusedFrame;
import dev.plumbline.node.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A client and its session. It asks the cloudlet that it prefers, or where that does not replicate
 * the object the nearest one that does, and chooses guarantees for each operation. For one thread.
 */
public final class MobileClient implements AutoCloseable {
  private final EngageStore store;
  private final Duration patience;
  private final ClientSession session;
  private String preferred;
  private final Connections connections;

  MobileClient(EngageStore store, String name, String cloudlet, Duration patience) {
    this.store = store;
    given(patience, "patience");
    this.patience = patience;
    connections = new Connections(store.connector());
    session = new ClientSession(store.config(), store.layout(), name);
    moveTo(cloudlet);
  }

  /**
   * Prefers another cloudlet from now on.
   *
   * @throws IllegalArgumentException if there is no such cloudlet
   */
  public void moveTo(String cloudlet) {
    given(cloudlet, "cloudlet");
    if (!store.cloudlets().contains(cloudlet)) {
      throw new IllegalArgumentException(
          "there is no cloudlet "
              + cloudlet
              + "; there are "
              + String.join(", ", store.cloudlets()));
    }
    if (preferred != null && !cloudlet.equals(preferred)) {
      // A cloudlet has room for so many clients. Who goes to and fro needs both.
      Set<String> near = store.asked(cloudlet);
      near.addAll(store.asked(preferred));
      connections.keepOnly(near);
    }
    preferred = cloudlet;
  }

  /** The cloudlet that this client prefers. */
  public String cloudlet() {
    return preferred;
  }

  /**
   * An object's value; empty if it was never written.
   *
   * @param object a partition's name, a slash, and anything
   * @throws RefusedException if that makes no sense
   * @throws IOException if no answer came in time
   */
  public Optional<String> read(String object, Set<Guarantee> asks) throws IOException {
    given(object, "object");
    given(asks, "asks");
    String cloudlet = store.nearest(preferred, object);
    Record answer = ask(cloudlet, session.read(object, cloudlet, words(asks)));
    taken(cloudlet, answer, () -> session.answered(cloudlet, (EngageResponse.Value) answer));
    return ((EngageResponse.Value) answer).values().stream().findFirst();
  }

  /**
   * Writes an object.
   *
   * @throws RefusedException if that makes no sense: nothing is written
   * @throws IOException if no answer came in time: the value may be written now, later, or never
   */
  public void write(String object, String value, Set<Guarantee> asks) throws IOException {
    given(object, "object");
    given(value, "value");
    given(asks, "asks");
    if (value.length() > store.largestValue()) {
      throw new RefusedException(
          "a value of "
              + value.length()
              + " characters is too long: at most "
              + store.largestValue()
              + "; cut it, or raise the cluster's largestValue");
    }
    String cloudlet = store.nearest(preferred, object);
    Record answer = ask(cloudlet, session.write(object, value, cloudlet, words(asks)));
    taken(cloudlet, answer, () -> session.answered(cloudlet, (EngageResponse.Written) answer));
  }

  private static void given(Object argument, String name) {
    Objects.requireNonNull(argument, () -> name + " is null; name one");
  }

  private static List<String> words(Set<Guarantee> asks) {
    return asks.stream().sorted().map(g -> g.word().toUpperCase(Locale.ROOT)).toList();
  }

  /** What a node says is not trusted to be an answer to what it was asked. */
  private void taken(String cloudlet, Record answer, Runnable taking) throws IOException {
    if (answer instanceof EngageResponse.Refused refused) {
      throw new RefusedException(refused.why());
    }
    try {
      taking.run();
    } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
      session.lost();
      throw new IOException(cloudlet + ": no answer to what was asked: " + answer, e);
    }
  }

  private Record ask(String cloudlet, EngageRequest request) throws IOException {
    try {
      return connections.ask(cloudlet, (Record) request, Connector.deadline(patience));
    } catch (Connector.TooLong e) {
      throw new RefusedException(e.getMessage());
    } catch (IOException e) {
      session.lost();
      throw new IOException(cloudlet + ": " + e.getMessage(), e);
    }
  }

  /** The session, to go on with in another process: {@link #resume}. */
  public String token() {
    return new String(Wire.record(session.token()), StandardCharsets.UTF_8);
  }

  /**
   * Goes on with the session of another client.
   *
   * @param token what its {@link #token} gave
   * @throws RefusedException if it is none, or another cluster's
   */
  public void resume(String token) throws RefusedException {
    given(token, "token");
    try {
      session.resume(
          (EngageRequest.Token)
              Wire.record(
                  token.getBytes(StandardCharsets.UTF_8),
                  new Wire.Types(List.of(EngageRequest.Token.class))));
    } catch (RefusedFrame e) {
      throw new RefusedException("this is no session's token; begin a new session");
    } catch (IllegalArgumentException e) {
      throw new RefusedException(e.getMessage());
    }
  }

  /** Closes all connections; the next operation makes a new one. */
  @Override
  public void close() {
    connections.close();
  }
}
