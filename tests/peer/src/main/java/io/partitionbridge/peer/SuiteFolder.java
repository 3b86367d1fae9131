package io.partitionbridge.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Puts the folders that JUnit gives to tests below one folder, which on S3 is a bucket of the
 * gateway's: Flink's suites look at files, and the gateway keeps each object as one.
 */
public final class SuiteFolder implements TempDirFactory {

    /** Absolute, without links. */
    static Path path() {
        return Path.of(System.getProperty("peer.folder"));
    }

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
            throws IOException {
        return Files.createTempDirectory(path(), "junit-");
    }
}
