package dev.plumbline.parts;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Reports;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The parts that several machines did, as the report that one machine would have made. */
public final class Merge {
  /** In place of a part that no machine reported. */
  static final String MISSING = "missing";

  /** The stage of machines that ended otherwise than any of their parts. */
  static final String MACHINES = "machines";

  /** Stages that a run promises without knowing their parts; its parts are those that gave up. */
  public static final String PROMISED = "promised";

  /** How many lost shards are named. */
  private static final int NAMED = 10;

  /** Milliseconds of parts from which on it says something how many were done at a time. */
  private static final long ENOUGH = 10_000;

  private final List<Stage> stages = new ArrayList<>();
  private final Set<String> commits = new TreeSet<>();
  private final Map<String, List<Ledger.Read>> byStage = new TreeMap<>();
  private final ArrayNode machines = new ObjectMapper().createArrayNode();
  private boolean dirty;

  /** What it means that a part was reported by nobody. */
  private record Missing(Ending outcome, String detail) {
    Part part(String name) {
      return new Part(name, outcome, MISSING, detail, 0);
    }
  }

  /** A stage with all its parts, those missing included. */
  private record Stage(
      String name, List<Part> parts, List<Share> shares, List<KeptSeeds.Kept> seeds) {
    Map<Ending, Integer> counts() {
      Map<Ending, Integer> counts = new EnumMap<>(Ending.class);
      parts.forEach(p -> counts.merge(p.outcome(), 1, Integer::sum));
      shares.forEach(s -> counts.merge(s.met() ? Ending.HOLDS : Ending.VIOLATED, 1, Integer::sum));
      return counts;
    }

    /** The same; what its command could not decide counts, though all its parts may hold. */
    Stage with(Part gaveUp) {
      if (Ending.exit(List.copyOf(counts().keySet())) != 0) {
        return this;
      }
      List<Part> all = new ArrayList<>(parts);
      all.add(gaveUp);
      return new Stage(name, all, shares, seeds);
    }

    long millis() {
      return parts.stream().mapToLong(Part::millis).sum();
    }
  }

  /**
   * Reads folders, each one machine's {@code .plumb} or a copy of its {@code reports} and {@code
   * cache}.
   *
   * @param commit that all results must be of; null for whichever they share
   * @throws InputError when results are of different commits or of different runs
   */
  public Merge(List<Path> folders, String commit) {
    List<Part> ended = new ArrayList<>();
    List<Path> empty = new ArrayList<>();
    boolean late = false;
    int silent = 0;
    // Entry points leave an exit code; of ./plumb alone no machine has one.
    boolean told = folders.stream().anyMatch(folder -> ending(folder) != null);
    for (Path folder : folders) {
      List<Path> files = ledgers(folder);
      Ending end = ending(folder);
      if (files.isEmpty()) {
        silent++;
      }
      if (end == null) {
        end = Ending.HOLDS;
        if (files.isEmpty()) {
          empty.add(folder);
          String why = "it left neither parts nor an exit code: it was stopped, or is no machine's";
          ended.add(new Part(name(folder), Ending.ENVIRONMENT, "environment", why, 0));
        } else if (told) {
          String why = "it left parts and no exit code, as others did: it was killed amid them";
          ended.add(new Part(name(folder), Ending.ENVIRONMENT, "environment", why, 0));
        }
      }
      late |= end == Ending.TIME_OUT;
      List<Ending> own = new ArrayList<>();
      for (Path file : files) {
        Ledger.Read ledger = Ledger.Read.of(file);
        own.addAll(ledger.endings());
        refuse(ledger, commit);
        commits.add(ledger.commit());
        dirty |= ledger.dirty();
        machines
            .addObject()
            .put("machine", name(folder))
            .put("stage", ledger.stage())
            .put("shard", ledger.shard().toString())
            .set("manifest", ledger.manifest());
        byStage.computeIfAbsent(ledger.stage(), s -> new ArrayList<>()).add(ledger);
      }
      int parts = Ending.exit(own);
      own.add(end);
      if (Ending.exit(own) != parts) {
        String why = "its entry point ended so, and none of its parts says why: see its logs";
        ended.add(new Part(name(folder), end, end.toString(), why, 0));
      }
    }
    if (byStage.isEmpty() && !empty.isEmpty()) {
      throw new InputError(
          empty.get(0).toString(),
          0,
          "there is no reports/parts/*.json",
          "name the .plumb of a machine that ran with --shard, or its copy");
    }
    if (byStage.isEmpty()) {
      throw new InputError("", 0, "no machine reported any part", "run the shards again");
    }
    lost(byStage.values(), silent).ifPresent(ended::add);
    Ending lost = late ? Ending.TIME_OUT : Ending.ENVIRONMENT;
    List<Ledger.Read> promises = byStage.getOrDefault(PROMISED, List.of());
    byStage.remove(PROMISED);
    Set<String> order = new LinkedHashSet<>();
    Map<String, Part> gaveUp = new LinkedHashMap<>();
    for (Ledger.Read p : promises) {
      order.addAll(p.planned());
      p.parts().forEach(part -> gaveUp.putIfAbsent(part.name(), part));
    }
    order.addAll(byStage.keySet());
    for (String stage : order) {
      Part why = gaveUp.get(stage);
      Missing missing =
          why == null
              ? new Missing(lost, "no shard reported it")
              : new Missing(
                  why.outcome(), "not reached, since this decided nothing: " + why.detail());
      Stage joined =
          byStage.containsKey(stage)
              ? join(stage, byStage.get(stage), missing)
              : new Stage(stage, List.of(missing.part(stage)), List.of(), List.of());
      stages.add(why == null ? joined : joined.with(why));
    }
    if (!ended.isEmpty()) {
      stages.add(new Stage(MACHINES, ended, List.of(), List.of()));
    }
  }

