package dev.plumbline.mutate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Child;
import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.check.Memory;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.mutate.MutantsFile.Judge;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Checker.Outcome;
import dev.plumbline.tlc.Explorer;
import dev.plumbline.tlc.Explorer.Exploration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** One checking process with a folder of its own, in which changed modules are tried out. */
final class Laboratory implements AutoCloseable {
  /** Raised whenever a change here could change a result. */
  private static final String FORMAT = "2";

  /** A mutant may take this many times the steps of the original. */
  private static final int STEPS_FACTOR = 2;

  private static final long LEAST_STEPS = 10_000;

  /** Processor time for one exploration. */
  private static final long MILLIS = 60_000;

  /** After this time a process is taken to hang, however loaded the machine is. */
  private static final long PATIENCE_MINUTES = 20;

  /** Begins what is said of a property that was not judged to the end. */
  static final String TIME_OUT = "time-out";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Workspace workspace;
  private final Path folder;
  private final Child explorer;
  private final Child checker;
  private final boolean fresh;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          r -> {
            Thread t = new Thread(r, "time limit");
            t.setDaemon(true);
            return t;
          });

  Laboratory(Workspace workspace, String protocol, int number, boolean fresh) {
    this.workspace = workspace;
    this.folder = workspace.place();
    this.explorer = new Child(folder.resolve("explorer.err"), 1500);
    this.checker = new Child(folder.resolve("checker.err"), 1500);
    this.fresh = fresh;
  }

  /** A model that judges. What the original does in it is found out when somebody asks first. */
  static final class Bench {
    private final Judge judge;
    private final Supplier<CheckModel> make;
    private final BiFunction<Bench, Laboratory, Exploration> explore;
    private CheckModel model;
    private Exploration original;

    /**
     * @param explore explores the original, which has to pass
     */
    Bench(
        Judge judge,
        Supplier<CheckModel> make,
        BiFunction<Bench, Laboratory, Exploration> explore) {
      this.judge = judge;
      this.make = make;
      this.explore = explore;
    }

    Judge judge() {
      return judge;
    }

    synchronized CheckModel model() {
      if (model == null) {
        model = make.get();
      }
      return model;
    }

    synchronized Exploration original(Laboratory lab) {
      if (original == null) {
        original = explore.apply(this, lab);
      }
      return original;
    }

    List<String> judged() {
      return model().properties().stream().filter(p -> !p.endsWith("Live")).toList();
    }

    /** True when symmetry or a view makes the model smaller. */
    boolean reduced() {
      return !model().config(p -> true, true).equals(model().config(p -> true, false));
    }

    List<String> live() {
      return model().properties().stream().filter(p -> p.endsWith("Live")).toList();
    }

    /** How many steps a mutant may take. */
    long steps(Laboratory lab) {
      return Math.max(LEAST_STEPS, STEPS_FACTOR * original(lab).steps());
    }
  }

  /** Explores one version of the model. {@code text} of {@code module} stands in for its file. */
  Exploration explore(
      CheckModel model,
      String module,
      String text,
      Set<String> properties,
      long steps,
      boolean first) {
    String config = model.config(properties::contains, true);
    String key = key(model, module, text, config, "explore " + steps);
    Exploration known = known(key, Exploration.class);
    String own = first ? key(model, module, text, config, "first " + steps) : key;
    known = known == null && first ? known(own, Exploration.class) : known;
    if (known != null) {
      return known;
    }
    Path root = lay(folder, model, module, text, config);
    return keep(model, own, limited(job(model, root, steps, first, null)));
  }

  /**
   * Whether the model gets to what {@code probe} made impossible to evaluate; empty if that was not
   * found out in time.
   */
  Optional<Boolean> reaches(CheckModel model, String module, String probe) {
    return reached(explore(model, module, probe, Set.of(), Long.MAX_VALUE, true));
  }

  static Optional<Boolean> reached(Exploration e) {
    return e.end().equals("millis") ? Optional.empty() : Optional.of(!e.end().equals("complete"));
  }

  /**
   * Compares a version's graph with the original's, without symmetry. {@code original} stands in
   * for the original's text unless it is empty.
   */
  Exploration compare(CheckModel model, String module, String text, String original) {
    String config = model.config(p -> false, false);
    return beside(model, module, text, original, config, Long.MAX_VALUE);
  }

  /**
   * Explores up to the first violation and compares in one pass, without symmetry; what the
   * original does isn't judged.
   */
  Exploration judge(
      CheckModel model, String module, String text, Set<String> properties, long steps) {
    String config = model.config(properties::contains, false);
    return beside(model, module, text, "", config, steps);
  }

  private Exploration beside(
      CheckModel model, String module, String text, String original, String config, long steps) {
    String how = steps == Long.MAX_VALUE ? "" : steps + " first ";
    String key = key(model, module, text, config, "compare" + how + original);
    Exploration known = known(key, Exploration.class);
    if (known != null) {
      return known;
    }
    String bare = model.config(p -> false, false);
    Path before =
        lay(folder.resolve("original"), model, original.isEmpty() ? "" : module, original, bare);
    Explorer.Original with =
        new Explorer.Original(
            key(model, "", original, bare, ""), before.toString(), config(before).toString());
    Path root = lay(folder, model, module, text, config);
    return keep(model, key, limited(job(model, root, steps, true, with)));
  }

  /** What TLC says about one temporal property: holds, killed or open, and why open. */
  Map.Entry<String, String> live(CheckModel model, String module, String text, String property) {
    String config = model.config(property::equals, false);
    String key = key(model, module, text, config, "live");
    String[] known = known(key, String[].class);
    if (known != null) {
      return Map.entry(known[0], known[1]);
    }
    Path root = lay(folder, model, module, text, config);
    Checker.Job job =
        new Checker.Job(
            model.check().name(),
            root.toString(),
            config(root).toString(),
            model.library().stream().map(Path::toString).toList(),
            folder.resolve("tlc.log").toString(),
            folder.resolve("meta").toString(),
            1,
            false,
            null,
            0);
    ScheduledFuture<?> limit = clock.schedule(checker::close, PATIENCE_MINUTES, TimeUnit.MINUTES);
    try {
      Outcome o = checker.run(job, Child.Span.BRIEF, p -> {});
      String[] said =
          o.outcome().equals("ok")
              ? new String[] {"holds", ""}
              : o.outcome().equals("temporal")
                  ? new String[] {"killed", ""}
                  : new String[] {"open", o.message().replaceAll("\\s+", " ")};
      keep(model, key, said);
      return Map.entry(said[0], said[1]);
    } catch (ChildFailed e) {
      return Map.entry("open", TIME_OUT + stopped(e, limit.isDone()));
    } finally {
      limit.cancel(false);
    }
  }

  private Explorer.Job job(
      CheckModel model, Path root, long steps, boolean first, Explorer.Original original) {
    return new Explorer.Job(
        model.check().name(),
        root.toString(),
        config(root).toString(),
        model.library().stream().map(Path::toString).toList(),
        steps,
        MILLIS,
        first,
        original);
  }

  private Exploration limited(Explorer.Job job) {
    ScheduledFuture<?> limit = clock.schedule(explorer::close, PATIENCE_MINUTES, TimeUnit.MINUTES);
    try {
      return explorer.explore(job);
    } catch (ChildFailed e) {
      String why = stopped(e, limit.isDone());
      String relation = job.original() == null ? "" : "differs";
      return new Exploration("millis", why, 0, 0, 0, 0, Map.of(), Map.of(), relation, "");
    } finally {
      limit.cancel(false);
    }
  }

  /**
   * Why a process ended that nobody let finish; nothing was judged, and nothing is shown.
   *
   * @param late whether it was ended here, since it took too long
   * @throws Unjudged if the machine ended it
   */
  private static String stopped(ChildFailed e, boolean late) {
    if (!late && e.environment()) {
      throw new Unjudged(e.getMessage());
    }
    return late ? "" : ": " + e.getMessage();
  }

  /** Writes a version's files; returns the root module. */
  private static Path lay(
      Path folder, CheckModel model, String module, String text, String config) {
    try {
      Files.createDirectories(folder);
      for (String old : List.of("PlumbCheck", "run")) {
        Files.deleteIfExists(folder.resolve(old + ".tla"));
      }
      try (var files = Files.newDirectoryStream(folder, "*.tla")) {
        for (Path p : files) {
          Files.delete(p);
        }
      }
      Path root = folder.resolve(model.module().getFileName());
      Files.copy(model.module(), root, StandardCopyOption.REPLACE_EXISTING);
      if (!module.isEmpty()) {
        Files.writeString(folder.resolve(module + ".tla"), text, StandardCharsets.UTF_8);
      }
      if (!model.wrapper().isEmpty()) {
        root = folder.resolve("PlumbCheck.tla");
        Files.writeString(root, model.wrapper(), StandardCharsets.UTF_8);
      }
      Files.writeString(config(root), config, StandardCharsets.UTF_8);
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path config(Path root) {
    return root.resolveSibling("run.cfg");
  }

  private static String key(
      CheckModel model, String module, String text, String config, String how) {
    try {
      MessageDigest d = MessageDigest.getInstance("SHA-256");
      for (String part : List.of(FORMAT, model.hash(), module, text, config, how)) {
        d.update((part.length() + ":" + part).getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(d.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path file(String key) {
    return workspace.cache().resolve("mutate").resolve(key + ".json");
  }

  private <T> T known(String key, Class<T> type) {
    String known = fresh ? null : Memory.read(file(key));
    if (known == null) {
      return null;
    }
    try {
      return MAPPER.readValue(known, type);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /**
   * Remembers what the model says, not what this machine's speed or memory said.
   *
   * @throws Unjudged if what was found may be of other modules than the model was made of
   */
  private <T> T keep(CheckModel model, String key, T found) {
    if (!model.current()) {
      throw new Unjudged(
          "modules of "
              + model.check().name()
              + " were changed while mutants were judged: run it again");
    }
    if (found instanceof Exploration e
        && (e.end().equals("millis") || (e.end().equals("error") && e.steps() == 0))) {
      return found;
    }
    try {
      Memory.write(file(key), MAPPER.writeValueAsString(found));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
    return found;
  }

  @Override
  public void close() {
    clock.shutdownNow();
    explorer.close();
    checker.close();
    Workspace.delete(folder);
  }
}
