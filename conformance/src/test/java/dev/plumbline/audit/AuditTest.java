package dev.plumbline.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.Mutation;
import dev.plumbline.mutate.Noticed;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Taking away any link turns the gate red: of K2, whose chain is whole, one for each kind. */
class AuditTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final List<Planned> PLANNED =
      List.of(
          planned("worlds", "worlds k2"),
          planned("mutate", "mutate k2"),
          planned("corpus", "corpus k2"),
          planned("replay", "replay k2"),
          planned("coverage", "coverage k2"),
          planned("simulate", "simulate k2"),
          planned("bugs", "bugs k2"),
          planned("jepsen", "jepsen k2 --seed 1"),
          planned("jepsen", "jepsen k2 --seed 2"));

  @TempDir static Path root;
  private final Map<Path, String> changed = new HashMap<>();

  private static Planned planned(String stage, String command) {
    return new Planned("k2", stage, command, "input of " + command);
  }

  @BeforeAll
  static void copy() throws IOException {
    for (String part :
        List.of(
            "specs/k2",
            "specs/common",
            "docs",
            "conformance/corpora/k2",
            "impl/src/main/java/dev/plumbline/k2",
            "impl/bugs/src/main/resources/bugs")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(part))) {
        for (Path p : files.filter(Files::isRegularFile).toList()) {
          Path to = root.resolve(ROOT.relativize(p).toString());
          Files.createDirectories(to.getParent());
          Files.copy(p, to);
        }
      }
    }
    new Audit(new Workspace(root), List.of(), "quick", PLANNED, List.of()).update();
  }

  @AfterEach
  void restore() throws IOException {
    for (Map.Entry<Path, String> e : changed.entrySet()) {
      Files.writeString(e.getKey(), e.getValue(), StandardCharsets.UTF_8);
    }
    Files.deleteIfExists(root.resolve(".plumb/reports/verify.json"));
    Files.deleteIfExists(root.resolve(".plumb/reports/mutate-k2.json"));
    Files.deleteIfExists(Noticed.kept(root, "k2"));
  }

  private Audit audit() {
    return new Audit(new Workspace(root), List.of(), "quick", PLANNED, List.of());
  }

  private List<String> faults() {
    Audit audit = audit();
    List<String> all = new ArrayList<>(audit.faults());
    all.addAll(audit.drift());
    return all;
  }

  private String text(String file) throws IOException {
    return Files.readString(root.resolve(file), StandardCharsets.UTF_8);
  }

  private void edit(String file, String regex, String by) throws IOException {
    String text = text(file);
    changed.putIfAbsent(root.resolve(file), text);
    String edited = text.replaceFirst(regex, by);
    assertThat(edited).isNotEqualTo(text);
    Files.writeString(root.resolve(file), edited, StandardCharsets.UTF_8);
  }

  private void delete(String file) throws IOException {
    changed.putIfAbsent(root.resolve(file), text(file));
    Files.delete(root.resolve(file));
  }

  @Test
  void everyClaimOfTheProjectHasItsLinksOrAnArgument() {
    List<Planned> runs = new ArrayList<>();
    for (String protocol : List.of("k2", "dast", "engage", "metric")) {
      runs.add(new Planned(protocol, "simulate", "simulate " + protocol, ""));
      runs.add(new Planned(protocol, "jepsen", "jepsen " + protocol, ""));
    }
    Audit audit = new Audit(new Workspace(ROOT), List.of(), "quick", List.of(), runs);
    assertThat(audit.faults()).isEmpty();
    assertThat(audit.drift()).isEmpty();
    assertThat(audit.json().path("protocols")).hasSizeGreaterThan(4);
  }

  /** Where a link says a file and a line, its name stands there. */
  @Test
  void everyLinkLeadsToWhatItNames() throws IOException {
    Audit audit = new Audit(new Workspace(ROOT), List.of(), "quick", List.of(), List.of());
    Map<String, List<String>> files = new HashMap<>();
    int followed = 0;
    for (JsonNode links : audit.json().path("protocols").findValues("links")) {
      for (JsonNode link : links) {
        if (link.path("kind").asText().equals("finding")) {
          assertThat(link.path("command").asText())
              .as("what explains it must have been found before")
              .matches("./plumb check (\\S+) && ./plumb explain \\1");
        }
        String[] place = link.path("place").asText().split(":");
        if (place.length < 2) {
          continue;
        }
        Path file = ROOT.resolve(place[0]);
        if (!files.containsKey(place[0])) {
          files.put(place[0], Files.readAllLines(file, StandardCharsets.UTF_8));
        }
        List<String> lines = files.get(place[0]);
        int line = Integer.parseInt(place[1]);
        String id = link.path("id").asText();
        String there =
            String.join(
                "\n", lines.subList(Math.max(0, line - 8), Math.min(lines.size(), line + 2)));
        assertThat(there)
            .as("%s %s", link.path("place"), id)
            .contains(id.replaceFirst(".*[./ ]", ""));
        followed++;
      }
    }
    assertThat(followed).isGreaterThan(2_000);
  }

  @Test
  void theWholeChainIsGreen() {
    assertThat(faults()).isEmpty();
  }

  @Test
  void aPropertyThatIsGoneIsNoticed() throws IOException {
    edit("specs/k2/Mvto.tla", "(?m)^NoWriteWriteAbortInv ==", "NoAbortInv ==");
    assertThat(faults())
        .anyMatch(
            f -> f.startsWith("K2-WW: property NoWriteWriteAbortInv") && f.contains("defines"));
  }

  @Test
  void aCheckThatIsGoneIsNoticed() throws IOException {
    edit("specs/k2/checks.yaml", "(?s)  - id: mvto-three-keys\n.*?(?=  - id: )", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-S3 check mvto-three-keys"));
  }

  @Test
  void aCheckThatNoLongerJudgesWhatStatesItsClaimIsNoticed() throws IOException {
    edit("specs/k2/claims.yaml", "stated: \\[Prop61Inv\\]", "stated: [Prop41Inv]");
    assertThat(faults()).anyMatch(f -> f.contains("it judges nothing that states the claim"));
  }

  @Test
  void anErrorByHandThatIsGoneIsNoticed() throws IOException {
    edit("specs/k2/handmade.yaml", "(?s)  half-a-commit-wait:\n.*?(?=\n  \\S)", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-P4.1 mutant half-a-commit-wait"));
  }

  @Test
  void aMustFailCheckWithoutItsFindingIsNoticed() throws IOException {
    edit("specs/k2/checks.yaml", "\n    finding: K2-F6", "");
    assertThatThrownBy(this::faults)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no check has the finding K2-F6");
    edit("specs/k2/checks.yaml", " K2-F6: reading,", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-DL finding K2-F6"));
  }

  @Test
  void aFamilyOfWorldsThatIsGoneIsNoticed() throws IOException {
    edit("specs/k2/checks.yaml", "(?s)  - id: mvto-conflicts\n.*?(?=\n  - id: |\n\\w)", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-WW world mvto-conflicts"));
  }

  /** The family still finds a must-fail check of the claim: that says nothing of what holds. */
  @Test
  void aClaimThatHoldsWithoutWorldsNeedsAReason() throws IOException {
    String of = "    of: recorder-storage\n";
    edit("specs/k2/checks.yaml", of, of + "    claims: [K2-S3]\n");
    assertThat(faults()).anyMatch(f -> f.startsWith("K2-AB: no link of kind \"world\""));
    String argued = "argued:\n  - links: [world]\n    claims: [K2-AB]\n    why: none\n";
    edit("specs/k2/claims.yaml", "argued:\n", argued);
    assertThat(faults()).noneMatch(f -> f.startsWith("K2-AB: no link"));
  }

  @Test
  void aFamilyThatJudgesNothingOfItsClaimIsNoticed() throws IOException {
    edit("specs/k2/checks.yaml", "properties: \\[NoWriteWriteAbortInv\\]", "properties: [ToldInv]");
    assertThat(faults())
        .anyMatch(f -> f.startsWith("K2-WW: world mvto-conflicts") && f.contains("judges nothing"));
  }

  @Test
  void aHandlerThatIsGoneIsNoticed() throws IOException {
    edit(
        "impl/src/main/java/dev/plumbline/k2/Coordinator.java",
        "@SpecAction\\(\"Mvto.IssueRead\"\\)",
        "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-S3 handler Mvto.IssueRead"));
  }

  @Test
  void aCorpusThatIsGoneIsNoticed() throws IOException {
    delete("conformance/corpora/k2/EpochCut.txt");
    assertThat(faults())
        .anyMatch(f -> f.startsWith("K2-P6.1: corpus EpochCut") && f.contains("missing"));
  }

  @Test
  void aTraceModelThatIsGoneIsNoticed() throws IOException {
    delete("specs/k2/TraceMvto.tla");
    assertThat(faults()).anyMatch(f -> f.startsWith("K2-S3: trace Mvto") && f.contains("missing"));
  }

  @Test
  void aSeededBugThatIsGoneOrNotCaughtIsNoticed() throws IOException {
    edit("impl/bugs/src/main/resources/bugs/k2.csv", "(?m)^early-commit .*\\R", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-S3 bug early-commit"));
    edit("docs/seeded-bugs-k2.md", "(?m)^\\| `early-finalize` .*\\R", "");
    assertThat(faults()).anyMatch(f -> f.contains("bug early-finalize") && f.contains("no row"));
  }

  @Test
  void aReadingThatIsGoneIsNoticed() throws IOException {
    edit("specs/k2/claims.yaml", "(?s)  - place: '2.2: drift D'\n.*?(?=  - place)", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("gone: K2-P4.1 reading 2.2: drift D"));
  }

  @Test
  void aKindThatIsMissingNeedsAnArgumentAndAnArgumentAKindThatIsMissing() throws IOException {
    edit("specs/k2/handmade.yaml", "(?s)errors:\n.*", "errors: {}\n");
    assertThat(faults()).anyMatch(f -> f.startsWith("K2-OWN: no link of kind \"mutant\""));
    mutated(today());
    assertThat(faults())
        .as("this machine's last run is no link")
        .anyMatch(f -> f.startsWith("K2-OWN: no link of kind \"mutant\""));
    JsonNode claims = audit().json().at("/protocols/0/claims");
    assertThat(claims)
        .filteredOn(claim -> claim.path("id").asText().equals("K2-OWN"))
        .singleElement()
        .satisfies(
            claim -> assertThat(claim.path("missing").findValuesAsText("kind")).contains("mutant"));
    String own = "argued:\n  - links: [mutant]\n    claims: [K2-OWN]\n    why: none\n";
    edit("specs/k2/claims.yaml", "argued:\n", own);
    assertThat(faults())
        .as("so the argument is needed")
        .noneMatch(f -> f.startsWith("K2-OWN: no link") || f.contains("K2-OWN has a link"));
    String argued = "argued:\n  - links: [check]\n    claims: [K2-WW]\n    why: none\n";
    edit("specs/k2/claims.yaml", "argued:\n", argued);
    assertThat(faults()).anyMatch(f -> f.contains("K2-WW has a link of kind \"check\""));
  }

  @Test
  void anArgumentForAllClaimsIsOfKindsThatSomeClaimLacks() throws IOException {
    edit("specs/k2/claims.yaml", "argued:\n", "argued:\n  - {links: [world, bug], why: none}\n");
    assertThat(faults())
        .anyMatch(f -> f.contains("every claim has a link of kind \"bug\""))
        .noneMatch(f -> f.contains("every claim has a link of kind \"world\""));
    edit("specs/k2/claims.yaml", "bug\\], why", "bug], claims: [], why");
    assertThatThrownBy(this::faults)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("no claim is named");
  }

  @Test
  void whatIsNewHasToBeRecorded() throws IOException {
    edit("specs/k2/links.txt", "(?m)^check mvto-plain .*\\R", "");
    assertThat(faults()).anyMatch(f -> f.startsWith("not recorded: K2-S3 check mvto-plain"));
  }

  @Test
  void tablesOfTheReadmeAreMadeFromFiles() throws IOException {
    edit("specs/k2/README.md", "Transactions at the primaries are", "Transactions are");
    assertThat(faults()).anyMatch(f -> f.contains("its tables differ"));
    audit().update();
    assertThat(text("specs/k2/README.md"))
        .isEqualTo(changed.get(root.resolve("specs/k2/README.md")));
    edit("specs/k2/claims.yaml", "`mvto-plain`", "`mvto-plane`");
    assertThat(faults()).anyMatch(f -> f.contains("K2-WW names no check or family: mvto-plane"));
  }

  @Test
  void aLimitSaysWhatItIsAbout() throws IOException {
    edit("docs/limits.md", "<!-- about: run -->\n", "");
    assertThatThrownBy(this::audit)
        .isInstanceOf(InputError.class)
        .hasMessageContaining("nothing says what this limits");
  }

  private void ran(List<Planned> stages, int exit, String input) throws IOException {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report.putObject("manifest").put("date", "2030-01-01T00:00:00Z").put("commit", "abc");
    for (Planned p : stages) {
      report
          .withArray("stages")
          .addObject()
          .put("command", "./plumb " + p.command())
          .put("verdict", exit == 0 ? "holds" : "FAILED")
          .put("exit", exit)
          .put("input", input + p.command());
    }
    Path file = root.resolve(".plumb/reports/verify.json");
    Files.createDirectories(file.getParent());
    Files.writeString(file, report.toPrettyString());
  }

  private List<String> unshown() {
    return audit().unshown().stream().filter(f -> !f.contains(" check ")).toList();
  }

  @Test
  void aRunThatIsGoneStaleOrFailedIsNoticed() throws IOException {
    ran(PLANNED, 0, "input of ");
    assertThat(unshown()).noneMatch(f -> f.contains("k2: run ") || f.contains("k2: cluster "));
    assertThat(audit().faults()).isEmpty();

    ran(PLANNED.subList(0, PLANNED.size() - 1), 0, "input of ");
    assertThat(unshown()).anyMatch(f -> f.startsWith("k2: cluster jepsen k2 --seed 2: no result"));

    ran(PLANNED, 0, "another input of ");
    assertThat(unshown()).anyMatch(f -> f.startsWith("k2: run simulate k2: stale"));

    ran(PLANNED, 1, "input of ");
    assertThat(audit().faults()).anyMatch(f -> f.startsWith("K2-S3: run simulate k2"));
  }

  /** The stage holds: of the families that it came to. */
  @Test
  void aFamilyForWhichNoTimeWasLeftIsNotShown() throws IOException {
    ran(PLANNED, 0, "input of ");
    assertThat(unshown()).noneMatch(f -> f.contains(" world "));
    Path file = root.resolve(".plumb/reports/verify.json");
    ObjectNode report = (ObjectNode) new ObjectMapper().readTree(file.toFile());
    ((ObjectNode) report.at("/stages/0")).withArray("left").add("mvto-conflicts");
    Files.writeString(file, report.toPrettyString());
    Planned nightly = planned("worlds", "worlds k2 --lane nightly");
    assertThat(
            new Audit(new Workspace(root), List.of(), "quick", PLANNED, List.of(nightly)).unshown())
        .filteredOn(f -> f.contains(" world "))
        .containsExactly(
            "k2: world mvto-conflicts: not run: no time was left for it; ./plumb worlds k2 --lane"
                + " nightly gives one");
  }

  /** The quick lane has no check that could notice it. */
  @Test
  void anErrorThatTheLaneDoesNotJudgeIsNotShownByIt() throws IOException {
    ran(PLANNED, 0, "input of ");
    assertThat(mutants("K2-P4.1")).anyMatch(m -> m.startsWith("half-a-commit-wait: holds, shown"));
    assertThat(mutants("K2-I6.1"))
        .filteredOn(m -> m.startsWith("second-read-of-an-empty-view"))
        .singleElement()
        .asString()
        .contains(": no lane has it, not asked");
  }

  /** A report of mutants, of which one survives, as {@code ./plumb mutate} leaves it. */
  private void mutated(String input) throws IOException {
    mutated(input, "");
  }

  private void mutated(String input, String reason) throws IOException {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report.putObject("manifest").put("date", "2030-01-01T00:00:00Z").put("commit", "abc");
    ObjectNode own = report.withArray("protocols").addObject().put("input", input);
    for (String verdict : List.of("killed", "survives")) {
      own.withArray("mutants")
          .addObject()
          .put("id", verdict + "-one")
          .put("module", "Mvto")
          .put("verdict", verdict)
          .put("reason", verdict.equals("survives") ? reason : "")
          .putObject("properties")
          .put("StrictSerializabilityInv", verdict);
    }
    own.withArray("handmade")
        .addObject()
        .put("id", "handmade.half-a-commit-wait")
        .put("by", "check, Prop41Inv");
    Path file = root.resolve(".plumb/reports/mutate-k2.json");
    Files.createDirectories(file.getParent());
    Files.writeString(file, report.toPrettyString());
  }

  @Test
  void mutantsOfAnotherSpecificationShowNothing() throws IOException {
    mutated(today());
    assertThat(faults()).anyMatch(f -> f.contains("generated in Mvto"));

    mutated("of another one");
    assertThat(faults()).isEmpty();

    for (String file : List.of("mutants.yaml", "handmade.yaml", "checks.yaml", "commit-wait.cfg")) {
      mutated(today());
      edit("specs/k2/" + file, "\\z", "\n");
      assertThat(faults()).as(file).noneMatch(f -> f.contains("generated in Mvto"));
    }
  }

  /** A clone has no report of a run that takes hours, but what the repository keeps of it. */
  @Test
  void whatIsKeptOfMutantsCountsUntilTheSpecificationChanges() throws IOException {
    mutated(today(), "an argument");
    keep();
    assertThat(mutants("K2-S3"))
        .contains(
            "generated in Mvto: killed, shown, 2030-01-01T00:00:00Z, 1 of 2 mutants that were"
                + " judged are noticed by what states the claim; 1 that nothing kills are argued;"
                + " none is open")
        .noneMatch(m -> m.startsWith("half-a-commit-wait"));
    assertThat(mutants("K2-P4.1"))
        .anyMatch(m -> m.startsWith("half-a-commit-wait: killed, shown, 2030-01-01"));
    assertThat(faults()).isEmpty();

    mutated("of another one", "an argument");
    assertThat(mutants("K2-S3")).anyMatch(m -> m.startsWith("generated in Mvto: killed, shown"));

    edit(
        "specs/k2/Mvto.tla",
        "(?m)^NoWriteWriteAbortInv ==",
        "\\\\* another\nNoWriteWriteAbortInv ==");
    assertThat(mutants("K2-S3")).anyMatch(m -> m.startsWith("generated in Mvto: stale, not asked"));
    assertThat(mutants("K2-P4.1"))
        .anyMatch(m -> m.startsWith("half-a-commit-wait: no result, open"));
  }

  /** Keeps the report of mutants, and takes it away. */
  private void keep() throws IOException {
    Path report = root.resolve(".plumb/reports/mutate-k2.json");
    JsonNode all = new ObjectMapper().readTree(report.toFile());
    ObjectNode kept = new ObjectMapper().createObjectNode();
    kept.put("command", "./plumb mutate k2 --lane nightly").set("manifest", all.get("manifest"));
    kept.set("noticed", Noticed.json(all, all.path("protocols").path(0)));
    Path file = Noticed.kept(root, "k2");
    Files.writeString(file, kept.toPrettyString());
    Files.delete(report);
  }

  /** Links of a claim to mutants: name, verdict, what it is worth, date, text. */
  private List<String> mutants(String claim) {
    List<String> all = new ArrayList<>();
    for (JsonNode c : audit().json().at("/protocols/0/claims")) {
      for (JsonNode l : c.path("links")) {
        if (c.path("id").asText().equals(claim) && l.path("kind").asText().equals("mutant")) {
          all.add(
              "%s: %s, %s, %s, %s"
                  .formatted(
                      l.path("id").asText(),
                      l.path("verdict").asText(),
                      l.path("state").asText(),
                      l.path("date").asText(),
                      l.path("text").asText()));
        }
      }
    }
    return all;
  }

  private static String today() {
    Workspace workspace = new Workspace(root);
    return Mutation.input(workspace.protocols().get(0), workspace);
  }

  /** A run is evidence of what it judges, and of no more: no lane has runs of the bank. */
  @Test
  void aRunSaysWhatItJudges() {
    List<Planned> planned = new ArrayList<>();
    for (String stage : List.of("simulate", "histories", "jepsen", "attack", "damage")) {
      planned.add(planned(stage, stage + " k2"));
    }
    Audit all = new Audit(new Workspace(root), List.of(), "quick", planned, List.of());
    assertThat(runs(all, "K2-S3"))
        .containsExactly(
            "simulate k2: logs; histories: strict serializability",
            "histories k2: histories: strict serializability",
            "jepsen k2: logs; histories: strict serializability",
            "attack k2: with a hostile peer: an ordinary client finds all that it wrote",
            "damage k2: after kills and damaged disks: what was acknowledged is there");
    assertThat(runs(all, "K2-P4.1"))
        .contains("simulate k2: logs")
        .noneMatch(r -> r.startsWith("hist"));
  }

  private static List<String> runs(Audit audit, String claim) {
    return audit.chains().stream()
        .filter(c -> c.claim().id().equals(claim))
        .flatMap(c -> c.links().stream())
        .filter(l -> l.kind() == Kind.RUN || l.kind() == Kind.CLUSTER)
        .map(l -> l.id() + ": " + l.text())
        .toList();
  }

  @Test
  void aJudgeThatThereIsNotIsNoticed() throws IOException {
    edit("specs/k2/claims.yaml", "judges: \\[snapshot reads\\]", "judges: [snapshot read]");
    assertThat(faults())
        .anyMatch(
            f -> f.contains("K2-T6.4 names no judge of histories: snapshot read; did you mean"));
  }

  /** What judges histories is evidence of some claim, or nobody would ask it. */
  @Test
  void everyBugThatHistoriesShowBearsOnAClaimThere() {
    Audit audit = new Audit(new Workspace(ROOT), List.of(), "quick", List.of(), List.of());
    for (String protocol : List.of("k2", "dast", "engage", "metric")) {
      Implementation machines = Implementation.of(ROOT, protocol);
      List<String> named =
          audit.chains().stream()
              .filter(c -> c.protocol().equals(protocol))
              .flatMap(c -> c.of(Kind.BUG).stream())
              .map(Link::text)
              .toList();
      machines
          .bugs()
          .values()
          .forEach(
              b ->
                  b.histories()
                      .forEach(
                          judge ->
                              assertThat(named)
                                  .as("%s: %s, which %s notices", protocol, b.name(), judge)
                                  .anyMatch(
                                      t ->
                                          t.startsWith(b.text() + "; caught by ")
                                              && t.contains(judge))));
    }
  }

  @Test
  void aBrokenLineOfLinksIsNamed() throws IOException {
    edit("specs/k2/links.txt", "(?m)^check mvto-plain .*$", "<<<<<<< HEAD");
    assertThatThrownBy(this::faults)
        .isInstanceOfSatisfying(
            InputError.class,
            e -> assertThat(e.describe()).contains("links.txt:", "no link and its claims"));
  }

  @Test
  void thePageStandsAloneAndTheGraphIsWhole() throws IOException {
    ran(PLANNED, 0, "input of ");
    Path page = audit().write(root.resolve("out"));
    String html = Files.readString(page, StandardCharsets.UTF_8);
    assertThat(html).contains("id=\"K2-S3\"", "Does not show:", "<code>mvto-plain</code>");
    assertThat(html).doesNotContain("http://", "https://", "<link", " src=");
    assertThat(html).as("a phone shows commands and dates too").doesNotContain("display:none");
    JsonNode graph = new ObjectMapper().readTree(root.resolve("out/audit.json").toFile());
    JsonNode s3 =
        Stream.of(graph.path("protocols").path(0).path("claims"))
            .flatMap(c -> c.findParents("verdict").stream())
            .filter(c -> c.path("id").asText().equals("K2-S3"))
            .findFirst()
            .orElseThrow();
    assertThat(s3.path("verdict").asText())
        .contains("checks have no result of today's input")
        .doesNotContain("fail");
    for (Kind kind : Kind.values()) {
      assertThat(s3.path("links").findValuesAsText("kind")).contains(kind.word());
    }
    JsonNode needs = new ObjectMapper().readTree(root.resolve("out/needs.json").toFile());
    JsonNode all = needs.path("versions").path("0.1").path("needs");
    assertThat(all.path("K2-S3").path("links").findValuesAsText("")).isEmpty();
    all.path("K2-S3").path("links").forEach(l -> assertThat(all.has(l.asText())).isTrue());
    assertThat(all.path("K2-S3").path("links")).hasSizeGreaterThan(50);
  }
}
