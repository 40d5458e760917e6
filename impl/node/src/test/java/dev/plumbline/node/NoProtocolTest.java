package dev.plumbline.node;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

class NoProtocolTest {
  private static final ArchRule RULE =
      noClasses()
          .that()
          .resideInAnyPackage("dev.plumbline.node", "dev.plumbline.client", "dev.plumbline.cluster")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.plumbline.k2..",
              "dev.plumbline.dast..",
              "dev.plumbline.engage..",
              "dev.plumbline.metric..");

  @Test
  void theRuntimeKnowsNoProtocol() {
    RULE.check(
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plumbline"));
  }

  @Test
  void aClassThatKnowsOneIsFound() {
    JavaClasses tests = new ClassFileImporter().importClasses(FrameTest.class);
    assertThat(RULE.evaluate(tests).hasViolation()).isTrue();
  }
}
