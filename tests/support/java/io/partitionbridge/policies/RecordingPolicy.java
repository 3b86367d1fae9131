package io.partitionbridge.policies;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.CodeSource;
import java.util.stream.Collectors;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;

/**
 * A commit policy as a user would write it: it appends one line to a file for each call, with its second parameter, the
 * table and the partition that it is told, and the Flink classes that called it with the jar that each came from.
 */
public final class RecordingPolicy implements PartitionCommitPolicy {

    private final Path file;
    private final String mark;

    public RecordingPolicy(String file, String mark) {
        this.file = Path.of(file);
        this.mark = mark;
    }

    @Override
    public void commit(Context context) throws IOException {
        String callers =
                StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                        .walk(
                                frames ->
                                        frames.map(StackWalker.StackFrame::getDeclaringClass)
                                                .filter(each -> each != RecordingPolicy.class)
                                                .distinct()
                                                .map(each -> each.getName() + "@" + jar(each))
                                                .collect(Collectors.joining(",")));
        String line =
                String.join("\t", mark, context.tableName(), String.join("/", context.partitionValues()), callers);
        Files.write(
                file,
                (line + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static String jar(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null ? "" : Path.of(source.getLocation().getPath()).getFileName().toString();
    }
}
