package dev.plumbline.audit;

import dev.plumbline.check.Checks;
import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Records.Known;
import dev.plumbline.check.Workspace;
import dev.plumbline.explain.Counterexample;
import dev.plumbline.explain.Player;
import dev.plumbline.explain.SpaceTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pages to step through what the checks found that must fail; beside the audit's page. */
final class Playable {
  static final String FOLDER = "play";

  private Playable() {}

  private static Path stored(Workspace workspace, Known k) {
    return workspace.runFolder(k.check().protocol(), k.check().id()).resolve("counterexample.json");
  }

  /**
   * The page of a check, from the audit's folder; empty where none is to be had. What another input
   * left is none.
   */
  static String page(Workspace workspace, Known k) {
    boolean fails = k.check().expect() == Expect.VIOLATES && k.met();
    Path stored = stored(workspace, k);
    return fails && Files.isRegularFile(stored) && Counterexample.read(stored).of(k.input())
        ? FOLDER + "/" + k.check().protocol() + "-" + k.check().id() + ".html"
        : "";
  }

  /** Writes the pages that there are. */
  static void write(Workspace workspace, Checks protocol, List<Known> checks, Path folder) {
    Path into = folder.resolve(FOLDER);
    Map<String, Map<String, Player.Place>> places = new TreeMap<>();
    for (Known k : checks) {
      Path page = into.resolve(k.check().protocol() + "-" + k.check().id() + ".html");
      try {
        if (!page(workspace, k).isEmpty()) {
          Counterexample c = Counterexample.read(stored(workspace, k));
          if (!places.containsKey(k.check().module())) {
            places.put(k.check().module(), Player.places(workspace, protocol, k.check().module()));
          }
          SpaceTime t = SpaceTime.of(c, protocol.diagram());
          Workspace.writeWhole(page, Player.html(c, t, places.get(k.check().module())));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
