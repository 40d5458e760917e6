package dev.plumbline.engage;

import dev.plumbline.machine.ClockReading;
import dev.plumbline.machine.Effects;
import dev.plumbline.machine.Input;
import dev.plumbline.machine.Machine;
import dev.plumbline.machine.SpecAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a cloudlet does by itself: sections III-C, III-D, and III-E's rule for remote updates (the
 * specification's module {@code EngageCloudlet}). How updates and metadata travel is left to the
 * classes that extend it.
 */
public abstract class Cloudlet implements Machine {
  private static final List<String> GUARANTEES = List.of("RYW", "MR", "WFR", "MW");

  /** Requests that are held; most of so many were given up by their clients. */
  private static final int MOST_HELD = 10_000;

  protected final EngageConfig config;
  protected final Layout layout;
  protected final String name;
  private final int index;
  private final SortedMap<String, Replica> store = new TreeMap<>();
  private final TreeMap<Update.Id, Update> waiting = new TreeMap<>();
  private final LinkedHashMap<Long, EngageRequest> held = new LinkedHashMap<>();
  private final List<Update> own = new ArrayList<>();
  private VectorClock clock;
  private VectorClock heard;
  private VectorClock known;

  /**
   * An object.
   *
   * @param updates in the order of the value, the latest ones
   * @param clock the object's
   */
  public record Replica(List<Update> updates, VectorClock clock) {
    public Replica {
      updates = List.copyOf(updates);
    }

    /** The update whose value a read returns; none before the first. */
    List<Update> newest() {
      return updates.isEmpty() ? List.of() : List.of(updates.get(updates.size() - 1));
    }
  }

