package dev.plumbline.validate;

import dev.plumbline.tlc.Spec;
import dev.plumbline.tlc.Term;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How one module of a protocol reads a log: which events concern it, what their arguments mean in
 * the specification, and what may be forgotten when. The actions live in the module {@code
 * TraceMODULE}, which extends the core module.
 */
public interface TraceModel {

  /** The core module; events are named {@code MODULE.Action}. */
  String module();

  /** The folder of {@code TraceMODULE.tla}, relative to the repository. */
  Path folder();

  /**
   * Reads a whole log before it is validated.
   *
   * @param room a factor for pools of reusable names: 1 at first, doubled when a pool ran dry
   * @throws dev.plumbline.tlc.InputError when an event's arguments cannot be understood
   */
  Reading read(MergedLog log, int room);

  /** A log in the terms of one module. Methods below {@link #load} are called after loading. */
  interface Reading {

    /** Definitions that the generated root module adds to {@code TraceMODULE}, one a line. */
    List<String> definitions();

    /** The name of the module's behaviours, for SPECIFICATION. */
    default String specification() {
      return "Spec";
    }

    /** Lines of the generated configuration, without SPECIFICATION. */
    List<String> configuration();

    /** The specification was loaded: terms can be made. */
    void load(Spec spec);

    /**
     * What event {@code index} is in this module; empty if it does not concern it.
     *
     * @throws PoolEmpty when a pool of reusable names is too small
     */
    List<Step> steps(int index);

    /**
     * The parts of the log that an event is in, each a log of the module by itself, for a module
     * that is about one thing of many, such as one key. For any other the whole log is one part.
     */
    default List<String> parts(int index) {
      return List.of("");
    }

    /** What event {@code index} is in one of its parts. */
    default List<Step> steps(int index, String part) {
      return steps(index);
    }

    /** How many of the log's parts are read, in words; empty where that is the whole log. */
    default String covered() {
      return "";
    }

    /** What the log's names in an event are called in the specification, for explanations. */
    default Map<String, String> names(int index) {
      return Map.of();
    }

    /** Variables that hold sets of messages: a member that no later event delivers is dropped. */
    default List<String> messageVariables() {
      return List.of();
    }

    /** Whether an event after {@code index} delivers this message, a member of the variable. */
    default boolean deliveredAfter(int index, Term message) {
      return true;
    }

    /** Variables that only claims read, with the value that they are reset to after each step. */
    default Map<String, Term> forgotten() {
      return Map.of();
    }

    /** Steps, each a stuttering step of the forgetful abstraction, to be taken after an event. */
    default List<Step> housekeeping(int index) {
      return List.of();
    }

    /** The housekeeping after an event was done; these are the possible states now. */
    default void cleaned(List<Spec.State> candidates) {}

    /** The possible states are the same, and their values are other objects. */
    default void remade() {}

    /** Invariants of the root module, checked after each of this module's steps. */
    default List<String> invariants() {
      return List.of();
    }
  }

  /**
   * One action to evaluate.
   *
   * @param action the action of the core module that this stands for, for coverage; empty for
   *     housekeeping
   * @param operator the operator of {@code TraceMODULE} to evaluate
   * @param optional when it is not enabled in a state, that state stays as it is
   */
  record Step(String action, String operator, List<Term> arguments, boolean optional) {
    public static Step of(String action, Term... arguments) {
      return new Step(action, action, List.of(arguments), false);
    }
  }

  /** A pool of reusable names is too small for this log. */
  final class PoolEmpty extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PoolEmpty(String pool) {
      super("the pool of " + pool + " is empty", null, false, false);
    }
  }
}
