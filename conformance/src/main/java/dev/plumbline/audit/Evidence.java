package dev.plumbline.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Verdicts as statements in in-toto's test-result format, one file each, and {@code SHA256SUMS} of
 * all files. A subject is a file of the repository, or the digest of what a stage depends on.
 */
final class Evidence {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  static final String SUMS = "SHA256SUMS";
  private static final String FOLDER = "evidence";
  private static final String STATEMENT = "https://in-toto.io/Statement/v1";
  private static final String TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1";
  private static final String OUTCOME = "outcome";
  private static final String TOOL = "./plumb ";
  private static final String INPUT = "input of ";
  private static final String STAGE = INPUT + TOOL;
  private static final String CHECK = STAGE + "check ";

  /** In place of the digest of what there is not: equal to none. */
  private static final String ABSENT = "";

  private final Path root;

  Evidence(Workspace workspace) {
    this.root = workspace.root();
  }

  // ---- writing -------------------------------------------------------------------------------

  /** Writes a statement for each verdict, and the digests of all files of the folder. */
  void write(Path folder, List<Known> checks, List<JsonNode> stages, JsonNode manifest) {
    Path into = folder.resolve(FOLDER);
    if (Files.isDirectory(into)) {
      Workspace.delete(into);
    }
    for (Known k : checks) {
      if (!k.result().isEmpty()) {
        put(into, name(k.check().name()), of(k));
      }
    }
    for (JsonNode s : stages) {
      String command = s.path("command").asText().replaceFirst("^\\./plumb ", "");
      put(into, name(TOOL + command), of(s, command, manifest));
    }
    for (Path run : runs()) {
      put(into, name(run), of(run));
    }
    Workspace.writeWhole(folder.resolve(SUMS), sums(folder));
  }

  /** The file of a run's statement, without its ending. */
  private String name(Path run) {
    String name = root.relativize(run).toString().replaceAll("[^A-Za-z0-9-]+", "_");
    return "run." + name.replaceFirst("^_plumb_", "");
  }

  /** The file of a check's or a stage's statement, without its ending. */
  private static String name(String test) {
    return test.startsWith(TOOL)
        ? "stage." + test.substring(TOOL.length()).replaceAll("[^A-Za-z0-9.=-]+", "_")
        : test.replace('/', '.');
  }

  private static void put(Path into, String name, ObjectNode statement) {
    Workspace.writeWhole(into.resolve(name + ".json"), statement.toPrettyString() + "\n");
  }

  private ObjectNode of(Known k) {
    ObjectNode annotations = MAPPER.createObjectNode();
    annotations.put("expect", k.check().expectation()).put("engine", k.check().engine());
    annotations.put("lane", k.check().lane());
    for (String key :
        List.of("commit", "dirty", "date", "tools", "machine", "bounds", "seed", "input")) {
      if (k.manifest().has(key)) {
        annotations.set(key, k.manifest().get(key));
      }
    }
    List<Path> subjects = new ArrayList<>(k.inputs());
    ObjectNode s =
        statement(k.check().name(), verdict(k.verdict()), annotations, derived(k.result()));
    subjects.forEach(p -> subject(s, DefinitionPlaces.relative(root, p), sha256(bytes(p))));
    subject(s, CHECK + k.check().name(), k.manifest().path("input").asText());
    return s;
  }

  private ObjectNode of(JsonNode stage, String command, JsonNode manifest) {
    ObjectNode outcome = MAPPER.createObjectNode();
    outcome.put("exit", stage.path("exit").asInt());
    outcome.put("verdict", stage.path("verdict").asText().replace(" (cached)", ""));
    int exit = stage.path("exit").asInt();
    ObjectNode s = statement(TOOL + command, ofExit(exit), manifest, outcome);
    subject(s, STAGE + command, stage.path("input").asText());
    return s;
  }

