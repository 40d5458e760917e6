package dev.plumbline.audit;

import dev.plumbline.check.Checks.Expect;
import dev.plumbline.check.Records.Known;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The verdict on a claim in one sentence, with its bounds, from what is stored of its checks. */
final class Sentence {
  private static final int NAMED = 6;

  private Sentence() {}

  static String of(List<Known> checks) {
    List<Known> searched = held(checks, "tlc");
    List<Known> sampled = held(checks, "simulate");
    List<Known> symbolic = held(checks, "apalache");
    List<Known> failing =
        checks.stream().filter(k -> k.check().expect() == Expect.VIOLATES && k.met()).toList();
    List<String> parts = new ArrayList<>();
    String findings =
        failing.stream()
            .map(k -> k.check().finding())
            .filter(f -> !f.isEmpty())
            .distinct()
            .collect(Collectors.joining(", "));
    if (!findings.isEmpty()) {
      parts.add("fails without repairs (" + findings + ")");
    } else if (!failing.isEmpty()) {
      parts.add(
          "fails where something is taken out ("
              + names(failing.stream().map(k -> k.check().id()).toList())
              + ")");
    }
    if (!searched.isEmpty()) {
      Known largest =
          searched.stream().max(Comparator.comparingLong(Known::distinct)).orElseThrow();
      parts.add(
          String.format(
              Locale.ROOT,
              "holds in %s searched to the end, %swith %,d states (%s: %s)",
              count(searched.size(), "model"),
              searched.size() == 1 ? "" : "the largest ",
              largest.distinct(),
              largest.check().id(),
              bounds(largest)));
    }
    if (!symbolic.isEmpty()) {
      parts.add("holds in " + count(symbolic.size(), "symbolic check"));
    }
    if (!sampled.isEmpty()) {
      parts.add("was not seen to fail in " + count(sampled.size(), "sampled model"));
    }
    if (searched.isEmpty() && sampled.isEmpty() && symbolic.isEmpty()) {
      parts.add("is shown to hold nowhere");
    }
    long failed = checks.stream().filter(k -> k.verdict().equals("FAILED")).count();
    long open = checks.stream().filter(Known::open).count() - failed;
    String ofAll = " of its " + count(checks.size(), "check");
    if (failed > 0) {
      parts.add(failed + ofAll + " did not end as expected");
    }
    if (open > 0) {
      parts.add(open + ofAll + (open == 1 ? " has" : " have") + " no result of today's input");
    }
    String sentence = String.join("; ", parts);
    return sentence.isEmpty()
        ? ""
        : Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1) + ".";
  }

  private static List<Known> held(List<Known> checks, String engine) {
    return checks.stream()
        .filter(k -> k.check().expect() == Expect.HOLDS && k.met())
        .filter(k -> k.check().engine().equals(engine))
        .toList();
  }

  private static String bounds(Known k) {
    return k.bounds().properties().stream()
        .filter(b -> !b.getKey().equals("Repairs"))
        .map(b -> b.getKey() + " " + b.getValue().asText().replaceAll("\\s+", " "))
        .filter(b -> b.length() < 60)
        .limit(NAMED)
        .reduce((a, b) -> a + ", " + b)
        .map(b -> k.bounds().size() > NAMED ? b + " …" : b)
        .orElse("no constants");
  }

  private static String names(List<String> all) {
    Optional<String> more =
        all.size() > NAMED
            ? Optional.of(" and " + (all.size() - NAMED) + " more")
            : Optional.empty();
    return all.stream().limit(NAMED).collect(Collectors.joining(", ")) + more.orElse("");
  }

  private static String count(long n, String what) {
    return n + " " + what + (n == 1 ? "" : "s");
  }
}
