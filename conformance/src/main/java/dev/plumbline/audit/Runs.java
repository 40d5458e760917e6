package dev.plumbline.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.plumbline.audit.Link.State;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the stages of {@code ./plumb verify} last said. */
final class Runs {
  /** A stage may hold and not have come to all that it asks for. */
  private static final String LEFT = "not run: no time was left for it";

  private final List<Planned> asked;
  private final List<Planned> nightly;
  private final Map<String, JsonNode> said = new HashMap<>();
  private JsonNode manifest = MissingNode.getInstance();

  /**
   * @param report verify.json, which need not be there
   * @param asked the stages of the lane that is asked about
   * @param nightly those of the nightly lane
   */
  Runs(Path report, List<Planned> asked, List<Planned> nightly) {
    this.asked = asked;
    this.nightly = nightly;
    if (Files.isRegularFile(report)) {
      try {
        JsonNode all = new ObjectMapper().readTree(report.toFile());
        manifest = all.path("manifest");
        all.path("stages").forEach(s -> said.put(s.path("command").asText(), s));
      } catch (JsonProcessingException e) {
        throw new InputError(report.toString(), 0, "is no JSON", "delete it");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** All stages that said something, as verify.json has them. */
  List<JsonNode> stages() {
    return said.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(Map.Entry::getValue)
        .filter(s -> !s.path("input").asText().isEmpty())
        .toList();
  }

  /** Commit, tools and machine of the run of all stages. */
  JsonNode manifest() {
    return manifest;
  }

  /** The stages of this name, in the order of the lane; of the nightly one where it has none. */
  List<Planned> of(String protocol, String stage) {
    List<Planned> own = of(asked, protocol, stage);
    return own.isEmpty() ? of(nightly, protocol, stage) : own;
  }

  private static List<Planned> of(List<Planned> all, String protocol, String stage) {
    return all.stream()
        .filter(p -> p.protocol().equals(protocol) && p.stage().equals(stage))
        .toList();
  }

  /** The link with what was said by the first stage of these names that did not hold, or by all. */
  Link told(Link link, String protocol, List<String> stages) {
    Link last = link.told("", "no lane has it", State.UNASKED, "", "");
    for (String stage : stages) {
      for (Planned p : of(protocol, stage)) {
        last = told(link, p);
        if (last.state() != State.SHOWN) {
          return last;
        }
      }
    }
    return last;
  }

  /** The link with what a stage of the nightly lane said, since the lane's own does not ask it. */
  Link toldNightly(Link link, String protocol, String stage) {
    return of(nightly, protocol, stage).stream()
        .findFirst()
        .map(p -> told(link, p))
        .orElseGet(() -> link.told("", "no lane has it", State.UNASKED, "", ""));
  }

  /** The link with what a stage said. */
  Link told(Link link, Planned p) {
    String command = "./plumb " + p.command();
    JsonNode s = said.get(command);
    State open = asked.contains(p) ? State.OPEN : State.UNASKED;
    if (s == null) {
      return link.told(command, "no result", open, "", "");
    }
    String date = manifest.path("date").asText();
    String commit = manifest.path("commit").asText();
    if (!s.path("input").asText().equals(p.input())) {
      return link.told(command, "stale", open, date, commit);
    }
    String verdict = s.path("verdict").asText();
    for (JsonNode left : s.path("left")) {
      if (left.asText().equals(link.id())) {
        String all =
            of(nightly, p.protocol(), p.stage()).stream()
                .findFirst()
                .map(n -> "./plumb " + n.command())
                .orElse(command);
        return link.told(all, LEFT, open, date, commit);
      }
    }
    return switch (s.path("exit").asInt(-1)) {
      case 0 -> link.told(command, verdict, State.SHOWN, date, commit);
      case 1 -> link.told(command, verdict, State.BROKEN, date, commit);
      default -> link.told(command, verdict, open, date, commit);
    };
  }
}
