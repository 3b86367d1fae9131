package io.partitionbridge.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.flink.connector.file.table.PartitionTempFileManager;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.table.utils.PartitionPathUtils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which a batch job announces its partitions. */
class CommitPoliciesTest {

    @ParameterizedTest(name = "{0} partitions")
    @ValueSource(ints = {1, 5, 12, 13, 40, 200})
    @DisplayName(
            "It is that of Flink's own committer, which goes over a HashMap of the partitions.")
    void flinksOrder(int count, @TempDir Path staging) throws Exception {
        List<String> partitions = partitions(count);
        Path task = Files.createDirectory(staging.resolve("task-0-attempt-0"));
        for (String partition : partitions) {
            Files.createFile(Files.createDirectories(task.resolve(partition)).resolve("part"));
        }

        // Flink's own look at what its writers have staged.
        List<LinkedHashMap<String, String>> flinks =
                new ArrayList<>(
                        PartitionTempFileManager.collectPartSpecToPaths(
                                        new ListedAsOnS3(),
                                        List.of(new org.apache.flink.core.fs.Path(task.toUri())),
                                        2)
                                .keySet());

        assertThat(CommitPolicies.inFlinksOrder(partitions))
                .as("the order in which the writers report them makes no difference")
                .containsExactlyElementsOf(flinks);
    }

    /** In any order, with values that are escaped in a path. */
    private static List<String> partitions(int count) {
        List<String> partitions =
                new ArrayList<>(
                        IntStream.range(0, count)
                                .mapToObj(number -> path("day " + number, "a/b:" + number % 7))
                                .toList());
        Collections.shuffle(partitions, new Random(count));
        return partitions;
    }

    private static String path(String day, String kind) {
        LinkedHashMap<String, String> spec = new LinkedHashMap<>();
        spec.put("day", day);
        spec.put("kind", kind);
        return PartitionPathUtils.generatePartitionPath(spec);
    }

    /** A disk has no order of its own; S3 has the one of the keys. */
    private static final class ListedAsOnS3 extends LocalFileSystem {

        @Override
        public FileStatus[] listStatus(org.apache.flink.core.fs.Path folder) throws IOException {
            FileStatus[] found = super.listStatus(folder);
            Arrays.sort(found, Comparator.comparing(each -> each.getPath().getName() + "/"));
            return found;
        }
    }
}