  protected Cloudlet(EngageConfig config, Layout layout, String name) {
    this.config = config;
    this.layout = layout;
    this.name = name;
    index = layout.index(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "there is no cloudlet " + name + "; there are " + String.join(", ", layout.cloudlets()));
    }
    clock = layout.zero();
    heard = layout.zero();
    known = layout.zero();
  }

  // ---- what the way of updates decides ---------------------------------------------------------

  /** The module whose actions this cloudlet's steps are. */
  protected abstract String module();

  /** Sends a new update on its way. */
  protected abstract void publish(Update update, Effects effects);

  /** The same, for one that was sent before the node started. */
  protected abstract void recallPublished(Update update);

  /** Puts a record back that is not this class's. */
  protected abstract void recall(Record record);

  /** Everything was put back. */
  protected abstract void started(Effects effects);

  protected abstract void deliver(String from, EngageMessage message, Effects effects);

  protected abstract void fired(EngageTimer timer, Effects effects);

  // ---- inputs ----------------------------------------------------------------------------------

  @Override
  public final void handle(Input input, ClockReading reading, Effects effects) {
    if (input instanceof Input.Start start) {
      start(start, effects);
    } else if (input instanceof Input.Deliver deliver) {
      deliver(deliver.from(), (EngageMessage) deliver.message(), effects);
    } else if (input instanceof Input.ClientRequest request) {
      request(request.requestId(), (EngageRequest) request.request(), effects);
    } else if (input instanceof Input.TimerFired fired) {
      if (fired.timer() instanceof EngageTimer.Execute due) {
        execute(new Update.Id(due.source(), due.number()), effects);
      } else if (fired.timer() instanceof EngageTimer.Serve due) {
        serveHeld(due.requestId(), effects);
      } else {
        fired((EngageTimer) fired.timer(), effects);
      }
    }
  }

  private void start(Input.Start start, Effects effects) {
    for (Record record : start.durable()) {
      if (record instanceof EngageRecord.Wrote wrote) {
        write(wrote.update());
        recallPublished(wrote.update());
      } else if (record instanceof EngageRecord.Executed executed) {
        execute(waiting.get(new Update.Id(executed.source(), executed.number())));
      } else if (record instanceof EngageRecord.Forgot) {
        forget();
      } else {
        recall(record);
      }
    }
    if (start.epoch() > 1 && !config.repaired(EngageConfig.DURABLE_CLOUDLET)) {
      forget();
      effects.persist(new EngageRecord.Forgot(start.epoch()));
    }
    started(effects);
    arm(effects);
  }

  /** As published only objects and their clocks are on disk; the clock is rebuilt from them. */
  private void forget() {
    clock = layout.zero();
    store.values().forEach(replica -> clock = clock.max(replica.clock()));
    waiting.clear();
    heard = layout.zero();
  }

  // ---- clients' requests (III-D) ---------------------------------------------------------------

  private void request(long id, EngageRequest request, Effects effects) {
    String problem = problem(request);
    if (problem != null) {
      effects.reply(id, new EngageResponse.Refused(problem));
    } else {
      ask(id, request, effects);
    }
  }

  /** Why a request makes no sense here, or null. */
  private String problem(EngageRequest request) {
    EngageRequest.Token token = request.token();
    if (!layout.replicas(request.object()).contains(name)) {
      List<String> replicas = layout.replicas(request.object());
      return name
          + " does not replicate "
          + request.object()
          + (replicas.isEmpty()
              ? "; there is no partition " + Layout.partition(request.object())
              : "; ask " + String.join(", ", replicas));
    }
    if (!GUARANTEES.containsAll(request.asks())) {
      return "a guarantee is one of " + GUARANTEES + ", not " + request.asks();
    }
    if (token.cluster() != config.cluster() || !layout.fits(token)) {
      return "the session's clocks are another cluster's; begin a new session";
    }
    if (token.named().at(index) > clock.at(index)) {
      return "the session's clocks name an update that "
          + name
          + " never made: they are from before its data was lost; begin a new session";
    }
    int unproven = unproven(token);
    if (unproven >= 0) {
      return "the session's clocks name an update of "
          + layout.cloudlets().get(unproven)
          + " that "
          + name
          + " has not heard of, and no seal of this cluster's proves it: they are made up, or from"
          + " before the cluster's secret changed; begin a new session";
    }
    if (request instanceof EngageRequest.Write write
        && write.value().length() > config.largestValue()) {
      return "a value of "
          + write.value().length()
          + " characters is too long: at most "
          + config.largestValue();
    }
    if (held.size() >= MOST_HELD && !safe(request)) {
      return held.size()
          + " requests wait here for updates that have not come; ask again later, elsewhere, or"
          + " for fewer guarantees";
    }
    return null;
  }

  /**
   * The first entry of a client's clocks that names what this cloudlet has not heard of, without
   * proof that it was made; -1 if there is none. A write that is tagged with such an entry would be
   * executed nowhere else, and what this cloudlet makes after it neither.
   */
  private int unproven(EngageRequest.Token token) {
    VectorClock named = token.named();
    VectorClock known = clock.max(heard);
    for (int i = 0; i < layout.cloudlets().size(); i++) {
      if (named.at(i) > known.at(i)
          && !config
              .seals()
              .genuine(layout.cloudlets().get(i), named.at(i), token.seals().get(i))) {
        return i;
      }
    }
    return -1;
  }

  private SealedClock sealed(VectorClock given) {
    return SealedClock.of(given, layout, config.seals());
  }

  @SpecAction({
    "BrokerCausality.ClientRead",
    "BrokerCausality.ClientWrite",
    "SessionGuarantees.ClientRead",
    "SessionGuarantees.ClientWrite"
  })
  protected final void ask(long id, EngageRequest request, Effects effects) {
    boolean safe = safe(request);
    if (safe) {
      serve(id, request, effects);
    } else {
      held.put(id, request);
    }
    if (effects.tracing()) {
      VectorClock none = layout.zero();
      EngageRequest.Token token = request.token();
      Map<String, Object> args = new TreeMap<>(words(request));
      args.put("o", args.remove("obj"));
      args.put("i", args.remove("at"));
      args.put("G", args.remove("g"));
      args.put("sends", token.sent());
      args.put("rc", layout.words(token.sent() ? token.read() : none));
      args.put("wc", layout.words(token.sent() ? token.write() : none));
      args.put("tc", layout.words(token.sent() ? token.tag() : none));
      trace(
          request instanceof EngageRequest.Read ? "ClientRead" : "ClientWrite",
          args,
          state(request.object(), effects),
          effects);
    }
  }

  /** A request as the specification has it. */
  public final Map<String, Object> words(EngageRequest request) {
    return Map.of(
        "c",
        request.session(),
        "op",
        request instanceof EngageRequest.Read ? "r" : "w",
        "obj",
        request.object(),
        "at",
        name,
        "g",
        new TreeSet<>(request.asks()));
  }

  /** Whether what the client asks for is kept if the request is served now. */
  protected boolean safe(EngageRequest request) {
    List<String> asks = request.asks();
    boolean reads = asks.contains("WFR") || asks.contains("MR");
    boolean writes = asks.contains("MW") || asks.contains("RYW");
    return (!reads || clock.covers(request.token().read()))
        && (!writes || clock.covers(request.token().write()));
  }

  private void serve(long id, EngageRequest request, Effects effects) {
    Replica replica = replica(request.object());
    if (request instanceof EngageRequest.Write write) {
      long number = clock.at(index) + 1;
      VectorClock tag = replica.clock().max(layout.zero().with(index, number)).max(past(request));
      Update update = new Update(name, number, request.object(), write.value(), tag);
      write(update);
      keep(update, effects);
      publish(update, effects);
      effects.reply(
          id,
          new EngageResponse.Written(number, update.place(layout), sealed(kept(update)), told()));
      arm(effects);
    } else {
      effects.reply(
          id,
          new EngageResponse.Value(
              replica.newest().stream().map(Update::value).toList(),
              sealed(replica.clock()),
              told()));
    }
  }

  /** Makes an own update durable, before its client hears of it (III-D). */
  protected void keep(Update update, Effects effects) {
    effects.persist(new EngageRecord.Wrote(update));
  }

  /** What a client read before it asked for a write, and what its own updates are tagged with. */
  protected VectorClock past(EngageRequest request) {
    return request.token().read().max(request.token().tag());
  }

  /** What the client keeps of its update's tag, so that its next update is tagged with it. */
  private VectorClock kept(Update update) {
    return config.repaired(EngageConfig.KEEP_TAG)
        ? update.clock()
        : layout.zero().with(index, update.number());
  }

  /** The clock by which a client learns whether it may leave its own out. */
  protected VectorClock told() {
    return clock;
  }

  private void write(Update update) {
    clock = clock.with(index, update.number());
    put(update);
    own.add(update);
  }

  /** A held request has become safe. */
  @SpecAction({"BrokerCausality.ServeHeld", "SessionGuarantees.ServeHeld"})
  protected final void serveHeld(long id, Effects effects) {
    EngageRequest request = held.get(id);
    if (request == null || !safe(request)) {
      return;
    }
    held.remove(id);
    serve(id, request, effects);
    if (effects.tracing()) {
      trace("ServeHeld", Map.of("r", words(request)), state(request.object(), effects), effects);
    }
  }

  // ---- remote updates and metadata (III-E, III-F) ----------------------------------------------

  /** The entries that the news of an update may raise. */
  protected VectorClock covers(Update update) {
    return covers(update, config, layout);
  }

  static VectorClock covers(Update update, EngageConfig config, Layout layout) {
    return config.repaired(EngageConfig.OWN_ENTRY)
        ? layout.zero().with(layout.index(update.source()), update.number())
        : update.clock();
  }

  /** Metadata alone. */
  protected final void learnClock(VectorClock flush) {
    hear(flush);
  }

  /** An update together with metadata that was sent before it. */
  protected final void learnUpdate(Update update, VectorClock flush) {
    int source = layout.index(update.source());
    known = known.with(source, Math.max(known.at(source), update.number()));
    if (config.reads(EngageConfig.AT_ONCE)) {
      put(update);
      clock = clock.max(flush).max(covers(update));
    } else {
      waiting.put(update.id(), update);
      hear(flush);
    }
  }

  /** Whether an update was received before (repair newTree). */
  protected final boolean known(Update update) {
    return known.at(layout.index(update.source())) >= update.number();
  }

  /** The clock after hearing more; an entry stops short of the source's first waiting update. */
  private void hear(VectorClock news) {
    VectorClock all = heard.max(news);
    if (config.repaired(EngageConfig.HOLD_FLUSH)) {
      heard = all;
    }
    clock = reveal(all);
  }

  /** What the clock may say after hearing {@code all}. */
  protected VectorClock reveal(VectorClock all) {
    if (!config.repaired(EngageConfig.HOLD_FLUSH)) {
      return clock.max(all);
    }
    VectorClock held = all;
    for (Update update : firstWaiting()) {
      int source = layout.index(update.source());
      if (update.number() - 1 < held.at(source)) {
        held = held.with(source, update.number() - 1);
      }
    }
    return clock.max(held);
  }

  /** The first waiting update of each source: none behind it can be executed before. */
  private List<Update> firstWaiting() {
    List<Update> first = new ArrayList<>();
    for (Map.Entry<Update.Id, Update> next = waiting.firstEntry(); next != null; ) {
      first.add(next.getValue());
      next = waiting.higherEntry(new Update.Id(next.getKey().source(), Long.MAX_VALUE));
    }
    return first;
  }

  /** III-E's two conditions. */
  protected boolean ready(Update update) {
    Update.Id before = waiting.lowerKey(update.id());
    if (before != null && before.source().equals(update.source())) {
      return false;
    }
    int source = layout.index(update.source());
    for (int i = 0; i < layout.cloudlets().size(); i++) {
      if (i != source && clock.at(i) < update.clock().at(i)) {
        return false;
      }
    }
    return true;
  }

  /** A waiting update is executed. */
  @SpecAction({"BrokerCausality.Execute", "SessionGuarantees.Execute", "FlushClock.Execute"})
  protected final void execute(Update.Id id, Effects effects) {
    Update update = waiting.get(id);
    if (update == null || !ready(update)) {
      return;
    }
    execute(update);
    effects.persist(new EngageRecord.Executed(update.source(), update.number()));
    arm(effects);
    if (effects.tracing()) {
      trace(
          "Execute",
          Map.of("i", name, "u", update.words(layout)),
          state(update.object(), effects),
          effects);
    }
  }

  private void execute(Update update) {
    put(update);
    waiting.remove(update.id());
    hear(covers(update));
  }

  private void put(Update update) {
    Replica replica = replica(update.object());
    List<Update> updates = new ArrayList<>(replica.updates());
    updates.add(position(updates, update), update);
    if (updates.size() > config.versions()) {
      updates.remove(0);
    }
    store.put(update.object(), new Replica(updates, replica.clock().max(update.clock())));
  }

  /** Where an update stands among others of its object. */
  protected int position(List<Update> updates, Update update) {
    if (!config.repaired(EngageConfig.TOTAL_ORDER)) {
      return updates.size();
    }
    int behind = 0;
    for (Update other : updates) {
      behind += update.after(other, layout) ? 1 : 0;
    }
    return behind;
  }

  private Replica replica(String object) {
    return store.getOrDefault(object, new Replica(List.of(), layout.zero()));
  }

  /** What has become possible is done in steps of its own. */
  protected final void arm(Effects effects) {
    for (Update update : firstWaiting()) {
      if (ready(update)) {
        effects.setTimer(new EngageTimer.Execute(update.source(), update.number()), 0);
      }
    }
    held.forEach(
        (id, request) -> {
          if (safe(request)) {
            effects.setTimer(new EngageTimer.Serve(id), 0);
          }
        });
  }

  // ---- what others may see ---------------------------------------------------------------------

  protected final void trace(
      String action, Map<String, ?> args, Map<String, ?> state, Effects effects) {
    effects.trace(module() + "." + action, args, state);
  }

  /** The part of the state that a step on an object shows. */
  protected final Map<String, Object> state(String object, Effects effects) {
    if (!effects.tracing()) {
      return Map.of();
    }
    Map<String, Object> state = new TreeMap<>(state());
    Replica replica = replica(object);
    state.put(
        "newest", replica.newest().stream().map(u -> List.of(u.source(), u.number())).toList());
    state.put("vc", layout.words(replica.clock()));
    return state;
  }

  /** The part of the state that every step shows. */
  protected final Map<String, Object> state() {
    return Map.of(
        "clock",
        layout.words(clock),
        "heard",
        layout.words(heard),
        "waiting",
        waiting.values().stream().map(u -> List.of(u.source(), u.number())).toList(),
        "holds",
        held.values().stream().map(EngageRequest::session).toList());
  }

  public final String name() {
    return name;
  }

  public final EngageConfig config() {
    return config;
  }

  public final Layout layout() {
    return layout;
  }

  public final VectorClock clock() {
    return clock;
  }

  public final VectorClock heard() {
    return heard;
  }

  /** The updates that wait. */
  public final List<Update> waiting() {
    return List.copyOf(waiting.values());
  }

  /** The requests that are held, by their ids. */
  public final Map<Long, EngageRequest> held() {
    return Collections.unmodifiableMap(held);
  }

  /** The object of that name. */
  public final Replica object(String object) {
    return replica(object);
  }

  /** The names of the objects that were written. */
  public final List<String> objects() {
    return List.copyOf(store.keySet());
  }

  /** The updates that this cloudlet made, oldest first. */
  protected List<Update> own() {
    return own;
  }
}
