package dev.plumbline.engage;

import java.util.List;

/**
 * A client's side (section III-D): its two clocks, what its own updates are tagged with, and where
 * it may leave them out. It moves between cloudlets as it likes and has one operation open at a
 * time.
 */
public class ClientSession {
  /** Ends the name of a life that began with clocks of another client. */
  public static final String RESUMED = "r";

  protected final EngageConfig config;
  private final Layout layout;
  private final String name;
  private long lives = 1;
  private boolean resumed;
  private VectorClock readClock;
  private VectorClock writeClock;
  private VectorClock tagClock;
  private SealedClock given;
  private String attached = "none";

  /**
   * @param name unique among all clients that there ever are
   */
  public ClientSession(EngageConfig config, Layout layout, String name) {
    this.config = config;
    this.layout = layout;
    this.name = name;
    readClock = layout.zero();
    writeClock = layout.zero();
    tagClock = layout.zero();
    given = layout.sealedZero();
  }

  /**
   * The name on requests: another after each operation of which the client knows no outcome, and
   * one that says so where the clocks are another client's.
   */
  public final String life() {
    return name + "." + lives + (resumed ? RESUMED : "");
  }

  public final EngageRequest read(String object, String cloudlet, List<String> asks) {
    return new EngageRequest.Read(life(), object, asks, token(cloudlet, false));
  }

  public final EngageRequest write(
      String object, String value, String cloudlet, List<String> asks) {
    return new EngageRequest.Write(life(), object, value, asks, token(cloudlet, true));
  }

  /** The clocks that go with a request. */
  private EngageRequest.Token token(String cloudlet, boolean write) {
    boolean sends = sends(cloudlet, write);
    return new EngageRequest.Token(
        config.cluster(),
        sends,
        sends ? readClock : layout.zero(),
        sends ? writeClock : layout.zero(),
        sends ? tagClock : layout.zero(),
        (sends ? given : layout.sealedZero()).seals());
  }

  /** Whether the clocks have to go with a request. */
  protected boolean sends(String cloudlet, boolean write) {
    return config.reads(EngageConfig.CLOCKS_ALWAYS)
        || !attached.equals(cloudlet)
        || (write && config.repaired(EngageConfig.SEND_ON_WRITE));
  }

  /** A read was answered. */
  public final void answered(String cloudlet, EngageResponse.Value value) {
    take(value.object());
    readClock = readClock.max(value.object().clock());
    attach(cloudlet, value.cloudlet());
  }

  /** A write was answered. */
  public final void answered(String cloudlet, EngageResponse.Written written) {
    VectorClock kept = written.kept().clock();
    int here = layout.index(cloudlet);
    take(written.kept());
    writeClock = writeClock.max(layout.zero().with(here, kept.at(here)));
    tagClock = tagClock.max(kept);
    attach(cloudlet, written.cloudlet());
  }

  /** The seals of all that this client's clocks name. */
  private void take(SealedClock clock) {
    given = given.max(clock);
  }

  private void attach(String cloudlet, VectorClock there) {
    boolean covered = there.covers(readClock) && there.covers(writeClock);
    attached = covered || !config.repaired(EngageConfig.COVERED) ? cloudlet : "none";
  }

  /** No answer came: what was asked may yet happen, and binds this client to nothing. */
  public final void lost() {
    lives++;
    resumed = false;
    attached = "none";
  }

  public final VectorClock readClock() {
    return readClock;
  }

  public final VectorClock writeClock() {
    return writeClock;
  }

  public final VectorClock tagClock() {
    return tagClock;
  }

  /** The cloudlet at which the clocks may be left out, or "none". */
  public final String attached() {
    return attached;
  }

  /** The clocks, to go on with in another process. */
  public final EngageRequest.Token token() {
    return new EngageRequest.Token(
        config.cluster(), true, readClock, writeClock, tagClock, given.seals());
  }

  /**
   * Goes on with clocks that {@link #token} gave.
   *
   * @throws IllegalArgumentException if they are another cluster's, or impossible
   */
  public final void resume(EngageRequest.Token token) {
    if (token.cluster() == config.cluster() && !layout.fits(token)) {
      throw new IllegalArgumentException(
          "the session's clocks are none of this cluster's: one has an impossible entry, or not an"
              + " entry for each of its cloudlets; begin a new session");
    } else if (token.cluster() != config.cluster()) {
      throw new IllegalArgumentException(
          "the session's clocks are another cluster's (its number is "
              + token.cluster()
              + ", this one's "
              + config.cluster()
              + "); begin a new session");
    }
    readClock = token.read();
    writeClock = token.write();
    tagClock = token.tag();
    given = new SealedClock(token.named(), token.seals());
    lost();
    resumed = true;
  }
}
