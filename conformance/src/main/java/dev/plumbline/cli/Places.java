package dev.plumbline.cli;

import java.nio.file.Path;

/** Where the launcher says things are. */
final class Places {
  private Places() {}

  /** The repository. */
  static Path root() {
    return Path.of(System.getenv().getOrDefault("PLUMB_ROOT", "."));
  }

  /** A path as the caller meant it, who stood in another folder than the tool. */
  static Path fromCaller(Path path) {
    return Path.of(System.getenv().getOrDefault("PLUMB_CALLER_DIR", ".")).resolve(path);
  }
}
