package dev.plumbline.audit;

import dev.plumbline.audit.ClaimsFile.Argued;
import dev.plumbline.audit.Link.State;
import dev.plumbline.check.Checks;
import dev.plumbline.check.ToolCommand;
import dev.plumbline.tlc.InputError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is wrong with the chains of a protocol: a demanded kind of link that is missing and not
 * argued, an argument that nothing needs, a link that is recorded in {@code links.txt} and gone or
 * there and not recorded, one that is broken, and one of the lane without result.
 */
final class Gate {
  private static final String RECORDED =
      "# Links that the audit found, each with its claims; made by ./plumb audit --update.\n";

  private Gate() {}

  static Path file(Checks protocol) {
    return protocol.file().resolveSibling("links.txt");
  }

  /** The links that a later audit must find again; runs and limits are not among them. */
  static String record(List<Chain> chains) {
    Map<String, Set<String>> claims = new TreeMap<>();
    for (Chain c : chains) {
      for (Link l : c.links()) {
        boolean kept =
            l.kind() != Kind.LIMIT
                && l.kind() != Kind.RUN
                && l.kind() != Kind.CLUSTER
                && !l.id().startsWith(Chains.GENERATED);
        if (kept) {
          claims.computeIfAbsent(l.key(), k -> new TreeSet<>()).add(c.claim().id());
        }
      }
    }
    StringBuilder s = new StringBuilder(RECORDED);
    claims.forEach(
        (link, of) -> s.append(link).append(" | ").append(String.join(" ", of)).append('\n'));
    return s.toString();
  }

  /** Faults of what stands in files. */
  static List<String> links(Checks protocol, ClaimsFile claims, List<Chain> chains) {
    List<String> faults = new ArrayList<>();
    for (Chain c : chains) {
      for (Kind kind : Kind.values()) {
        if (!kind.demanded() || c.has(kind)) {
          continue;
        }
        if (c.argued().stream().noneMatch(a -> a.covers(kind, c.claim().id()))) {
          faults.add(
              "%s: no link of kind \"%s\"; add one, or argue it in %s"
                  .formatted(c.claim().id(), kind.word(), claims.file().getFileName()));
        }
      }
      for (Argued a : c.argued()) {
        for (Kind kind : a.kinds()) {
          if (!a.claims().isEmpty() && c.has(kind)) {
            faults.add(
                "%s:%d: %s has a link of kind \"%s\": the argument is not needed"
                    .formatted(claims.file(), a.line(), c.claim().id(), kind.word()));
          }
        }
      }
      for (Link l : c.links()) {
        if (l.state() == State.BROKEN) {
          faults.add("%s: %s (%s): %s".formatted(c.claim().id(), l.key(), l.place(), l.verdict()));
        }
      }
    }
    for (Argued a : claims.argued()) {
      for (Kind kind : a.kinds()) {
        if (a.claims().isEmpty() && chains.stream().allMatch(c -> c.has(kind))) {
          faults.add(
              "%s:%d: every claim has a link of kind \"%s\": the argument is not needed"
                  .formatted(claims.file(), a.line(), kind.word()));
        }
      }
    }
    return faults;
  }

  /** Links that are recorded and gone, or there and not recorded. */
  static List<String> drift(Checks protocol, List<Chain> chains) {
    List<String> faults = new ArrayList<>();
    Path file = file(protocol);
    Set<String> now = lines(file, record(chains));
    Set<String> before = new LinkedHashSet<>();
    try {
      if (Files.isRegularFile(file)) {
        before = lines(file, Files.readString(file, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String remedy =
        "; if that is meant, " + ToolCommand.line("audit " + protocol.protocol() + " --update");
    for (String l : before) {
      if (!now.contains(l)) {
        faults.add("gone: " + l + remedy);
      }
    }
    for (String l : now) {
      if (!before.contains(l)) {
        faults.add("not recorded: " + l + remedy);
      }
    }
    return faults;
  }

  private static Set<String> lines(Path file, String text) {
    Set<String> all = new LinkedHashSet<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      int at = line.lastIndexOf(" | ");
      if (line.startsWith("#") || line.isBlank()) {
        continue;
      } else if (at < 0) {
        throw new InputError(
            file.toString(),
            number,
            "no link and its claims, with | between them",
            ToolCommand.line("audit " + file.getParent().getFileName() + " --update")
                + " makes it");
      }
      for (String claim : line.substring(at + 3).split(" ", -1)) {
        all.add(claim + " " + line.substring(0, at));
      }
    }
    return all;
  }

  /** Links that the lane asks for, and that nothing shows today. */
  static List<String> results(List<Chain> chains) {
    Set<String> faults = new LinkedHashSet<>();
    for (Chain c : chains) {
      for (Link l : c.links()) {
        if (l.state() == State.OPEN) {
          faults.add(
              c.protocol()
                  + ": "
                  + l.key()
                  + ": "
                  + l.verdict()
                  + "; "
                  + ToolCommand.line(l.command().replaceFirst("^\\./plumb ", ""))
                  + " gives one");
        }
      }
    }
    return List.copyOf(faults);
  }
}
