package dev.plumbline.parts;

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
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What one machine did of a stage, kept in {@code .plumb/reports/parts} as it goes on, so that a
 * machine that is stopped leaves what it knew.
 */
public final class Ledger {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long WRITE_MILLIS = 1000;

  private final Path file;
  private final ObjectNode content = JSON.createObjectNode();
  private final ArrayNode parts;
  private final ArrayNode shares;
  private long written;

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

  public synchronized void add(Part part) {
    parts
        .addObject()
        .put("name", part.name())
        .put("outcome", part.outcome().toString())
        .put("verdict", part.verdict())
        .put("detail", part.detail())
        .put("millis", part.millis());
    if (System.currentTimeMillis() - written > WRITE_MILLIS) {
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
    Workspace.writeWhole(file, content.toPrettyString() + "\n");
    written = System.currentTimeMillis();
  }

  /**
   * A ledger as it was read.
   *
   * @param file where it came from
   */
  record Read(
      Path file,
      String commit,
      boolean dirty,
      String stage,
      Shard shard,
      List<String> planned,
      List<Part> parts,
      List<Share> shares,
      List<KeptSeeds.Kept> seeds) {

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
        n.withArray("planned").forEach(p -> planned.add(p.asText()));
        List<Part> parts = new ArrayList<>();
        for (JsonNode p : n.withArray("parts")) {
          parts.add(
              new Part(
                  p.required("name").asText(),
                  Ending.parse(p.required("outcome").asText()),
                  p.required("verdict").asText(),
                  p.required("detail").asText(),
                  p.required("millis").asLong()));
        }
        List<Share> shares = new ArrayList<>();
        for (JsonNode s : n.withArray("shares")) {
          shares.add(
              new Share(
                  s.required("name").asText(),
                  s.required("least").asInt(),
                  s.required("some").asLong(),
                  s.required("all").asLong()));
        }
        List<KeptSeeds.Kept> seeds = new ArrayList<>();
        n.withArray("seeds").forEach(s -> seeds.add(JSON.convertValue(s, KeptSeeds.Kept.class)));
        JsonNode manifest = n.required("manifest");
        return new Read(
            file,
            manifest.required("commit").asText(),
            manifest.required("dirty").asBoolean(),
            n.required("stage").asText(),
            Shard.parse(n.required("shard").asText()).of(n.path("run").asText()),
            planned,
            parts,
            shares,
            seeds);
      } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
        throw new InputError(
            file.toString(), 0, "no ledger of parts: " + e.getMessage(), "run that shard again");
      }
    }
  }
}
