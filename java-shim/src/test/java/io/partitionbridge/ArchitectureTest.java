package io.partitionbridge;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import io.partitionbridge.committer.FileReport;
import java.net.URISyntaxException;
import java.util.Set;

/** Who may know whom. */
@AnalyzeClasses(locations = ArchitectureTest.Main.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule LAYERS =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("table")
                    .definedBy("io.partitionbridge.table..")
                    .layer("batch")
                    .definedBy("io.partitionbridge.batch..")
                    .layer("writer")
                    .definedBy("io.partitionbridge.writer..")
                    .layer("control")
                    .definedBy("io.partitionbridge.control..")
                    .layer("state")
                    .definedBy("io.partitionbridge.state..")
                    .layer("committer")
                    .definedBy("io.partitionbridge.committer..")
                    .layer("policy")
                    .definedBy("io.partitionbridge.policy..")
                    .layer("metastore")
                    .definedBy("io.partitionbridge.metastore..")
                    .layer("credentials")
                    .definedBy("io.partitionbridge.credentials..")
                    .layer("doctor")
                    .definedBy("io.partitionbridge.doctor..")
                    .layer("explain")
                    .definedBy("io.partitionbridge.explain..")
                    .layer("faultpoint")
                    .definedBy("io.partitionbridge.faultpoint..")
                    .whereLayer("table")
                    .mayOnlyBeAccessedByLayers("explain")
                    .whereLayer("batch")
                    .mayOnlyBeAccessedByLayers("table")
                    .whereLayer("writer")
                    .mayOnlyBeAccessedByLayers("table", "batch")
                    .whereLayer("control")
                    .mayOnlyBeAccessedByLayers("writer", "batch", "metastore", "policy", "doctor")
                    .whereLayer("policy")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("metastore")
                    .mayOnlyBeAccessedByLayers("table", "batch", "committer")
                    .whereLayer("state")
                    .mayOnlyBeAccessedByLayers("writer")
                    .whereLayer("committer")
                    .mayOnlyBeAccessedByLayers("writer", "table")
                    .whereLayer("credentials")
                    .mayOnlyBeAccessedByLayers("writer", "table", "metastore", "doctor")
                    .whereLayer("doctor")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("explain")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("faultpoint")
                    .mayOnlyBeAccessedByLayers("writer", "committer", "metastore");

    @ArchTest
    static final ArchRule PY4J_ONLY_IN_CONTROL =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.partitionbridge.control..")
                    .should()
                    .dependOnClassesThat(resideInAnyPackage("py4j.."))
                    .because("everything else is tested without a gateway");

    @ArchTest
    static final ArchRule ARROW_ONLY_IN_ITS_PACKAGE =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.partitionbridge.writer.arrow..")
                    .should()
                    .dependOnClassesThat(resideInAnyPackage("org.apache.arrow.."))
                    .because("memory that isn't the JVM's is freed in one place");

    @ArchTest
    static final ArchRule NOTHING_IN_FLINKS_PACKAGES =
            classes()
                    .should()
                    .resideInAPackage("io.partitionbridge..")
                    .because("Flink's class loaders look for org.apache.flink in the parent first");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.partitionbridge.(*)..").should().beFreeOfCycles();

    /** All that is compiled into the jar, whatever its package. */
    static final class Main implements LocationProvider {

        @Override
        public Set<Location> get(Class<?> testClass) {
            try {
                return Set.of(
                        Location.of(
                                FileReport.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toURI()));
            } catch (URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
