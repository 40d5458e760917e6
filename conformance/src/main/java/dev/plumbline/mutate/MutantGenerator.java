package dev.plumbline.mutate;

import dev.plumbline.mutate.MutantsFile.Forget;
import dev.plumbline.mutate.MutantsFile.Target;
import dev.plumbline.tlc.InputError;
import dev.plumbline.tlc.Syntax;
import dev.plumbline.tlc.Syntax.Definition;
import dev.plumbline.tlc.Syntax.Kind;
import dev.plumbline.tlc.Syntax.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes the mutants of a module: of the actions reached from its next-state relation and of what
 * they use, never of properties, initial states or fairness.
 */
final class MutantGenerator {
  private static final Map<String, String> NEIGHBOUR =
      Map.of("<", "<=", "<=", "<", ">", ">=", ">=", ">");
  private static final Map<String, String> REVERSE =
      Map.of("<", ">", "<=", ">=", ">", "<", ">=", "<=");
  private static final Set<String> UNIONS = Set.of("\\union", "\\cup");

  private final Target target;
  private final Source source;
  private final Map<String, Definition> definitions;

  /** An expression that cannot be evaluated, of a state, so that nobody tries it beforehand. */
  private final String nothing;

  private final Map<String, Mutant> mutants = new LinkedHashMap<>();
  private final Set<String> forgotten = new LinkedHashSet<>();
  private Definition current;

