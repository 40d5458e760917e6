package dev.plumbline.purity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import dev.plumbline.machine.Machine;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PurityTest {
  private static final Set<String> RUNTIME =
      Set.of("history", "machine", "protocol", "scratch", "sim", "trace");

  private final JavaClasses impl =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.plumbline");

  @Test
  void protocolPackagesArePure() {
    for (String protocol : protocolPackages()) {
      Purity.of(protocol).check(impl);
    }
  }

  /** But for those that stand before another one, which does the protocol's work. */
  @Test
  void everyMachineLivesInAProtocolPackage() {
    impl.stream()
        .filter(type -> type.isAssignableTo(Machine.class) && !type.isInterface())
        .filter(type -> type.getFields().stream().noneMatch(PurityTest::isMachine))
        .forEach(
            type ->
                assertThat(protocolPackages())
                    .as(type.getName())
                    .anyMatch(
                        protocol -> (type.getPackageName() + ".").startsWith(protocol + ".")));
  }

  private static boolean isMachine(JavaField field) {
    return field.getRawType().isAssignableTo(Machine.class);
  }

  @Test
  void eachImpurityIsFound() {
    EvaluationResult result =
        Purity.of("dev.plumbline.purity.impure")
            .evaluate(new ClassFileImporter().importPackages("dev.plumbline.purity.impure"));

    for (String impurity :
        Set.of(
            "java.lang.System",
            "dev.plumbline.purity.impure.system.Deployed",
            "java.lang.Thread",
            "java.util.Random",
            "java.util.HashMap",
            "java.util.concurrent.atomic.AtomicLong",
            "java.nio.file.Files",
            "java.time.Instant",
            "java.lang.Math.random()",
            "java.util.Set.of(",
            "Impure.counter is mutable",
            "Impure.seen is mutable",
            "Impure.table is mutable")) {
      assertThat(result.getFailureReport().getDetails())
          .as(impurity)
          .anyMatch(detail -> detail.contains(impurity));
    }
  }

  @Test
  void pureClassesPass() {
    assertThatCode(
            () ->
                Purity.of("dev.plumbline.purity.pure")
                    .allowEmptyShould(false)
                    .check(new ClassFileImporter().importPackages("dev.plumbline.purity.pure")))
        .doesNotThrowAnyException();
  }

  /** All packages right below dev.plumbline except those of the runtime. */
  private Set<String> protocolPackages() {
    TreeSet<String> packages = new TreeSet<>();
    impl.forEach(
        type -> {
          String[] parts = type.getPackageName().split("\\.", -1);
          if (parts.length > 2 && !RUNTIME.contains(parts[2])) {
            packages.add("dev.plumbline." + parts[2]);
          }
        });
    return packages;
  }
}
