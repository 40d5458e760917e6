package dev.plumbline.audit;

import java.util.Locale;

/** Kinds of links between a claim and its evidence, in the order of the chain. */
enum Kind {
  READING("readings", false, "that the authors meant the reading that was taken"),
  PROPERTY(
      "properties", true, "that the formula says what the paper's sentence says: that is read"),
  CHECK("checks", true, "anything beyond the bounds of its row, or behaviours that were not drawn"),
  WORLD("worlds", true, "worlds that were not drawn, or that are too large to be searched"),
  MUTANT("errors that are noticed", true, "that an error nobody thought of would be noticed"),
  FINDING("findings", false, "that the repair is the authors', or the best one"),
  HANDLER("handlers", true, "that the code does what the action says: replay and logs show that"),
  CORPUS("stored behaviours", true, "steps that the small models which were stored don't have"),
  TRACE("trace models", true, "what machines don't log; some explanation of a log is enough"),
  BUG("seeded bugs", true, "how often such a bug is caught: the seeds were searched for"),
  RUN("simulated runs", true, "anything of seeds that were not run"),
  CLUSTER("cluster runs", true, "other schedules, machines and versions"),
  LIMIT("limits", false, "");

  private final String title;
  private final boolean demanded;
  private final String unshown;

  Kind(String title, boolean demanded, String unshown) {
    this.title = title;
    this.demanded = demanded;
    this.unshown = unshown;
  }

  String title() {
    return title;
  }

  /** Whether the gate wants one for each claim. */
  boolean demanded() {
    return demanded;
  }

  /** What such a link does not show. */
  String unshown() {
    return unshown;
  }

  /** As files name it. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
