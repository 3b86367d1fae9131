package io.partitionbridge.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Notes which data files each test has left in the suite's folder: lines of the test's name, a tab
 * and the file's path there.
 */
public final class WrittenFiles implements AfterTestExecutionCallback {

    private static final Pattern DATA = Pattern.compile("(compacted-)?part-.*");
    private static final Pattern INVOCATION = Pattern.compile("-invocation:#(\\d+)]$");

    /** One JVM runs one class, whose tests may share a folder. */
    private static final Set<Path> KNOWN = new HashSet<>();

    @Override
    public synchronized void afterTestExecution(ExtensionContext test) throws IOException {
        Matcher invocation = INVOCATION.matcher(test.getUniqueId());
        String name =
                test.getRequiredTestMethod().getName()
                        + (invocation.find() ? "[" + invocation.group(1) + "]" : "");
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SuiteFolder.path())) {
            files.filter(file -> DATA.matcher(file.getFileName().toString()).matches())
                    .filter(Files::isRegularFile)
                    .filter(KNOWN::add)
                    .forEach(file -> lines.add(name + "\t" + SuiteFolder.path().relativize(file)));
        }
        Files.write(
                Path.of(System.getProperty("peer.written")),
                lines,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
