package dev.plumbline.worlds;

import dev.plumbline.check.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** Draws a TLA+ value; docs/worlds.md says how one is written. */
interface WorldGenerator {
  /**
   * A value as TLA+ text.
   *
   * @param elements of a set, a sequence or a function's range, in order; empty for others
   */
  record Value(String text, List<Value> elements) {
    static Value of(String text) {
      return new Value(text, List.of());
    }
  }

  /** Of what has no elements to choose from. */
  int NONE = -1;

  /**
   * @param known values drawn before, by the constant's name
   */
  Value draw(Choices choices, Map<String, Value> known);

  /** How many elements its values have at least, or {@link #NONE}. */
  default int least() {
    return NONE;
  }

  /** One whose values have elements. */
  record Counted(int least, WorldGenerator by) implements WorldGenerator {
    @Override
    public Value draw(Choices choices, Map<String, Value> known) {
      return by.draw(choices, known);
    }
  }

  /** Reads a generator. Names in {@code before} are constants that are drawn before it. */
  static WorldGenerator read(YamlNode n, Map<String, WorldGenerator> before) {
    if (n.isText()) {
      Value fixed = Value.of(n.text());
      return (choices, known) -> fixed;
    }
    n.onlyKeys(Set.of("one", "int", "some", "of", "seq", "map", "to", "record", "tuple", "size"));
    if (n.optional("one").isPresent()) {
      List<WorldGenerator> all = n.get("one").items().stream().map(i -> read(i, before)).toList();
      if (all.isEmpty()) {
        throw n.get("one").error("it chooses from nothing", "list what it may be");
      }
      return new Counted(
          all.stream().mapToInt(WorldGenerator::least).min().orElse(NONE),
          (choices, known) -> all.get(choices.below(all.size())).draw(choices, known));
    } else if (n.optional("int").isPresent()) {
      int[] range = range(n.get("int"));
      return (choices, known) ->
          Value.of(String.valueOf(range[0] + choices.below(range[1] - range[0] + 1)));
    } else if (n.optional("some").isPresent()) {
      return some(n, before);
    } else if (n.optional("of").isPresent()) {
      Pool pool = pool(n.get("of"), before);
      demand(n.get("of"), pool, 1);
      return new Counted(
          pool.leastOfOne(),
          (choices, known) -> {
            List<Value> from = pool.draw(choices, known);
            return from.get(choices.below(from.size()));
          });
    } else if (n.optional("seq").isPresent()) {
      WorldGenerator element = read(n.get("seq"), before);
      int[] size = range(n.get("size"));
      return new Counted(
          size[0],
          (choices, known) -> {
            List<Value> all = new ArrayList<>();
            while (all.size() < size[0] || (all.size() < size[1] && choices.below(3) > 0)) {
              all.add(element.draw(choices, known));
            }
            return new Value(all.stream().map(Value::text).collect(joined("<<", ">>")), all);
          });
    } else if (n.optional("map").isPresent()) {
      return map(n, before);
    } else if (n.optional("record").isPresent()) {
      Map<String, WorldGenerator> fields = new LinkedHashMap<>();
      n.get("record").entries().forEach((k, v) -> fields.put(k, read(v, before)));
      return (choices, known) ->
          Value.of(
              fields.entrySet().stream()
                  .map(f -> f.getKey() + " |-> " + f.getValue().draw(choices, known).text())
                  .collect(joined("[", "]")));
    } else if (n.optional("tuple").isPresent()) {
      List<WorldGenerator> all = n.get("tuple").items().stream().map(i -> read(i, before)).toList();
      return (choices, known) ->
          Value.of(
              all.stream().map(g -> g.draw(choices, known).text()).collect(joined("<<", ">>")));
    }
    throw n.error("no generator", "write one, int, some, of, seq, map, record or tuple");
  }

  private static WorldGenerator some(YamlNode n, Map<String, WorldGenerator> before) {
    Pool pool = pool(n.get("some"), before);
    int[] size = range(n.get("size"));
    demand(n.get("some"), pool, size[0]);
    return new Counted(
        size[0],
        (choices, known) -> {
          List<Value> left = new ArrayList<>(pool.draw(choices, known));
          List<Value> all = new ArrayList<>();
          while (!left.isEmpty()
              && (all.size() < size[0] || (all.size() < size[1] && choices.below(2) > 0))) {
            all.add(left.remove(choices.below(left.size())));
          }
          return new Value(all.stream().map(Value::text).collect(joined("{", "}")), all);
        });
  }

  private static WorldGenerator map(YamlNode n, Map<String, WorldGenerator> before) {
    Pool pool = pool(n.get("map"), before);
    WorldGenerator to = read(n.get("to"), before);
    return new Counted(
        pool.least(),
        (choices, known) -> {
          List<String> pairs = new ArrayList<>();
          List<Value> all = new ArrayList<>();
          for (Value key : pool.draw(choices, known)) {
            Value value = to.draw(choices, known);
            all.add(value);
            pairs.add(key.text() + " :> " + value.text());
          }
          String text = pairs.isEmpty() ? "[x \\in {} |-> 0]" : String.join(" @@ ", pairs);
          return new Value("(" + text + ")", all);
        });
  }

  /**
   * The elements of a constant drawn before, or a list of generators.
   *
   * @param least how many there are at least
   * @param leastOfOne how many elements one of them has at least, where that is known
   */
  record Pool(
      int least, int leastOfOne, BiFunction<Choices, Map<String, Value>, List<Value>> elements) {
    List<Value> draw(Choices choices, Map<String, Value> known) {
      return elements.apply(choices, known);
    }
  }

  private static Pool pool(YamlNode n, Map<String, WorldGenerator> before) {
    if (!n.isText()) {
      List<WorldGenerator> all = n.items().stream().map(i -> read(i, before)).toList();
      return new Pool(
          all.size(),
          all.stream().mapToInt(WorldGenerator::least).min().orElse(NONE),
          (choices, known) -> all.stream().map(g -> g.draw(choices, known)).toList());
    }
    String name = n.text();
    WorldGenerator named = before.get(name);
    if (named == null) {
      throw n.error(
          "nothing named " + name + " is drawn before",
          "drawn before: " + String.join(", ", new TreeSet<>(before.keySet())));
    }
    if (named.least() == NONE) {
      throw n.error(
          name + " has no elements that are known here",
          "draw " + name + " by some, seq or map, and not as TLA+ text");
    }
    return new Pool(named.least(), 0, (choices, known) -> known.get(name).elements());
  }

  /** A pool that may be too small would give something else than what is written. */
  private static void demand(YamlNode n, Pool pool, int least) {
    if (pool.least() < least) {
      throw n.error(
          "it may have " + pool.least() + " elements, of which " + least + " are drawn",
          "ask for fewer, or draw more of them before");
    }
  }

  private static int[] range(YamlNode n) {
    List<YamlNode> ends = n.items();
    if (ends.size() != 2 || ends.get(0).integer() > ends.get(1).integer()) {
      throw n.error("a range is [LOW, HIGH]", "write two whole numbers, the lower one first");
    }
    return new int[] {ends.get(0).small(), ends.get(1).small()};
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joined(String a, String b) {
    return Collectors.joining(", ", a, b);
  }
}
