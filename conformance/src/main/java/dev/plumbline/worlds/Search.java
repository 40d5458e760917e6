package dev.plumbline.worlds;

import dev.plumbline.check.CheckModel;
import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Child;
import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.check.Unjudged;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Explorer;
import dev.plumbline.tlc.Explorer.Exploration;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Modules;
import dev.plumbline.worlds.Family.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/** Searches worlds, one after another in one checking process. */
public final class Search implements AutoCloseable {
  /**
   * Processor time for the simplest world of a family, where larger ones were too large: so much
   * that its limit of steps decides, and not how fast the machine is.
   */
  static final long SIMPLEST = 60_000;

  private final Workspace workspace;
  private final Path folder;
  private final Child child;
  private final int tries;
  private final long millis;
  private final Map<String, Modules.Module> parsed = new HashMap<>();

  /**
   * @param tries worlds that shrinking tries at most
   * @param millis processor time for one world; the simplest of a family has {@link #SIMPLEST}
   */
  public Search(Workspace workspace, int tries, long millis) {
    this.workspace = workspace;
    this.millis = millis;
    this.tries = tries;
    folder = workspace.place();
    child = new Child(folder.resolve("checker.err"), 1500);
  }

  /**
   * A world that fails.
   *
   * @param number which draw it was
   * @param shrunk the same failure in a simpler world
   */
  record Failure(int number, String property, World drawn, World shrunk, int tries) {}

  /** What the worlds of a family said. */
  static final class Tally {
    final Family family;
    int drawn;

    /** Different ones. */
    int ended;

    /** Draws that gave one of those again, which was not searched again. */
    int again;

    int parts;

    /** Those of the parts that have no initial state: nothing can be violated there. */
    int empty;

    /** Those that the modules' own assumptions exclude, which were not searched. */
    int refused;

    /** Which assumption excluded the last of them. */
    String refusal = "";

    long states;
    long largest;
    World largestWorld;
    long millis;
    Failure failure;

    Tally(Family family) {
      this.family = family;
    }
  }

  /** What is left of each bound of the choices after another world that was too large. */
  private static final double[] REACH = {1, 0.5, 0};

  /** Worlds in a row that the modules exclude, before a family is given up that has none else. */
  private static final int REFUSED = 100;

  /**
   * Draws worlds until {@code count} of them were searched to the end. One that is too large, or
   * has no state at all, counts as searched in part, and another is drawn, three for each that is
   * asked for at most. Until one was searched to the end the next is drawn smaller, whatever {@code
   * goOn} says; if the simplest of all is too large, none is. In place of one that an assumption of
   * the modules excludes another is drawn. One that was searched to the end is not searched again,
   * though its draw counts. Ends at the first that fails.
   */
  Tally run(Family family, long seed, int count, Predicate<Tally> goOn) {
    Tally tally = new Tally(family);
    Random random = new Random(seed * 31 + family.id().hashCode());
    Set<Map<String, String>> ended = new HashSet<>();
    while (tally.failure == null
        && (tally.ended == 0
            ? tally.parts < REACH.length && tally.refused < REFUSED
            : tally.ended + tally.again < count && tally.drawn < 3 * count && goOn.test(tally))) {
      double reach = tally.ended == 0 ? REACH[tally.parts] : 1;
      World world = family.world(Choices.drawn(random, reach));
      if (ended.contains(world.constants())) {
        tally.drawn++;
        tally.again++;
        continue;
      }
      Exploration e = explore(family, world, reach == 0 ? Math.max(millis, SIMPLEST) : millis);
      tally.drawn++;
      tally.states += e.states();
      tally.millis += e.millis();
      if (!e.violated().isEmpty()) {
        String property = e.violated().keySet().iterator().next();
        Shrunk least = shrunk(family, world, w -> violates(family, w, property), tries);
        tally.failure = new Failure(tally.drawn, property, world, least.world(), least.tries());
      } else if (e.end().equals("complete") && e.states() > 0) {
        tally.ended++;
        ended.add(world.constants());
        if (e.states() > tally.largest) {
          tally.largest = e.states();
          tally.largestWorld = world;
        }
      } else if (e.end().equals("assumption")) {
        tally.refused++;
        tally.refusal = e.message();
      } else {
        tally.parts++;
        tally.empty += e.end().equals("complete") ? 1 : 0;
      }
    }
    return tally;
  }

  /** The simplest world that was found to fail alike, and how many others were tried. */
  record Shrunk(World world, int tries) {}

  /** Leaves choices out and lowers them as long as the world still fails. */
  static Shrunk shrunk(Family family, World drawn, Predicate<World> fails, int limit) {
    World least = drawn;
    int tries = 0;
    boolean simpler = true;
    while (simpler) {
      simpler = false;
      for (List<Integer> choices : Choices.simpler(least.choices())) {
        World candidate = family.world(Choices.of(choices));
        if (tries < limit
            && Choices.isSimpler(candidate.choices(), least.choices())
            && !candidate.constants().equals(least.constants())) {
          tries++;
          if (fails.test(candidate)) {
            least = candidate;
            simpler = true;
            break;
          }
        }
      }
    }
    return new Shrunk(least, tries);
  }

  /** A simpler world that cannot be searched is none to shrink to. */
  private boolean violates(Family family, World world, String property) {
    try {
      return explore(family, world).violated().containsKey(property);
    } catch (Broken | InputError e) {
      return false;
    }
  }

  Exploration explore(Family family, World world) {
    return explore(family, world, millis);
  }

  private Exploration explore(Family family, World world, long allowed) {
    Check check = family.base().with(world.constants());
    CheckModel model =
        new CheckModel(workspace, family.protocol(), check, Checker.version(), parsed);
    try {
      Path root = model.module();
      if (!model.wrapper().isEmpty()) {
        root = folder.resolve("PlumbCheck.tla");
        Files.writeString(root, model.wrapper());
      }
      Path config = folder.resolve("world.cfg");
      Files.writeString(config, model.config(p -> !p.endsWith("Live"), true));
      Exploration e =
          child.explore(
              new Explorer.Job(
                  family.base().protocol() + "/" + family.id(),
                  root.toString(),
                  config.toString(),
                  model.library().stream().map(Path::toString).toList(),
                  family.limit(),
                  allowed,
                  true,
                  null));
      if (e.end().equals("parse") || e.end().equals("error") || !e.undecided().isEmpty()) {
        throw new InputError(
            family.protocol().file().toString(),
            family.line(),
            "a world of "
                + family.id()
                + " cannot be searched: "
                + (e.undecided().isEmpty() ? e.message() : e.undecided().toString())
                + "\n"
                + world.constants(),
            "correct what is drawn, or the module");
      }
      return e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ChildFailed e) {
      if (e.environment()) {
        throw new Unjudged("worlds " + family.id() + ": " + e.getMessage());
      }
      throw new Broken("worlds " + family.id() + ": " + e.getMessage());
    }
  }

  @Override
  public void close() {
    child.close();
    Workspace.delete(folder);
  }

  /** A world that the checking process broke at. */
  public static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }
  }
}
