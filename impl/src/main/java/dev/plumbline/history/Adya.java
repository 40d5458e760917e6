package dev.plumbline.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.scratch.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * adya (a Rust crate of that name), a black-box checker that follows Elle's method. Its exit codes
 * are 0 valid, 1 invalid, 2 unknown, 3 error; the verdict is taken from its report.
 */
public final class Adya extends BlackBox {
  /** The version that is installed and that the fixtures were compared with. */
  public static final String VERSION = "0.1.0";

  private static final String CYCLE_SEARCH_MILLIS = "60000";

  private final Path program;

  private Adya(Path program) {
    super("adya");
    this.program = program;
  }

  /** The program in a cache folder, or null if it was never installed there. */
  public static Adya in(Path cache) {
    Path program = cache.resolve("adya/bin/adya");
    return Files.isExecutable(program) ? new Adya(program) : null;
  }

  /**
   * Installs the program into a cache folder with cargo.
   *
   * @throws IOException saying why it could not
   */
  public static Adya install(Path cache) throws IOException {
    Path own = Path.of(System.getProperty("user.home"), ".cargo", "bin", "cargo");
    String cargo = Files.isExecutable(own) ? own.toString() : "cargo";
    Files.createDirectories(cache);
    Path scratch = Scratch.folder("install");
    try {
      Said said =
          run(
              List.of(
                  cargo,
                  "install",
                  "adya",
                  "--version",
                  VERSION,
                  "--locked",
                  "--no-default-features",
                  "--root",
                  cache.resolve("adya").toString()),
              scratch);
      Adya adya = in(cache);
      if (said.exit() != 0 || adya == null) {
        List<String> lines = said.err().lines().filter(line -> !line.isBlank()).toList();
        throw new IOException(
            "cargo install failed: " + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)));
      }
      return adya;
    } finally {
      Scratch.delete(scratch);
    }
  }

  @Override
  Judgement ask(Path file, DataModel workload, Model model, String subject, Path scratch)
      throws IOException {
    var command =
        new ArrayList<String>(
            List.of(
                program.toString(),
                "check",
                "--json",
                "--model",
                workload.word(),
                "--consistency-models",
                model.word(),
                "--cycle-search-timeout",
                CYCLE_SEARCH_MILLIS));
    if (workload == DataModel.RW_REGISTER) {
      command.add("--wfr-keys");
      if (model.realTime()) {
        command.add("--linearizable-keys");
      }
    }
    command.add(file.toString());
    Said said = run(command, scratch);
    JsonNode report;
    try {
      report = new ObjectMapper().readTree(said.out());
    } catch (JsonProcessingException e) {
      report = null;
    }
    if (said.exit() > 2 || said.exit() < 0 || report == null || !report.has("valid")) {
      return failed(
          subject, "adya failed with exit code " + said.exit() + ": " + said.err().strip());
    }
    var anomalies = new ArrayList<Judgement.Anomaly>();
    for (JsonNode kind : report.get("anomalies")) {
      for (JsonNode anomaly : kind) {
        var operations = new ArrayList<Long>();
        anomaly.get("ops").forEach(op -> operations.add(op.asLong()));
        anomalies.add(
            new Judgement.Anomaly(
                anomaly.get("type").asText(),
                anomaly.get("explanation").asText().strip(),
                operations));
      }
    }
    return judgement(subject, report.get("valid").asText(), anomalies);
  }
}
