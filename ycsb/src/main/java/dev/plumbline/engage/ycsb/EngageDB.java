package dev.plumbline.engage.ycsb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.engage.client.EngageStore;
import dev.plumbline.engage.client.MobileClient;
import dev.plumbline.engage.client.RefusedException;
import dev.plumbline.history.Guarantee;
import dev.plumbline.node.ConfigException;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * A YCSB client's thread as a mobile client of ENGAGE.
 *
 * <p>A record is an object, its fields a JSON object. It is loaded into every partition, so that a
 * client finds each in some partition that its cloudlet replicates; an operation goes to one of
 * those, drawn at random. An update of some fields reads the record and writes it whole.
 *
 * <p>Properties: {@code engage.config} (the cluster's client.yaml), {@code engage.cloudlets} (those
 * that threads prefer in turn; all), {@code engage.guarantees} (of ryw, mr, wfr, mw; all four),
 * {@code engage.localops} and {@code engage.remoteops} (how many operations a client does at the
 * cloudlet that it prefers before so many at another one; 10 and 0: it never leaves), {@code
 * engage.seconds} (patience of an operation; 5).
 */
public final class EngageDB extends DB {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<TreeMap<String, String>> FIELDS = new TypeReference<>() {};
  private static final String CERTIFIED = "client";

  private static final Object LOCK = new Object();
  private static EngageStore shared;
  private static String sharedConfig;
  private static int users;
  private static int threads;

  private EngageStore store;
  private MobileClient client;
  private Itinerary itinerary;
  private Set<Guarantee> asks;
  private int fields;

  @Override
  public void init() throws DBException {
    Properties given = getProperties();
    try {
      asks = asks(given.getProperty("engage.guarantees", "ryw,mr,wfr,mw"));
      fields = number(given, "fieldcount", 10);
      int thread = join(given.getProperty("engage.config"));
      List<String> all = store.cloudlets();
      String named = given.getProperty("engage.cloudlets", String.join(",", all));
      List<String> homes = List.of(named.split(",", -1));
      String home = homes.get(thread % homes.size());
      Duration patience = Duration.ofSeconds(number(given, "engage.seconds", 5));
      client = store.client(home, patience);
      itinerary =
          new Itinerary(
              home,
              all,
              number(given, "engage.localops", 10),
              number(given, "engage.remoteops", 0),
              thread);
    } catch (ConfigException e) {
      throw new DBException(e.describe(), e);
    } catch (IllegalArgumentException | IOException e) {
      throw new DBException(e.getMessage(), e);
    }
  }

  private int join(String config) throws IOException {
    if (config == null) {
      throw new IllegalArgumentException(
          "name the cluster's client.yaml: -p engage.config=target/cluster/engage/conf/client.yaml");
    }
    synchronized (LOCK) {
      if (users > 0 && !config.equals(sharedConfig)) {
        throw new IllegalArgumentException("one process drives one cluster: " + sharedConfig);
      }
      if (users == 0) {
        shared = new EngageStore(NodeConfig.read(Path.of(config)), CERTIFIED);
        sharedConfig = config;
        threads = 0;
      }
      users++;
      store = shared;
      return threads++;
    }
  }

  private static int number(Properties given, String name, int otherwise) {
    String text = given.getProperty(name, String.valueOf(otherwise));
    if (!text.matches("\\d{1,9}")) {
      throw new IllegalArgumentException(name + "=" + text + " is no number");
    }
    return Integer.parseInt(text);
  }

  private static Set<Guarantee> asks(String text) {
    Set<Guarantee> asks = EnumSet.noneOf(Guarantee.class);
    for (String word : text.isBlank() ? new String[0] : text.split(",", -1)) {
      asks.add(
          Arrays.stream(Guarantee.values())
              .filter(g -> g.word().equals(word.strip()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "engage.guarantees="
                              + text
                              + ": a guarantee is ryw, mr, wfr or mw, not "
                              + word)));
    }
    return asks;
  }

  @Override
  public void cleanup() {
    if (store == null) {
      return;
    }
    if (client != null) {
      client.close();
    }
    synchronized (LOCK) {
      users--;
      if (users == 0) {
        shared.close();
      }
    }
    store = null;
  }

  /** The object of a record for the next operation, at the cloudlet where it takes place. */
  private String next(String table, String key) {
    String cloudlet = itinerary.next();
    client.moveTo(cloudlet);
    List<String> here =
        store.partitions().stream().filter(p -> store.replicas(p).contains(cloudlet)).toList();
    return object(itinerary.draw(here.isEmpty() ? store.partitions() : here), table, key);
  }

  private static String object(String partition, String table, String key) {
    return partition + "/" + table + "/" + key;
  }

  @Override
  public Status read(
      String table, String key, Set<String> wanted, Map<String, ByteIterator> result) {
    try {
      Optional<TreeMap<String, String>> found = read(next(table, key));
      if (found.isEmpty()) {
        return Status.NOT_FOUND;
      }
      found
          .get()
          .forEach(
              (name, value) -> {
                if (wanted == null || wanted.contains(name)) {
                  result.put(
                      name, new ByteArrayByteIterator(value.getBytes(StandardCharsets.ISO_8859_1)));
                }
              });
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private Optional<TreeMap<String, String>> read(String object) throws IOException {
    Optional<String> value = client.read(object, asks);
    return value.isEmpty() ? Optional.empty() : Optional.of(JSON.readValue(value.get(), FIELDS));
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    try {
      String object = next(table, key);
      TreeMap<String, String> record = strings(values);
      if (record.size() < fields) {
        TreeMap<String, String> merged = read(object).orElseGet(TreeMap::new);
        merged.putAll(record);
        record = merged;
      }
      client.write(object, json(record), asks);
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    try {
      String record = json(strings(values));
      for (String partition : store.partitions()) {
        client.write(object(partition, table, key), record, asks);
      }
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    }
  }

  private static TreeMap<String, String> strings(Map<String, ByteIterator> values) {
    TreeMap<String, String> strings = new TreeMap<>();
    values.forEach(
        (name, value) ->
            strings.put(name, new String(value.toArray(), StandardCharsets.ISO_8859_1)));
    return strings;
  }

  private static String json(Map<String, String> record) throws JsonProcessingException {
    return JSON.writeValueAsString(record);
  }

  private static Status failed(IOException e) {
    return new Status(
        e instanceof RefusedException ? "BAD_REQUEST" : "ERROR", String.valueOf(e.getMessage()));
  }

  @Override
  public Status delete(String table, String key) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> wanted,
      Vector<HashMap<String, ByteIterator>> result) {
    return Status.NOT_IMPLEMENTED;
  }
}