  private ObjectNode of(Path run) {
    JsonNode result = read(run.resolve("result.json"));
    String verdict = result.path("verdict").asText();
    ObjectNode s =
        statement(
            result.path("command").asText(),
            ofRun(verdict),
            result.path("manifest"),
            MAPPER.createObjectNode().put("verdict", verdict));
    try (Stream<Path> files = Files.walk(run)) {
      files
          .filter(Files::isRegularFile)
          .filter(f -> f.toString().matches(".*(result\\.json|history\\.edn|\\.jsonl?)"))
          .sorted()
          .forEach(f -> subject(s, DefinitionPlaces.relative(root, f), sha256(bytes(f))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return s;
  }

  /** Folders of stored runs of clusters. */
  private List<Path> runs() {
    Path all = root.resolve(".plumb/jepsen");
    if (!Files.isDirectory(all)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(all, 3)) {
      return files
          .filter(f -> f.getFileName().toString().equals("result.json"))
          .map(Path::getParent)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String verdict(String word) {
    return switch (word) {
      case "holds", "violated", "reached" -> "PASSED";
      case "FAILED" -> "FAILED";
      default -> "WARNED";
    };
  }

  private static ObjectNode statement(
      String test, String result, JsonNode annotations, ObjectNode outcome) {
    ObjectNode s = MAPPER.createObjectNode();
    s.put("_type", STATEMENT);
    s.putArray("subject");
    s.put("predicateType", TEST_RESULT);
    ObjectNode p = s.putObject("predicate");
    p.put("result", result);
    ArrayNode configuration = p.putArray("configuration");
    ObjectNode asked = configuration.addObject().put("name", test);
    asked.putObject("digest").put("sha256", sha256(canonical(annotations)));
    asked.set("annotations", annotations);
    byte[] content = canonical(outcome);
    ObjectNode said = configuration.addObject().put("name", OUTCOME);
    said.put("mediaType", "application/json");
    said.put("content", Base64.getEncoder().encodeToString(content));
    said.putObject("digest").put("sha256", sha256(content));
    p.putArray("passedTests");
    p.putArray("warnedTests");
    p.putArray("failedTests");
    p.withArray(
            switch (result) {
              case "PASSED" -> "passedTests";
              case "FAILED" -> "failedTests";
              default -> "warnedTests";
            })
        .add(test);
    return s;
  }

  private static void subject(ObjectNode statement, String name, String digest) {
    ObjectNode subject = statement.withArray("subject").addObject().put("name", name);
    subject.putObject("digest").put("sha256", digest);
  }

  // ---- what is the same in every run -----------------------------------------------------------

  /**
   * What a rerun of a check has to give again. How far a search got when it found what was sought
   * depends on the order of its workers, and where a temporal property fails, on time.
   */
  private static ObjectNode derived(JsonNode result) {
    return derived(result, alone(result));
  }

  /** Whether one worker searched, always in the same order. */
  static boolean alone(JsonNode result) {
    return result.path("manifest").path("workers").asInt(1) == 1;
  }

  /**
   * The same.
   *
   * @param one whether one worker searched in each of the runs that are compared
   */
  static ObjectNode derived(JsonNode result, boolean one) {
    ObjectNode o = MAPPER.createObjectNode();
    o.put("verdict", result.path("verdict").asText());
    boolean live = result.path("expect").asText().endsWith("Live");
    boolean whole = result.path("expect").asText().equals("holds");
    if (!live && (one || whole)) {
      o.put("distinct", result.path("distinct").asLong());
    }
    if (!live && one) {
      o.put("generated", result.path("generated").asLong());
      o.put("depth", result.path("depth").asInt());
    }
    return o;
  }

  /** The stored outcome of a check, or null if there is no statement of it. */
  static byte[] outcome(Path folder, Known k) {
    Path file = folder.resolve(FOLDER).resolve(name(k.check().name()) + ".json");
    if (!Files.isRegularFile(file)) {
      return null;
    }
    for (JsonNode c : read(file).path("predicate").path("configuration")) {
      if (c.path("name").asText().equals(OUTCOME)) {
        try {
          return Base64.getDecoder().decode(c.path("content").asText());
        } catch (IllegalArgumentException e) {
          break;
        }
      }
    }
    throw new InputError(
        file.toString(), 0, "it has no outcome that can be read", "run ./plumb audit again");
  }

  static byte[] canonical(JsonNode value) {
    try {
      // A tree keeps the order of its keys; as maps they are sorted.
      return MAPPER.writeValueAsBytes(MAPPER.treeToValue(value, Object.class));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- verifying -----------------------------------------------------------------------------

  /**
   * What differs: a file of the folder from its digest, a statement from its own parts and its
   * name, a subject from the file that it names, a check or a stage of these protocols from what it
   * depends on today, a verdict from today's where there is one.
   */
  List<String> verify(
      Path folder, List<Known> checks, List<Planned> planned, List<JsonNode> stages) {
    Path sums = folder.resolve(SUMS);
    if (!Files.isRegularFile(sums)) {
      throw new InputError(
          sums.toString(), 0, "there is no such file", "name a folder that ./plumb audit wrote");
    }
    List<String> faults = new ArrayList<>();
    String today = sums(folder);
    String stored = new String(bytes(sums), StandardCharsets.UTF_8);
    if (!today.equals(stored)) {
      Set<String> now = new LinkedHashSet<>(today.lines().toList());
      Set<String> then = new LinkedHashSet<>(stored.lines().toList());
      then.stream().filter(l -> !now.contains(l)).forEach(l -> faults.add("changed or gone: " + l));
      now.stream().filter(l -> !then.contains(l)).forEach(l -> faults.add("not as listed: " + l));
      if (faults.isEmpty()) {
        faults.add(sums + ": lines are repeated, in another order, or end otherwise");
      }
      return faults;
    }
    Map<String, String> inputs = new TreeMap<>();
    planned.forEach(p -> inputs.put(STAGE + p.command(), p.input()));
    checks.forEach(k -> inputs.put(CHECK + k.check().name(), k.input()));
    Map<String, String> verdicts = new TreeMap<>();
    checks.stream()
        .filter(k -> !k.result().isEmpty())
        .forEach(k -> verdicts.put(k.check().name(), verdict(k.verdict())));
    for (JsonNode s : stages) {
      String command = s.path("command").asText();
      if (s.path("input").asText().equals(inputs.get(INPUT + command))) {
        verdicts.put(command, ofExit(s.path("exit").asInt()));
      }
    }
    Set<String> asked = new TreeSet<>();
    checks.forEach(k -> asked.add(k.check().protocol()));
    Map<String, String> digests = new TreeMap<>();
    Map<String, Path> runs = new TreeMap<>();
    runs().forEach(r -> runs.put(name(r) + ".json", r));
    int statements = 0;
    for (Path file : files(folder)) {
      if (file.getParent().endsWith(FOLDER)) {
        statements++;
        int before = faults.size();
        JsonNode statement = read(file);
        within(statement).ifPresent(fault -> faults.add(file.getFileName() + ": " + fault));
        JsonNode predicate = statement.path("predicate");
        String test = predicate.path("configuration").path(0).path("name").asText();
        String input = test.startsWith(TOOL) ? INPUT + test : CHECK + test;
        boolean run =
            file.getFileName().toString().startsWith("run.") && !inputs.containsKey(input);
        if (!run && !file.getFileName().toString().equals(name(test) + ".json")) {
          faults.add(file.getFileName() + ": it is a statement of " + test);
        }
        String result = predicate.path("result").asText();
        String verdict = verdicts.getOrDefault(test, result);
        if (!verdict.equals(result)) {
          faults.add(file.getFileName() + ": today's verdict of " + test + " is " + verdict);
        }
        JsonNode subjects = statement.path("subject");
        if (!run && !subjects.isEmpty() && !subjects.findValuesAsText("name").contains(input)) {
          faults.add(file.getFileName() + ": it does not say what " + test + " depended on");
        }
        for (JsonNode s : subjects) {
          String name = s.path("name").asText();
          boolean compared = !name.startsWith(INPUT) || inputs.containsKey(name);
          String digest =
              name.startsWith(INPUT)
                  ? inputs.getOrDefault(name, ABSENT)
                  : digests.computeIfAbsent(name, this::digest);
          // Stages of other lanes and protocols are not compared; a check is there or is not.
          if (!compared && asked.stream().anyMatch(p -> name.startsWith(CHECK + p + "/"))) {
            faults.add(file.getFileName() + ": " + name + ", which there is not today");
          } else if (compared
              && (digest.equals(ABSENT)
                  || !digest.equals(s.path("digest").path("sha256").asText()))) {
            faults.add(file.getFileName() + ": " + name + " is another one than its verdict is of");
          } else if (run && Path.of(name).endsWith("result.json")) {
            String ended = ofRun(read(root.resolve(name)).path("verdict").asText());
            if (!ended.equals(result)) {
              faults.add(file.getFileName() + ": the verdict of " + name + " is " + ended);
            }
          }
        }
        // Of a run all is there, so that its statement can be made again.
        Path made = runs.get(file.getFileName().toString());
        if (run
            && faults.size() == before
            && (made == null || !of(made).toPrettyString().equals(statement.toPrettyString()))) {
          faults.add(file.getFileName() + ": it is not what a run that is stored here says");
        }
      }
    }
    if (stored.isBlank()) {
      faults.add(sums + ": it lists no file");
    } else if (statements == 0) {
      faults.add(folder.resolve(FOLDER) + ": there is no statement, and nothing to verify");
    }
    return faults;
  }

  /** What does not agree within a statement. */
  private static Optional<String> within(JsonNode statement) {
    JsonNode predicate = statement.path("predicate");
    String result = predicate.path("result").asText();
    JsonNode configuration = predicate.path("configuration");
    String test = configuration.path(0).path("name").asText();
    if (!statement.path("_type").asText().equals(STATEMENT)
        || !statement.path("predicateType").asText().equals(TEST_RESULT)) {
      return Optional.of("it is no statement of a test's result");
    }
    if (configuration.size() != 2 || !configuration.path(1).path("name").asText().equals(OUTCOME)) {
      return Optional.of("it has no outcome");
    }
    for (String kind : List.of("PASSED", "WARNED", "FAILED")) {
      JsonNode tests = predicate.path(kind.toLowerCase(Locale.ROOT) + "Tests");
      boolean fits = kind.equals(result) ? tests.size() == 1 : tests.isEmpty();
      if (!fits || !tests.isEmpty() && !tests.get(0).asText().equals(test)) {
        return Optional.of("its result is " + result + ", its lists of tests say otherwise");
      }
    }
    if (statement.path("subject").isEmpty()) {
      return Optional.of("it is of nothing");
    }
    for (JsonNode c : configuration) {
      boolean said = c.path("name").asText().equals(OUTCOME);
      byte[] content;
      try {
        content =
            said
                ? Base64.getDecoder().decode(c.path("content").asText())
                : canonical(c.path("annotations"));
      } catch (IllegalArgumentException e) {
        return Optional.of("its outcome is no base64");
      }
      if (!sha256(content).equals(c.path("digest").path("sha256").asText())) {
        return Optional.of("the digest of \"" + c.path("name").asText() + "\" is another one");
      }
      if (said && !result(content).equals(result)) {
        return Optional.of("its result is " + result + ", its outcome says otherwise");
      }
    }
    return Optional.empty();
  }

  /** The result of an outcome: a stage's, a run's or a check's. */
  private static String result(byte[] outcome) {
    JsonNode o;
    try {
      o = MAPPER.readTree(outcome);
    } catch (IOException e) {
      return "no JSON";
    }
    return o.has("exit")
        ? ofExit(o.path("exit").asInt())
        : switch (o.path("verdict").asText()) {
          case "valid", "invalid" -> ofRun(o.path("verdict").asText());
          default -> verdict(o.path("verdict").asText());
        };
  }

  private static String ofExit(int exit) {
    return exit == 0 ? "PASSED" : exit == 1 ? "FAILED" : "WARNED";
  }

  private static String ofRun(String verdict) {
    return verdict.equals("valid") ? "PASSED" : verdict.equals("invalid") ? "FAILED" : "WARNED";
  }

  private String digest(String name) {
    try {
      Path file = root.resolve(name);
      return Files.isRegularFile(file) ? sha256(bytes(file)) : ABSENT;
    } catch (InvalidPathException e) {
      return ABSENT;
    }
  }

  private static String sums(Path folder) {
    StringBuilder s = new StringBuilder();
    Path real = real(folder);
    for (Path file : files(folder)) {
      s.append(sha256(bytes(file))).append("  ");
      s.append(real.relativize(file).toString().replace('\\', '/')).append('\n');
    }
    return s.toString();
  }

  private static List<Path> files(Path folder) {
    Path real = real(folder);
    Path sums = real.resolve(SUMS);
    try (Stream<Path> files = Files.walk(real)) {
      return files
          .filter(Files::isRegularFile)
          .filter(f -> !f.equals(sums) && !Workspace.isPart(f))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A folder may be named by a link, which a walk does not follow. */
  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode read(Path file) {
    try {
      return MAPPER.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw new InputError(file.toString(), 0, "is no JSON", "write it again, or delete it");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
