package dev.plumbline.parts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Manifest;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * What one machine did of a stage, kept in {@code .plumb/reports/parts} as it goes on, so that a
 * machine that is stopped leaves what it knew.
 */
public final class Ledger {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long WRITE_MILLIS = 1000;

  /** More milliseconds than any part takes. */
  private static final long YEARS = TimeUnit.DAYS.toMillis(3650);

  private static final int PER_CENT = 100;

  /** Characters of a broken entry in a message. */
  private static final int SHOWN = 120;

  private final Path file;
  private final ObjectNode content = JSON.createObjectNode();
  private final ArrayNode parts;
  private final long begun = System.nanoTime();
  private long busy;
  private final Map<String, ObjectNode> byName = new HashMap<>();
  private final ArrayNode shares;
  private long written;

  /** Whether something was added since, and will be written soon. */
  private boolean due;

  /**
   * @param stage what every shard of it calls it, such as {@code simulate PROTOCOL}
   * @param planned the parts of all shards, in the order of the report
   */
  public Ledger(Workspace workspace, String stage, Shard shard, List<String> planned) {
    this.file = file(workspace, stage, shard);
    content.set("manifest", Manifest.of(workspace.root(), Map.of()));
    content.put("stage", stage).put("shard", shard.toString()).put("run", shard.run());
    ArrayNode all = content.putArray("planned");
    planned.forEach(all::add);
    parts = content.putArray("parts");
    shares = content.putArray("shares");
    removeOthers(workspace, stage, shard);
    write();
  }

  /** What an earlier run left that had another number of shards. */
  private static void removeOthers(Workspace workspace, String stage, Shard shard) {
    Pattern others =
        Pattern.compile(
            Pattern.quote(file(stage) + ".") + "\\d+-of-(?!" + shard.count() + "\\.)\\d+\\.json");
    for (Path old : files(workspace)) {
      if (others.matcher(old.getFileName().toString()).matches()) {
        delete(old);
      }
    }
  }

  private static Path folder(Workspace workspace) {
    return workspace.made().resolve("reports").resolve("parts");
  }

  private static Path file(Workspace workspace, String stage, Shard shard) {
    String which = shard.index() + "-of-" + shard.count();
    return folder(workspace).resolve(file(stage) + "." + which + ".json");
  }

  private static String file(String stage) {
    return stage.replaceAll("[^A-Za-z0-9.=-]+", "_");
  }

