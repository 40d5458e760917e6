package dev.plumbline.worlds;

import dev.plumbline.check.Checks.Check;
import dev.plumbline.check.Child;
import dev.plumbline.check.Child.ChildFailed;
import dev.plumbline.check.Model;
import dev.plumbline.check.Workspace;
import dev.plumbline.tlc.Checker;
import dev.plumbline.tlc.Explorer;
import dev.plumbline.tlc.Explorer.Exploration;
import dev.plumbline.tlc.Modules;
import dev.plumbline.worlds.Family.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Searches worlds, all in one checking process. */
public final class Search implements AutoCloseable {
  /** Processor time for one world. */
  private static final long MILLIS = 20_000;

  /** Worlds that shrinking tries at most. */
  private static final int TRIES = 400;

  private final Workspace workspace;
  private final Path folder;
  private final Child child;
  private final Map<String, Modules.Module> parsed = new HashMap<>();

  public Search(Workspace workspace, String protocol) {
    this.workspace = workspace;
    folder = workspace.runFolder(protocol, "worlds");
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
    int ended;
    int parts;
    long states;
    long largest;
    World largestWorld;
    long millis;
    Failure failure;

    Tally(Family family) {
      this.family = family;
    }
  }

  /**
   * Draws worlds until {@code count} of them were searched to the end. One that is too large counts
   * as searched in part, and another is drawn, three for each that is asked for at most. Ends at
   * the first that fails.
   */
  Tally run(Family family, long seed, int count, BooleanSupplier goOn) {
    Tally tally = new Tally(family);
    Random random = new Random(seed * 31 + family.id().hashCode());
    while (tally.ended < count
        && tally.drawn < 3 * count
        && tally.failure == null
        && goOn.getAsBoolean()) {
      World world = family.world(Choices.drawn(random));
      Exploration e = explore(family, world);
      tally.drawn++;
      tally.states += e.states();
      tally.millis += e.millis();
      if (!e.violated().isEmpty()) {
        tally.failure = shrunk(family, world, tally.drawn, e.violated().keySet().iterator().next());
      } else if (e.end().equals("complete")) {
        tally.ended++;
        if (e.states() > tally.largest) {
          tally.largest = e.states();
          tally.largestWorld = world;
        }
      } else {
        tally.parts++;
      }
    }
    return tally;
  }

  private Failure shrunk(Family family, World drawn, int number, String property) {
    World least = drawn;
    int tries = 0;
    boolean simpler = true;
    while (simpler && tries < TRIES) {
      simpler = false;
      for (List<Integer> choices : Choices.simpler(least.choices())) {
        World candidate = family.world(Choices.of(choices));
        if (tries >= TRIES) {
          break;
        }
        if (Choices.isSimpler(candidate.choices(), least.choices())
            && !candidate.constants().equals(least.constants())) {
          tries++;
          if (explore(family, candidate).violated().containsKey(property)) {
            least = candidate;
            simpler = true;
            break;
          }
        }
      }
    }
    return new Failure(number, property, drawn, least, tries);
  }

  Exploration explore(Family family, World world) {
    Check check = family.base().with(world.constants());
    Model model = new Model(workspace, family.protocol(), check, Checker.version(), parsed);
    try {
      Files.createDirectories(folder);
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
                  MILLIS,
                  true,
                  null));
      if (e.end().equals("parse") || e.end().equals("error") || !e.undecided().isEmpty()) {
        throw new Broken(
            "worlds "
                + family.id()
                + ": a world cannot be searched: "
                + (e.undecided().isEmpty() ? e.message() : e.undecided().toString())
                + "\n"
                + world.constants());
      }
      return e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ChildFailed e) {
      throw new Broken("worlds " + family.id() + ": " + e.getMessage());
    }
  }

  @Override
  public void close() {
    child.close();
  }

  /** A world that cannot be evaluated: the generator and the module do not agree. */
  public static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }
  }
}
