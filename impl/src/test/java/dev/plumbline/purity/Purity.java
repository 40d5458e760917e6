package dev.plumbline.purity;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/**
 * What makes a protocol package pure: it depends on {@code java.lang}, {@code java.util}, {@code
 * dev.plumbline.machine} and itself; uses no thread, I/O, system clock or randomness; keeps no
 * mutable static; and uses no collection whose iteration order differs from one JVM to the next.
 */
final class Purity {
  private static final Set<String> PACKAGES =
      Set.of(
          "java.lang",
          "java.lang.annotation",
          "java.lang.invoke",
          "java.lang.runtime",
          "java.util",
          "java.util.function",
          "java.util.stream",
          "dev.plumbline.machine");

  private static final Set<String> FORBIDDEN =
      Set.of(
          "java.lang.System",
          "java.lang.Thread",
          "java.lang.ThreadLocal",
          "java.lang.Runtime",
          "java.lang.Process",
          "java.lang.ProcessBuilder",
          "java.lang.ClassLoader",
          "java.util.Calendar",
          "java.util.Date",
          "java.util.HashMap",
          "java.util.HashSet",
          "java.util.Hashtable",
          "java.util.IdentityHashMap",
          "java.util.Random",
          "java.util.Scanner",
          "java.util.ServiceLoader",
          "java.util.SplittableRandom",
          "java.util.Timer",
          "java.util.UUID",
          "java.util.WeakHashMap");

  private static final Set<String> FORBIDDEN_CALLS =
      Set.of(
          "java.lang.Math.random",
          "java.lang.System.identityHashCode",
          "java.util.Collections.shuffle",
          "java.util.Map.copyOf",
          "java.util.Set.copyOf",
          "java.util.Set.of",
          "java.util.stream.BaseStream.parallel",
          "java.util.stream.Collectors.groupingBy",
          "java.util.stream.Collectors.toMap",
          "java.util.stream.Collectors.toSet",
          "java.util.Collection.parallelStream");

  private static final Set<String> MUTABLE =
      Set.of(
          "java.util.ArrayList",
          "java.util.ArrayDeque",
          "java.util.LinkedHashMap",
          "java.util.LinkedHashSet",
          "java.util.PriorityQueue",
          "java.util.TreeMap",
          "java.util.TreeSet");

  private Purity() {}

  /**
   * The rule for one protocol's package and those below it, without {@code system}: that is how the
   * machines are run. It may be empty.
   */
  static ArchRule of(String protocolPackage) {
    return classes()
        .that()
        .resideInAPackage(protocolPackage + "..")
        .and()
        .resideOutsideOfPackage(protocolPackage + ".system..")
        .should(dependOnAllowed(protocolPackage))
        .andShould(keepNoMutableStatic())
        .allowEmptyShould(true);
  }

  private static ArchCondition<JavaClass> dependOnAllowed(String own) {
    return new ArchCondition<>("depend on nothing impure") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (!allowed(own, target)) {
            events.add(SimpleConditionEvent.violated(item, dependency.getDescription()));
          }
        }
        for (JavaMethodCall call : item.getMethodCallsFromSelf()) {
          String name = call.getTargetOwner().getName() + "." + call.getName();
          if (FORBIDDEN_CALLS.contains(name)) {
            events.add(SimpleConditionEvent.violated(item, call.getDescription()));
          }
        }
      }
    };
  }

  private static boolean allowed(String own, JavaClass target) {
    String name = target.getPackageName();
    boolean known =
        target.isPrimitive()
            || name.equals(own)
            || name.startsWith(own + ".") && !(name + ".").startsWith(own + ".system.")
            || PACKAGES.contains(name);
    return known && !FORBIDDEN.contains(target.getName());
  }

  private static ArchCondition<JavaClass> keepNoMutableStatic() {
    return new ArchCondition<>("keep no mutable static") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (JavaField field : item.getFields()) {
          boolean compiled = field.getModifiers().contains(JavaModifier.SYNTHETIC);
          boolean enumValues = item.isEnum() && field.getName().equals("$VALUES");
          if (field.getModifiers().contains(JavaModifier.STATIC)
              && !compiled
              && !enumValues
              && mutable(field)) {
            events.add(SimpleConditionEvent.violated(item, field.getFullName() + " is mutable"));
          }
        }
      }
    };
  }

  private static boolean mutable(JavaField field) {
    return !field.getModifiers().contains(JavaModifier.FINAL)
        || field.getRawType().isArray()
        || MUTABLE.contains(field.getRawType().getName());
  }
}