  /** The root of a file system has no name of its own. */
  private static String name(Path folder) {
    Path last = folder.toAbsolutePath().normalize().getFileName();
    return last == null ? folder.toString() : last.toString();
  }

  private static List<Path> ledgers(Path folder) {
    Path parts = folder.resolve("reports").resolve("parts");
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(parts)) {
      try (Stream<Path> all = Files.list(parts)) {
        all.filter(p -> p.toString().endsWith(".json")).sorted().forEach(files::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return files;
  }

  /**
   * Machines of which nothing is left: what they owe is no other machine's time-out.
   *
   * @param silent how many folders say how a machine ended, and nothing of its parts
   */
  private static Optional<Part> lost(Collection<List<Ledger.Read>> stages, int silent) {
    Map<Integer, Set<Integer>> heard = new TreeMap<>();
    for (Ledger.Read l : stages.stream().flatMap(List::stream).toList()) {
      heard.computeIfAbsent(l.shard().count(), count -> new TreeSet<>()).add(l.shard().index());
    }
    List<String> lost = new ArrayList<>();
    heard.forEach(
        (count, indices) -> {
          for (int i = 1; i <= count; i++) {
            if (!indices.contains(i)) {
              lost.add(i + "/" + count);
            }
          }
        });
    if (lost.size() <= silent) {
      return Optional.empty();
    }
    String who =
        lost.size() > NAMED
            ? String.join(", ", lost.subList(0, NAMED)) + " and " + (lost.size() - NAMED) + " more"
            : String.join(", ", lost);
    String why = "no machine left anything of these shards: run them again";
    return Optional.of(new Part("shards " + who, Ending.ENVIRONMENT, "environment", why, 0));
  }

  /** How the machine's entry point ended, or null where it does not say so. */
  private static Ending ending(Path folder) {
    Path exit = folder.resolve("exit");
    try {
      if (!Files.isRegularFile(exit)) {
        return null;
      }
      int code = Integer.parseInt(Files.readString(exit, StandardCharsets.UTF_8).strip());
      if (code < 0) {
        throw new NumberFormatException("negative");
      }
      return Ending.of(code);
    } catch (IOException | NumberFormatException e) {
      throw new InputError(exit.toString(), 0, "no exit code", "run that shard again");
    }
  }

  private void refuse(Ledger.Read ledger, String commit) {
    String other =
        commit != null && !commit.equals(ledger.commit())
            ? commit
            : commits.stream().filter(c -> !c.equals(ledger.commit())).findFirst().orElse(null);
    if (other != null) {
      throw new InputError(
          ledger.file().toString(),
          0,
          "these results are of commit " + ledger.commit() + ", not " + other,
          "merge results of one commit only");
    }
  }

  private static Stage join(String stage, List<Ledger.Read> ledgers, Missing missing) {
    List<String> planned = ledgers.stream().flatMap(l -> l.planned().stream()).distinct().toList();
    Map<String, Part> found = new LinkedHashMap<>();
    Map<String, Map<String, Share>> byShard = new LinkedHashMap<>();
    for (Ledger.Read l : ledgers) {
      Shard first = ledgers.get(0).shard();
      boolean told = l.shard().run().equals(first.run());
      if (!l.asked().equals(ledgers.get(0).asked())
          || l.shard().count() != first.count()
          || !told) {
        throw new InputError(
            l.file().toString(),
            0,
            "another run of \""
                + stage
                + "\" than "
                + ledgers.get(0).file()
                + (told ? "" : ": told " + said(l.shard()) + ", not " + said(first)),
            "merge shards of one run, the same command with 1/N to N/N; a file that an earlier run"
                + " left can be deleted");
      }
      for (Part p : l.parts()) {
        found.merge(p.name(), p, (a, b) -> b.outcome().worse(a.outcome()) ? b : a);
      }
      Map<String, Share> own =
          byShard.computeIfAbsent(l.shard().toString(), shard -> new LinkedHashMap<>());
      l.shares().forEach(s -> own.merge(s.name(), s, Share::fuller));
    }
    Map<String, Share> shares = new LinkedHashMap<>();
    byShard.values().forEach(own -> own.forEach((name, s) -> shares.merge(name, s, Share::plus)));
    Set<String> names = Set.copyOf(planned);
    Map<String, List<Part>> under = new HashMap<>();
    // What was found besides is nobody's plan, and counts.
    List<Part> besides = new ArrayList<>();
    for (Part p : found.values()) {
      List<String> covering = covering(p.name()).filter(names::contains).toList();
      covering.forEach(name -> under.computeIfAbsent(name, n -> new ArrayList<>()).add(p));
      if (covering.isEmpty()) {
        besides.add(p);
      }
    }
    List<Part> parts = new ArrayList<>();
    for (String name : planned) {
      if (found.containsKey(name)) {
        parts.add(found.get(name));
      } else if (under.containsKey(name)) {
        parts.addAll(under.get(name));
      } else {
        parts.add(missing.part(name));
      }
    }
    parts.addAll(besides);
    List<KeptSeeds.Kept> seeds = ledgers.stream().flatMap(l -> l.seeds().stream()).toList();
    return new Stage(stage, parts, List.copyOf(shares.values()), seeds);
  }

  /** Names of a part and of what it is a part of. */
  private static Stream<String> covering(String part) {
    return Stream.concat(
        IntStream.range(0, part.length())
            .filter(i -> part.charAt(i) == '/')
            .mapToObj(i -> part.substring(0, i)),
        Stream.of(part));
  }

  private static String said(Shard shard) {
    return shard.run().isEmpty() ? "nothing" : shard.run();
  }

  /**
   * PIT's own history is in a form of its own, and costs and failing seeds are the merge's. What is
   * being written, or was when its command was stopped, is no entry.
   */
  private static boolean shared(Path file) {
    return !Workspace.isPart(file)
        && !file.toString().endsWith(".history")
        && !file.endsWith("costs.json")
        && !file.endsWith("seeds.json");
  }

  /** The entries of a cache to which its machine may still be writing. */
  private static List<Path> entries(Path cache) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        cache,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (Files.isRegularFile(file) && shared(file)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
    Collections.sort(found);
    return found;
  }

  /** Takes the folders' remembered outcomes over; returns how many were broken and left out. */
  public static int joinCaches(List<Path> folders, Path into) {
    int broken = 0;
    for (Path folder : folders) {
      Path cache = folder.resolve("cache");
      if (!Files.isDirectory(cache)) {
        continue;
      }
      try {
        // It may be a link, which a walk does not follow.
        cache = cache.toRealPath();
        for (Path p : entries(cache)) {
          Path to = into.resolve(cache.relativize(p).toString());
          String text = Memory.read(p);
          if (text == null) {
            broken += Files.exists(p) ? 1 : 0;
          } else if (!to.toAbsolutePath().equals(p.toAbsolutePath())) {
            Memory.write(to, text);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return broken;
  }

  /**
   * Remembers what each part took, which parts there are besides, and how many were done at a time,
   * for the next run's split; and which seeds fail.
   */
  public void keep(Path cache) {
    KeptSeeds seeds = KeptSeeds.in(cache);
    stages.forEach(s -> seeds.update(s.name(), s.seeds()));
    Costs costs = Costs.in(cache);
    for (Stage stage : stages) {
      if (stage.name().equals(MACHINES)) {
        continue;
      }
      for (Part p : stage.parts()) {
        // What nobody did took nothing that says what it takes.
        if (!p.verdict().equals(MISSING) && p.outcome() != Ending.NOT_RUN) {
          costs.took(stage.name(), p.name(), p.millis());
        } else if (!p.name().equals(stage.name()) && !KeptSeeds.Kept.isPart(p.name())) {
          costs.planned(stage.name(), p.name());
        }
      }
    }
    byStage.forEach(
        (stage, ledgers) -> {
          long elapsed = ledgers.stream().mapToLong(Ledger.Read::elapsed).sum();
          long busy = ledgers.stream().mapToLong(Ledger.Read::busy).sum();
          // Where most was remembered, machines did other things.
          if (busy > ENOUGH && elapsed > 0 && busy >= elapsed) {
            costs.ran(stage, elapsed, busy);
          }
        });
    costs.write();
  }

  /** Names of parts that no machine reported. */
  public List<String> missing() {
    return stages.stream()
        .flatMap(s -> s.parts().stream().filter(p -> p.verdict().equals(MISSING)))
        .map(Part::name)
        .toList();
  }

  /** Where nothing ran, nothing is known. */
  public int exit() {
    List<Ending> all = stages.stream().flatMap(s -> s.counts().keySet().stream()).toList();
    return nothingRan() ? Ending.exit(List.of(Ending.UNKNOWN)) : Ending.exit(all);
  }

  private boolean nothingRan() {
    return stages.stream().allMatch(s -> Set.of(Ending.NOT_RUN).containsAll(s.counts().keySet()));
  }

  /** One line a stage with a count for each outcome, then what does not hold. */
  public String text(boolean markdown) {
    StringBuilder s = new StringBuilder();
    List<String> head = new ArrayList<>(List.of("stage"));
    for (Ending o : Ending.values()) {
      head.add(o.toString());
    }
    head.add("time");
    row(s, head, markdown);
    if (markdown) {
      s.append("|").append("---|".repeat(head.size())).append('\n');
    }
    for (Stage stage : stages) {
      Map<Ending, Integer> counts = stage.counts();
      List<String> cells = new ArrayList<>(List.of(stage.name()));
      for (Ending o : Ending.values()) {
        cells.add(counts.containsKey(o) ? "" + counts.get(o) : ".");
      }
      cells.add("%.1fs".formatted(stage.millis() / 1000.0));
      row(s, cells, markdown);
    }
    s.append('\n');
    for (Stage stage : stages) {
      for (Part p : stage.parts()) {
        if (p.outcome() != Ending.HOLDS && p.outcome() != Ending.NOT_RUN) {
          line(
              s,
              markdown,
              "%s  %s: %s: %s"
                  .formatted(
                      p.outcome(),
                      stage.name(),
                      p.name(),
                      p.detail().isEmpty()
                          ? p.verdict()
                          : p.detail().lines().findFirst().orElse("")));
        }
      }
      for (Share share : stage.shares()) {
        if (!share.met()) {
          line(
              s,
              markdown,
              "%s  %s: %s: %d of %d, demanded are %d%%"
                  .formatted(
                      Ending.VIOLATED,
                      stage.name(),
                      share.name(),
                      share.some(),
                      share.all(),
                      share.least()));
        }
      }
    }
    int exit = exit();
    String verdict =
        exit == 0
            ? "all holds"
            : nothingRan()
                ? "nothing ran"
                : "worst: " + (exit == 1 ? "violated" : exit == 3 ? "environment" : "not decided");
    line(
        s,
        markdown,
        verdict + (dirty ? "; of a work tree with changes that are not committed" : ""));
    return s.toString();
  }

  private static void row(StringBuilder s, List<String> all, boolean markdown) {
    List<String> cells = all.stream().map(Reports::line).toList();
    if (markdown) {
      s.append("| ").append(String.join(" | ", cells)).append(" |\n");
      return;
    }
    s.append("%-28s".formatted(cells.get(0)));
    cells.stream().skip(1).forEach(c -> s.append("%13s".formatted(c)));
    s.append('\n');
  }

  private static void line(StringBuilder s, boolean markdown, String text) {
    String one = Reports.line(text);
    s.append(markdown ? "- " + one.replace("|", "\\|") : one).append('\n');
  }

  /** A suite a stage. */
  public String junit() {
    StringBuilder s =
        new StringBuilder(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plumb\">\n");
    for (Stage stage : stages) {
      s.append("  <testsuite name=\"%s\">\n".formatted(Reports.xml(stage.name())));
      for (Part p : stage.parts()) {
        testCase(s, stage, p.name(), p.outcome(), p.verdict() + " " + p.detail(), p.millis());
      }
      for (Share share : stage.shares()) {
        testCase(
            s,
            stage,
            share.name(),
            share.met() ? Ending.HOLDS : Ending.VIOLATED,
            share.some() + " of " + share.all(),
            0);
      }
      s.append("  </testsuite>\n");
    }
    return s.append("</testsuites>\n").toString();
  }

  private static void testCase(
      StringBuilder s, Stage stage, String name, Ending outcome, String said, long millis) {
    s.append(
        "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\""
            .formatted(Reports.xml(stage.name()), Reports.xml(name), millis / 1000.0));
    String element =
        switch (outcome) {
          case HOLDS -> "";
          case VIOLATED -> "failure";
          case NOT_RUN -> "skipped";
          case UNKNOWN, TIME_OUT, ENVIRONMENT -> "error";
        };
    if (element.isEmpty()) {
      s.append("/>\n");
    } else {
      s.append(
          "><%s message=\"%s\"/></testcase>\n"
              .formatted(element, Reports.xml(outcome + ": " + said.strip())));
    }
  }

  /** Everything, without what differs between machines. */
  public ObjectNode json() {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode o = mapper.createObjectNode();
    o.put("commit", commits.isEmpty() ? "unknown" : commits.iterator().next());
    o.put("dirty", dirty).put("exit", exit());
    var all = o.putArray("stages");
    for (Stage stage : stages) {
      ObjectNode n = all.addObject().put("stage", stage.name()).put("millis", stage.millis());
      ObjectNode counts = n.putObject("counts");
      stage.counts().forEach((outcome, count) -> counts.put(outcome.toString(), count));
      var parts = n.putArray("parts");
      for (Part p : stage.parts()) {
        ObjectNode part = parts.addObject().put("name", p.name());
        part.put("outcome", p.outcome().toString()).put("verdict", p.verdict());
        part.put("detail", p.detail()).put("millis", p.millis());
      }
      n.set("shares", mapper.valueToTree(stage.shares()));
    }
    missing().forEach(o.putArray("missing")::add);
    return o;
  }

  /** Which folder brought what, and with which manifest. */
  public ArrayNode machines() {
    return machines.deepCopy();
  }
}