  private MutantGenerator(Target target, Path file, Path through, List<Path> library) {
    this.target = target;
    try {
      this.source = new Source(Files.readString(file, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.definitions = Syntax.definitions(through, library);
    String variable = variable(definitions.values().stream().map(Definition::body).toList());
    this.nothing = "(CHOOSE unreached \\in {} : " + variable + " = " + variable + ")";
  }

  /** Any variable that these expressions read. */
  private static String variable(List<Node> nodes) {
    for (Node n : nodes) {
      String found = n.kind() == Kind.VARIABLE ? n.name() : variable(n.children());
      if (!found.isEmpty()) {
        return found;
      }
    }
    return "";
  }

  /**
   * The mutants in the order of the text.
   *
   * @param file the module's
   * @param through the file of the module that has the next-state relation
   */
  static List<Mutant> mutants(Target target, Path file, Path through, List<Path> library) {
    return new MutantGenerator(target, file, through, library).all();
  }

  private List<Mutant> all() {
    if (!definitions.containsKey(target.next())) {
      throw target.error(
          "next",
          "module " + target.through() + " defines no " + target.next(),
          "name its next-state relation, or a module that extends it under through");
    }
    Set<String> reached = new LinkedHashSet<>();
    reach(target.next(), reached);
    for (String name : target.skip().keySet()) {
      if (!reached.contains(name)) {
        throw target.error(
            "skip", "no action uses an operator " + name, "remove it, or correct the name");
      }
    }
    for (Definition d : definitions.values()) {
      boolean own = d.module().equals(target.module());
      if (own
          && reached.contains(d.name())
          && !d.name().equals(target.next())
          && !target.skip().containsKey(d.name())) {
        current = d;
        if (d.level() >= 2) {
          action(d.body());
        } else {
          predicate(d.body());
        }
      }
    }
    for (Forget f : target.forget()) {
      if (!forgotten.contains(f.operator() + " " + f.variable())) {
        throw target.error(
            "forget",
            "operator " + f.operator() + " has no UNCHANGED that keeps " + f.variable(),
            "name an action of this module and a variable that it keeps");
      }
    }
    return new ArrayList<>(mutants.values());
  }

  private void reach(String name, Set<String> reached) {
    Definition d = definitions.get(name);
    if (d != null && reached.add(name)) {
      names(d.body(), reached);
    }
  }

  private void names(Node n, Set<String> reached) {
    if (n.kind() == Kind.DEFINED) {
      reach(n.name(), reached);
    }
    n.children().forEach(c -> names(c, reached));
  }

  // ------------------------------------------------------------------ walking

  private void action(Node n) {
    if (n.level() <= 1) {
      guard(n);
    } else if (n.is("/\\") || n.is("\\/")) {
      n.children().forEach(this::action);
    } else if (n.kind() == Kind.LET || n.is("\\E")) {
      n.children().subList(0, n.children().size() - 1).forEach(this::local);
      action(n.last());
    } else if (n.is("$IfThenElse")) {
      condition(n.children().get(0));
      action(n.children().get(1));
      action(n.children().get(2));
    } else if (n.is("UNCHANGED")) {
      forget(n);
    } else if (updated(n) != null) {
      update(n);
    } else {
      n.children().forEach(this::expression);
    }
  }

  private void local(Node n) {
    if (n.kind() == Kind.DEFINITION) {
      predicate(n.last());
    } else {
      expression(n);
    }
  }

  /** A helper's body: what it conjoins are guards. */
  private void predicate(Node n) {
    if (n.is("/\\")) {
      n.children().forEach(this::guard);
    } else if (n.kind() == Kind.LET) {
      n.children().forEach(this::local);
    } else {
      expression(n);
    }
  }

  private void guard(Node n) {
    if (n.is("/\\")) {
      n.children().forEach(this::guard);
      return;
    }
    if (isSwitch(n)) {
      return;
    }
    replace("drop-guard", n, "TRUE");
    replace("negate-guard", n, source.wrap("~(", n, ")"));
    expression(n);
  }

  private void condition(Node n) {
    if (!isSwitch(n)) {
      replace("negate-condition", n, source.wrap("~(", n, ")"));
      expression(n);
    }
  }

  private void update(Node n) {
    String variable = updated(n);
    if (target.records().contains(variable)) {
      return;
    }
    replace("drop-update", n, "UNCHANGED " + variable);
    if (n.kind() == Kind.DEFINED) {
      n.children().forEach(this::expression);
    } else {
      expression(n.last());
    }
  }

  private void expression(Node n) {
    if (n.is("'") || isSwitch(n)) {
      return;
    }
    if (n.is("\\E") || n.is("\\A") || n.is("CHOOSE") || n.is("$SubsetOf")) {
      filter(n);
    }
    boolean placed = n.children().stream().noneMatch(c -> c.name().equals("@"));
    if (placed && n.children().size() == 2 && NEIGHBOUR.containsKey(n.name())) {
      symbol("swap-relation", n, NEIGHBOUR.get(n.name()));
      widen(n);
    } else if (n.is("=")) {
      widen(n);
    } else if (n.is("$IfThenElse")) {
      condition(n.children().get(0));
      expression(n.children().get(1));
      expression(n.children().get(2));
      return;
    } else if (n.is("$Except")) {
      except(n);
      return;
    } else if (n.is("$RcdConstructor")) {
      for (Node pair : n.children()) {
        if (!records(pair)) {
          expression(pair.last());
        }
      }
      return;
    } else if (UNIONS.contains(n.name()) || n.is("\\")) {
      operands(n);
    } else if (n.is("$SetEnumerate")) {
      elements("drop-element", n.children());
    } else if (n.kind() == Kind.DEFINED && n.name().matches("(Max|Min)(Of)?")) {
      extremum(n);
    }
    n.children().forEach(this::expression);
  }

  // ------------------------------------------------------------------ kinds of change

  private void filter(Node n) {
    Node said = n.last();
    if (said.is("/\\")) {
      flat(said).forEach(c -> drop("drop-filter", c));
    } else if (n.is("$SubsetOf")) {
      drop("drop-filter", said);
    }
    if (n.is("CHOOSE")) {
      flat(said).forEach(this::reverse);
    }
  }

  private void drop(String kind, Node n) {
    if (!isSwitch(n)) {
      replace(kind, n, "TRUE");
    }
  }

  /** {@code CHOOSE x \in S : \A y \in S : y <= x} becomes the least. */
  private void reverse(Node n) {
    if (n.is("\\A")) {
      Node said = n.last().is("=>") ? n.last().last() : n.last();
      if (REVERSE.containsKey(said.name())) {
        symbol("swap-max-min", said, REVERSE.get(said.name()));
      }
    }
  }

  private static List<Node> flat(Node n) {
    List<Node> all = new ArrayList<>();
    if (n.is("/\\")) {
      n.children().forEach(c -> all.addAll(flat(c)));
    } else {
      all.add(n);
    }
    return all;
  }

  private void symbol(String kind, Node n, String by) {
    int begin = source.end(n.children().get(0));
    int end = source.begin(n.children().get(1));
    change(kind, n, begin, end, " " + by + " ");
  }

  /** A test against a number of votes is content with one less. */
  private void widen(Node n) {
    Node left = n.children().get(0);
    if (left.name().equals("Cardinality") && Set.of("=", ">", ">=").contains(n.name())) {
      String by = n.name().equals("=") ? ">=" : n.name();
      String text =
          source.of(left) + " " + by + " " + source.wrap("(", n.children().get(1), ") - 1");
      replace("widen-quorum", n, text);
    }
  }

  private void except(Node n) {
    expression(n.children().get(0));
    List<Node> pairs = n.children().subList(1, n.children().size());
    elements("drop-update", pairs);
    for (Node pair : pairs) {
      if (!records(pair)) {
        expression(pair.last());
      }
    }
  }

  private void elements(String kind, List<Node> list) {
    for (int i = 0; i < list.size() && list.size() > 1; i++) {
      if (!records(list.get(i))) {
        int begin = i == 0 ? source.begin(list.get(0)) : source.end(list.get(i - 1));
        int end = i == 0 ? source.begin(list.get(1)) : source.end(list.get(i));
        change(kind, list.get(i), begin, end, "");
      }
    }
  }

  private void operands(Node n) {
    Node left = n.children().get(0);
    Node right = n.children().get(1);
    if (!isOldValue(left)) {
      replace("drop-element", n, source.of(left));
    }
    if (!n.is("\\") && !isOldValue(right)) {
      replace("drop-element", n, source.wrap("", right, ""));
    }
  }

  /** With only this operand left, an update keeps what was there: that is drop-update. */
  private boolean isOldValue(Node n) {
    return n.kind() == Kind.VARIABLE || n.name().equals("@");
  }

  private void extremum(Node n) {
    boolean max = n.name().startsWith("Max");
    String other = (max ? "Min" : "Max") + n.name().substring(3);
    String relation = max ? "<=" : ">=";
    List<Node> args = n.children();
    if (definitions.containsKey(other)) {
      String text = source.of(n);
      replace("swap-max-min", n, other + text.substring(3 + n.name().length() - 3));
    } else if (args.size() == 2) {
      String a = operand(args.get(0));
      String b = operand(args.get(1));
      replace(
          "swap-max-min",
          n,
          "(IF " + a + " " + relation + " " + b + " THEN " + a + " ELSE " + b + ")");
    }
  }

  private String operand(Node n) {
    return n.name().equals("@") ? "@" : source.of(n);
  }

  /** Skips persisting: a restart that keeps a variable loses it. */
  private void forget(Node n) {
    for (Forget f : target.forget()) {
      if (f.operator().equals(current.name())) {
        List<String> kept = variables(n.children().get(0));
        if (kept.remove(f.variable())) {
          forgotten.add(f.operator() + " " + f.variable());
          String text = "(UNCHANGED <<" + String.join(", ", kept) + ">> /\\ ";
          replace("skip-persist", n, text + f.variable() + "' = " + f.value() + ")");
        }
      }
    }
  }

  private List<String> variables(Node n) {
    List<String> all = new ArrayList<>();
    if (n.kind() == Kind.VARIABLE) {
      all.add(n.name());
    } else if (n.kind() == Kind.DEFINED) {
      all.addAll(variables(definitions.get(n.name()).body()));
    } else {
      n.children().forEach(c -> all.addAll(variables(c)));
    }
    return all;
  }

  // ------------------------------------------------------------------ helpers

  /** The variable that {@code x' = e}, {@code x' \in S} or an operator that is just that sets. */
  private String updated(Node n) {
    if (n.is("=") || n.is("\\in")) {
      Node left = n.children().get(0);
      return left.is("'") && left.last().kind() == Kind.VARIABLE ? left.last().name() : null;
    }
    Definition d = n.kind() == Kind.DEFINED ? definitions.get(n.name()) : null;
    return d == null || d.level() < 2 ? null : updated(d.body());
  }

  /** A test of a constant that says which model is meant, not what the protocol does. */
  private boolean isSwitch(Node n) {
    return n.level() == 0 && target.switches().stream().anyMatch(s -> mentions(n, s));
  }

  private static boolean mentions(Node n, String name) {
    return n.name().equals(name) || n.children().stream().anyMatch(c -> mentions(c, name));
  }

  /** A field that only records something, as {@code .field} in records. */
  private boolean records(Node pair) {
    if (!pair.is("$Pair")) {
      return false;
    }
    Node path = pair.children().get(0);
    Node field = path.children().isEmpty() ? path : path.last();
    return field.kind() == Kind.STRING && target.records().contains("." + field.name());
  }

  private void replace(String kind, Node n, String by) {
    change(kind, n, source.begin(n), source.end(n), by);
  }

  private void change(String kind, Node n, int begin, int end, String by) {
    if (!n.place().module().equals(target.module())) {
      throw new InputError(
          target.file().toString(),
          0,
          "an expression of " + n.place().module() + " inside " + target.module(),
          "");
    }
    String changed = source.replace(begin, end, by);
    if (mutants.values().stream().anyMatch(m -> m.text().equals(changed))) {
      return;
    }
    String stem =
        target.module()
            + "."
            + current.name()
            + "."
            + kind
            + "."
            + hash(squeeze(source.of(n)) + " -> " + squeeze(by));
    String id = stem;
    for (int i = 2; mutants.containsKey(id); i++) {
      id = stem + "-" + i;
    }
    mutants.put(
        id,
        new Mutant(
            id,
            target.module(),
            current.name(),
            kind,
            source.line(begin),
            source.text(),
            changed,
            probe(n)));
  }

  /**
   * The module with {@code n}, or what a pair of an EXCEPT assigns, out of the evaluator's reach.
   */
  private String probe(Node n) {
    Node value = n.is("$Pair") ? n.last() : n;
    return source.replace(source.begin(value), source.end(value), nothing);
  }

  private static String squeeze(String s) {
    return s.replaceAll("\\s+", " ").strip();
  }

  static String hash(String s) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(s.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The kinds of change, for those who count them. */
  static Set<String> kinds(List<Mutant> all) {
    Set<String> kinds = new TreeSet<>();
    all.forEach(m -> kinds.add(m.kind()));
    return kinds;
  }
}