  /** What was written of a stage in this run; empty if nothing was. */
  public static String text(Workspace workspace, String stage, Shard shard) {
    Path file = file(workspace, stage, shard);
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The parts of a stage that this run knew of and did not get to. */
  public static List<String> left(Workspace workspace, String stage, Shard shard) {
    Path file = file(workspace, stage, shard);
    return Files.exists(file)
        ? Read.of(file).parts().stream()
            .filter(p -> p.outcome() == Ending.NOT_RUN)
            .map(Part::name)
            .toList()
        : List.of();
  }

  /** Writes a stage as an earlier run with the same input did, for this commit. */
  public static void restore(Workspace workspace, String stage, Shard shard, String text) {
    try {
      ObjectNode content = (ObjectNode) JSON.readTree(text);
      content.set("manifest", Manifest.of(workspace.root(), Map.of()));
      Workspace.writeWhole(file(workspace, stage, shard), content.toPrettyString() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Forgets what earlier runs left. */
  public static void clear(Workspace workspace) {
    files(workspace).forEach(Ledger::delete);
  }

  private static List<Path> files(Workspace workspace) {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(folder(workspace))) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(folder(workspace), "*.json")) {
        all.forEach(found::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What was said before of the same part holds no longer, unless it was worse. */
  public synchronized void add(Part part) {
    busy += part.millis();
    remembered(part);
  }

  /** The same of a part that an earlier run did, and that took its time there. */
  public synchronized void remembered(Part part) {
    ObjectNode said = byName.computeIfAbsent(part.name(), name -> parts.addObject());
    if (said.has("outcome") && Ending.parse(said.path("outcome").asText()).worse(part.outcome())) {
      return;
    }
    said.put("name", part.name())
        .put("outcome", part.outcome().toString())
        .put("verdict", part.verdict())
        .put("detail", part.detail())
        .put("millis", part.millis());
    if (System.currentTimeMillis() - written > WRITE_MILLIS) {
      write();
    } else if (!due) {
      due = true;
      CompletableFuture.delayedExecutor(WRITE_MILLIS, TimeUnit.MILLISECONDS)
          .execute(this::writeIfDue);
    }
  }

  /** The next part may take hours, and the machine be stopped meanwhile. */
  private synchronized void writeIfDue() {
    if (due && Files.isDirectory(file.getParent())) {
      write();
    }
  }

  public synchronized void add(Share share) {
    shares
        .addObject()
        .put("name", share.name())
        .put("least", share.least())
        .put("some", share.some())
        .put("all", share.all());
  }

  /** How seeds ended that fail or that failed the last time. */
  public synchronized void add(KeptSeeds.Kept seed) {
    content.withArray("seeds").add(JSON.valueToTree(seed));
  }

  public synchronized void write() {
    content.put("elapsed", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    content.put("busy", busy);
    Workspace.writeWhole(file, content.toPrettyString() + "\n");
    written = System.currentTimeMillis();
    due = false;
  }

  /**
   * A ledger as it was read.
   *
   * @param file where it came from
   * @param manifest of the machine that wrote it
   * @param elapsed milliseconds that the stage took there; 0 where nobody says so
   * @param busy milliseconds that the parts took which were done then, one by one
   */
  record Read(
      Path file,
      JsonNode manifest,
      String stage,
      Shard shard,
      long elapsed,
      long busy,
      List<String> planned,
      List<Part> parts,
      List<Share> shares,
      List<KeptSeeds.Kept> seeds) {

    String commit() {
      return manifest.path("commit").asText();
    }

    boolean dirty() {
      return manifest.path("dirty").asBoolean();
    }

    /** What the command asked for; which seeds failed before each machine's own cache says. */
    List<String> asked() {
      return planned.stream().filter(name -> !KeptSeeds.Kept.isPart(name)).toList();
    }

    /** How its parts and shares ended. */
    List<Ending> endings() {
      List<Ending> all = new ArrayList<>();
      parts.forEach(p -> all.add(p.outcome()));
      shares.forEach(s -> all.add(s.met() ? Ending.HOLDS : Ending.VIOLATED));
      return all;
    }

    static Read of(Path file) {
      try {
        if (!(JSON.readTree(file.toFile()) instanceof ObjectNode n)) {
          throw new IllegalArgumentException("it is no JSON object");
        }
        List<String> planned = new ArrayList<>();
        for (JsonNode p : list(n, "planned")) {
          if (!p.isTextual()) {
            throw new IllegalArgumentException("planned has " + p + ", which is no text");
          }
          planned.add(p.asText());
        }
        List<Part> parts = new ArrayList<>();
        for (JsonNode p : list(n, "parts")) {
          parts.add(
              new Part(
                  text(p, "name"),
                  Ending.parse(text(p, "outcome")),
                  text(p, "verdict"),
                  text(p, "detail"),
                  whole(p, "millis", YEARS)));
        }
        List<Share> shares = new ArrayList<>();
        for (JsonNode s : list(n, "shares")) {
          long all = whole(s, "all", Long.MAX_VALUE);
          int least = Math.toIntExact(whole(s, "least", PER_CENT));
          shares.add(new Share(text(s, "name"), least, whole(s, "some", all), all));
        }
        List<KeptSeeds.Kept> seeds = new ArrayList<>();
        for (JsonNode s : list(n, "seeds")) {
          seeds.add(
              new KeptSeeds.Kept(
                  whole(s, "seed"),
                  flag(s, "passes"),
                  text(s, "judges"),
                  text(s, "replay"),
                  text(s, "plan")));
        }
        JsonNode manifest = field(n, "manifest");
        text(manifest, "commit");
        flag(manifest, "dirty");
        return new Read(
            file,
            manifest,
            text(n, "stage"),
            Shard.parse(text(n, "shard")).of(n.path("run").asText()),
            n.has("elapsed") ? whole(n, "elapsed", YEARS) : 0,
            n.has("busy") ? whole(n, "busy", YEARS * 1000) : 0,
            planned,
            parts,
            shares,
            seeds);
      } catch (JsonProcessingException e) {
        // Its own message ends with a source that it does not show.
        int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
        throw broken(file, Math.max(0, line), "it is no JSON, " + e.getOriginalMessage());
      } catch (IOException | IllegalArgumentException | ArithmeticException e) {
        throw broken(file, 0, e.getMessage());
      }
    }

    private static InputError broken(Path file, int line, String why) {
      return new InputError(
          file.toString(),
          line,
          "no ledger of parts: " + why,
          "take the file from that machine anew, or run that shard again");
    }

    private static JsonNode list(JsonNode of, String name) {
      JsonNode list = of.path(name);
      if (!list.isMissingNode() && !list.isArray()) {
        throw new IllegalArgumentException(name + " is " + list + ", no list");
      }
      return list;
    }

    private static JsonNode field(JsonNode of, String name) {
      JsonNode value = of.path(name);
      if (value.isMissingNode()) {
        throw new IllegalArgumentException("there is no " + name + " in " + shown(of));
      }
      return value;
    }

    private static String text(JsonNode of, String name) {
      JsonNode value = field(of, name);
      if (!value.isTextual()) {
        throw new IllegalArgumentException(name + " is " + value + ", no text, in " + shown(of));
      }
      return value.asText();
    }

    private static long whole(JsonNode of, String name) {
      JsonNode value = field(of, name);
      if (!value.isIntegralNumber() || !value.canConvertToLong()) {
        throw new IllegalArgumentException(
            name + " is " + value + ", no whole number, in " + shown(of));
      }
      return value.asLong();
    }

    private static long whole(JsonNode of, String name, long most) {
      long value = whole(of, name);
      if (value < 0 || value > most) {
        throw new IllegalArgumentException(
            name + " is " + value + ", not from 0 to " + most + ", in " + shown(of));
      }
      return value;
    }

    private static boolean flag(JsonNode of, String name) {
      JsonNode value = field(of, name);
      if (!value.isBoolean()) {
        throw new IllegalArgumentException(
            name + " is " + value + ", neither true nor false, in " + shown(of));
      }
      return value.asBoolean();
    }

    private static String shown(JsonNode of) {
      String all = of.toString();
      return all.length() > SHOWN ? all.substring(0, SHOWN) + "…" : all;
    }
  }
}
