package dev.plumbline.dast;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * The registered stored procedures. A value is a list of numbers, empty before the first write; its
 * first number tells a register (0) from a list (1), the rest is the content. Which of both a key
 * holds is settled by its first write. A step that does not suit it changes nothing, and shows what
 * it found.
 */
public final class Procedures {
  /** Reads and writes at any number of shards, independent of each other. */
  public static final String ACCESS = "access";

  /**
   * Moves money: the shard that pays decides whether it can, and both apply their part or none does
   * (a conditional abort, section 4.1). It cannot where it would pay from a list; what is paid to a
   * list changes nothing there.
   */
  public static final String TRANSFER = "transfer";

  /** The piece of {@link #TRANSFER} at the shard that pays. */
  public static final String DEBIT = "debit";

  /** The piece of {@link #TRANSFER} at the shard that receives. */
  public static final String CREDIT = "credit";

  /** A booking that needs a value of another shard: TPC-C's payment by name. */
  public static final String BY_NAME = "by-name";

  /** The piece of {@link #BY_NAME} that gives the value. */
  public static final String LOOKUP = "lookup";

  /** The piece of {@link #BY_NAME} that needs it. */
  public static final String BOOK = "book";

  private static final String COVERED = "covered";
  private static final String FOUND = "found";
  private static final long REGISTER = 0;
  private static final long LIST = 1;

  private final Map<String, Procedure> byName = new LinkedHashMap<>();

  /** The procedures that clients know. */
  public static Procedures standard() {
    Procedures procedures = new Procedures();
    procedures.register(
        new Procedure(
            ACCESS,
            List.of(
                new Piece(
                    ACCESS,
                    List.of(),
                    List.of(),
                    Procedures::mixed,
                    (store, steps, in) -> run(store, steps, true, Map.of())))));
    procedures.register(
        new Procedure(
            TRANSFER,
            List.of(
                new Piece(DEBIT, List.of(), List.of(COVERED), Procedures::mixed, Procedures::debit),
                new Piece(
                    CREDIT,
                    List.of(COVERED),
                    List.of(),
                    Procedures::mixed,
                    (store, steps, in) -> run(store, steps, in.get(COVERED) == 1, Map.of())))));
    procedures.register(
        new Procedure(
            BY_NAME,
            List.of(
                new Piece(
                    LOOKUP,
                    List.of(),
                    List.of(FOUND),
                    Procedures::mixed,
                    (store, steps, in) -> run(store, steps, true, Map.of(FOUND, 1L))),
                new Piece(
                    BOOK,
                    List.of(FOUND),
                    List.of(),
                    Procedures::mixed,
                    (store, steps, in) -> run(store, steps, true, Map.of())))));
    return procedures;
  }

  /**
   * Makes a procedure known.
   *
   * @throws IllegalArgumentException if the name is taken
   */
  public void register(Procedure procedure) {
    if (byName.putIfAbsent(procedure.name(), procedure) != null) {
      throw new IllegalArgumentException("there is a procedure " + procedure.name() + " already");
    }
  }

  /**
   * The procedure of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Procedure named(String name) {
    Procedure procedure = byName.get(name);
    if (procedure == null) {
      throw new IllegalArgumentException("no procedure " + name + " is registered");
    }
    return procedure;
  }

  /** What suits a key then depends on what it held before the transaction alone. */
  private static String mixed(List<Step> steps) {
    Map<Long, Boolean> lists = new LinkedHashMap<>();
    for (Step step : steps) {
      if (step.kind() != Step.Kind.READ) {
        boolean list = step.kind() == Step.Kind.APPEND;
        Boolean before = lists.put(step.key(), list);
        if (before != null && before != list) {
          return "is asked to treat key " + step.key() + " as a number and as a list";
        }
      }
    }
    return "";
  }

  private static Piece.Effect debit(
      LongFunction<List<Long>> store, List<Step> steps, Map<String, Long> inputs) {
    Piece.Effect effect = run(store, steps, true, Map.of());
    boolean covered = effect.writes().values().stream().noneMatch(Procedures::overdrawn);
    for (int i = 0; i < steps.size(); i++) {
      covered &= suits(steps.get(i).kind(), effect.seen().get(i));
    }
    return run(store, steps, covered, Map.of(COVERED, covered ? 1L : 0L));
  }

  private static boolean overdrawn(List<Long> value) {
    return value.get(0) == REGISTER && value.get(1) < 0;
  }

  private static Piece.Effect run(
      LongFunction<List<Long>> store, List<Step> steps, boolean apply, Map<String, Long> outputs) {
    Map<Long, List<Long>> writes = new LinkedHashMap<>();
    List<List<Long>> seen = new ArrayList<>();
    for (Step step : steps) {
      List<Long> before = writes.getOrDefault(step.key(), store.apply(step.key()));
      List<Long> after = suits(step.kind(), before) ? after(step, before) : before;
      seen.add(after);
      if (step.kind() != Step.Kind.READ) {
        writes.put(step.key(), after);
      }
    }
    return new Piece.Effect(apply, seen, apply ? writes : Map.of(), outputs);
  }

  /** Whether this can be done with a key of this value: numbers and lists do not mix. */
  public static boolean suits(Step.Kind kind, List<Long> value) {
    return kind == Step.Kind.READ
        || value.isEmpty()
        || value.get(0) == (kind == Step.Kind.APPEND ? LIST : REGISTER);
  }

  private static List<Long> after(Step step, List<Long> before) {
    return switch (step.kind()) {
      case READ -> before;
      case WRITE -> List.of(REGISTER, step.value());
      case ADD -> List.of(REGISTER, (before.isEmpty() ? 0 : before.get(1)) + step.value());
      case APPEND -> {
        List<Long> list = new ArrayList<>(before.isEmpty() ? List.of(LIST) : before);
        list.add(step.value());
        yield List.copyOf(list);
      }
    };
  }

  /** What a value holds for a client: null, a number, or a list of numbers. */
  public static Object content(List<Long> value) {
    if (value.isEmpty()) {
      return null;
    }
    return value.get(0) == LIST ? value.subList(1, value.size()) : value.get(1);
  }
}
