package dev.plumbline.metric.binding;

import static dev.plumbline.metric.binding.EntryConsistencyBinding.MOST;
import static dev.plumbline.metric.binding.EntryConsistencyBinding.PREFIX;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.bind.LogReading;
import dev.plumbline.bind.Tla;
import dev.plumbline.tlc.Term;
import dev.plumbline.trace.TraceEvent;
import dev.plumbline.validate.MergedLog;
import dev.plumbline.validate.TraceModel.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** How a log of Metric reads as a behaviour of {@code EntryConsistency}. */
final class EntryConsistencyReading extends LogReading {
  private final Map<String, Integer> count = new TreeMap<>();
  private final SortedSet<String> clients = new TreeSet<>();
  private final SortedSet<String> replicas = new TreeSet<>();
  private final Map<String, Map<String, Integer>> stores = new TreeMap<>();

  /** The references that a client was granted, by client and key. */
  private final Map<String, Map<String, SortedSet<Long>>> granted = new TreeMap<>();

  /** Keys where a client goes on under the last but one, and under an earlier one. */
  private final Set<String> overtaken = new TreeSet<>();

  private final Set<String> beyond = new TreeSet<>();

  /** To whom each reference was granted, by key. */
  private final Map<String, Map<Long, String>> owners = new TreeMap<>();

  /** Where each message of a client was sent, and where the lock service took each release. */
  private final Map<String, Integer> sent = new HashMap<>();

  private final Map<String, Integer> releases = new TreeMap<>();

  private Set<String> keys;

  private final Grants grants = new Grants(false);
  private final Map<Integer, Step> denied = new HashMap<>();

  EntryConsistencyReading(EntryConsistencyBinding binding, MergedLog log, int room) {
    super(binding, log, room);
  }

  @Override
  protected void scan(int i, TraceEvent e) {
    e.sent().forEach(message -> sent.put(message, i));
    if (!concerns(i)) {
      return;
    }
    if (e.action().equals(PREFIX + "ReleaseLock")) {
      e.recv().ifPresent(message -> releases.put(message, i));
    }
    if (e.action().equals(PREFIX + "StoreWrite")) {
      stores.computeIfAbsent(key(e), k -> new TreeMap<>()).put(e.args().get("stamp").toString(), i);
      demandWriter(i, e);
    }
    String key = key(e);
    count.merge(key, 1, Integer::sum);
    if (e.args().containsKey("c")) {
      String client = e.args().get("c").asText();
      clients.add(client);
      grants.scan(e);
      grants.denied(e, client).ifPresent(step -> denied.put(i, step));
      long reference = e.args().containsKey("ref") ? e.args().get("ref").asLong() : 0;
      SortedSet<Long> references =
          granted
              .computeIfAbsent(client, c -> new TreeMap<>())
              .computeIfAbsent(key, k -> new TreeSet<>());
      if (e.action().equals(PREFIX + "AcquireLock")) {
        references.add(reference);
        owners.computeIfAbsent(key, k -> new TreeMap<>()).put(reference, client);
      } else if (e.node().equals(client) && references.contains(reference)) {
        int since = references.tailSet(reference + 1).size();
        if (since == 1) {
          overtaken.add(key);
        } else if (since > 1) {
          beyond.add(key);
        }
      }
    }
    if (e.args().containsKey("r")) {
      replicas.add(e.args().get("r").asText());
    }
  }

  /** A write under a reference is of the client that it was granted to. */
  private void demandWriter(int i, TraceEvent e) {
    String owner = owners.getOrDefault(key(e), Map.of()).get(e.arg("stamp").path(0).asLong());
    if (owner != null) {
      demandSender(i, Set.of(owner));
    }
  }

  private static String key(TraceEvent e) {
    return e.args().get("key").asText();
  }

  /** The keys that are read. */
  private Set<String> keys() {
    if (keys == null) {
      keys = new HashSet<>();
      Map<String, Integer> kinds = new HashMap<>();
      count.entrySet().stream()
          .filter(e -> !beyond.contains(e.getKey()))
          .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
          .map(Map.Entry::getKey)
          .filter(key -> kinds.merge(key.replaceFirst(" .*", ""), 1, Integer::sum) <= MOST)
          .forEach(keys::add);
    }
    return keys;
  }

  @Override
  public String covered() {
    return keys().size() + " of " + count.size() + " keys";
  }

  @Override
  public List<String> parts(int i) {
    TraceEvent e = event(i);
    if (e.ends()) {
      return granted.getOrDefault(e.node(), Map.of()).keySet().stream()
          .filter(keys()::contains)
          .toList();
    }
    return concerns(i) && keys().contains(key(e)) ? List.of(key(e)) : List.of();
  }

  /** The module's client that a client is under a reference. */
  private Term number(String client, String key, long reference) {
    boolean second =
        overtaken.contains(key) && granted.get(client).get(key).headSet(reference).size() % 2 == 1;
    return Term.of(1 + clients.headSet(client).size() + (second ? clients.size() : 0));
  }

  @Override
  protected void constants() {
    constant("Clients", Tla.range(1, clients.size() * (overtaken.isEmpty() ? 1 : 2)));
    constant("Replicas", replicas);
  }

  @Override
  public List<Step> steps(int i, String key) {
    TraceEvent e = event(i);
    if (e.ends()) {
      Set<Term> all = new LinkedHashSet<>();
      granted.get(e.node()).get(key).forEach(r -> all.add(number(e.node(), key, r)));
      releasing(i, e.node(), key).forEach(r -> all.remove(number(e.node(), key, r)));
      return all.stream()
          .map(client -> new Step("GiveUp", "TraceCrash", List.of(client), false))
          .toList();
    }
    List<Step> steps = new ArrayList<>(steps(i));
    if (denied.containsKey(i)) {
      steps.add(0, denied.get(i));
    }
    return steps;
  }

  @Override
  protected Term own(int i, String parameter) {
    TraceEvent e = event(i);
    JsonNode word = e.args().getOrDefault(parameter, e.state().get(parameter));
    if (word == null && !parameter.equals("later")) {
      return super.own(i, parameter);
    }
    return switch (parameter) {
      case "later" -> later(i);
      case "c" -> number(word.asText(), key(e), e.arg("ref").asLong());
      case "best", "stamp" -> stamp(word);
      case "from" -> {
        List<Term> all = new ArrayList<>();
        word.forEach(r -> all.add(Term.string(r.asText())));
        yield Term.set(all);
      }
      default -> super.own(i, parameter);
    };
  }

  /**
   * References of which a release was on its way when the client crashed. It is one step of the
   * module, read where the lock service takes it; what the client forgets by then it forgets by
   * that step.
   */
  private List<Long> releasing(int crash, String client, String key) {
    return releases.entrySet().stream()
        .filter(release -> release.getValue() > crash)
        .filter(release -> sent.getOrDefault(release.getKey(), crash) < crash)
        .map(release -> event(release.getValue()))
        .filter(e -> e.arg("c").asText().equals(client) && key(e).equals(key))
        .map(e -> e.arg("ref").asLong())
        .toList();
  }

  /** Stamps of writes that a replica stores after an event. */
  private Term later(int i) {
    List<Term> later = new ArrayList<>();
    stores
        .getOrDefault(key(event(i)), Map.of())
        .forEach(
            (stamp, last) -> {
              if (last > i) {
                later.add(stamp(event(last).args().get("stamp")));
              }
            });
    return Term.set(later);
  }

  private static Term stamp(JsonNode parts) {
    return Term.sequence(List.of(Term.of(parts.get(0).asInt()), Term.of(parts.get(1).asInt())));
  }
}
