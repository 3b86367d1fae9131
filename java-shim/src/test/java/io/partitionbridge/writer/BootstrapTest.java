package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.control.WriterLaunch;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class BootstrapTest {

    private static final long MIB = 1 << 20;

    private final Configuration job = new Configuration();
    private final Configuration taskManager = new Configuration();

    /** The table's interpreter goes before the job's, that before the TaskManager's. */
    @Test
    void findsTheInterpreter() {
        assertThat(launch(spec(null)).command())
                .containsExactly("python3", "-m", "partition_bridge.writer");
        taskManager.setString("python.executable", "/tm/python");
        assertThat(launch(spec(null)).command().get(0)).isEqualTo("/tm/python");
        job.setString("python.executable", "/job/python");
        assertThat(launch(spec(null)).command().get(0)).isEqualTo("/job/python");
        assertThat(launch(spec("/table/python")).command().get(0)).isEqualTo("/table/python");
    }

    /** The JobManager refuses states over 5 MiB, so its storage gets the smaller inline limit. */
    @Test
    void theInlineLimitFollowsTheCheckpointStorage() {
        assertThat(launch(spec(null)).configuration()).containsEntry("inline_limit", 4 * MIB);
        taskManager.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://lake/checkpoints");
        assertThat(launch(spec(null)).configuration()).containsEntry("inline_limit", 32 * MIB);
        job.set(CheckpointingOptions.CHECKPOINT_STORAGE, "jobmanager");
        assertThat(launch(spec(null)).configuration()).containsEntry("inline_limit", 4 * MIB);
    }

    /** Builder and process share sink.writer.memory, and every batch is sure to be granted. */
    @Test
    void theBudgetIsShared() {
        Bootstrap bootstrap = new Bootstrap(spec(null), job, taskManager);

        assertThat(launch(spec(null)).configuration()).containsEntry("memory", 248 * MIB);
        assertThat(bootstrap.batchBytes()).isEqualTo(4 * MIB).isLessThan(bootstrap.largestBatch());
    }

    /** Who only completes uploads compresses nothing, and so needs no pyarrow for it. */
    @Test
    void onlyWritersOfFilesCompress() {
        HostFormat lines = HostFormat.rows((row, out) -> {}).compressed("zstd");
        WriterSpec spec = spec(null, lines);
        TaskInfo task = new TaskInfoImpl("writer", 128, 0, 2, 0);

        assertThat(launch(spec).configuration()).containsEntry("compression", "zstd");
        assertThat(launch(spec(null)).configuration()).containsEntry("compression", "none");
        assertThat(
                        new Bootstrap(spec, job, taskManager)
                                .launchForCommits(task, spec.location(), Map.of())
                                .configuration())
                .containsEntry("compression", "none");
    }

    /** A launch that is logged shows no key (I12). */
    @Test
    void aLaunchPrintsNoSecret() {
        taskManager.setString("s3.access-key", "the-access-key");
        taskManager.setString("s3.secret-key", "the-secret-key");

        assertThat(launch(spec(null)).toString())
                .contains("c.d.t (subtask 1/2)")
                .doesNotContain("secret-key");
        assertThat(launch(spec(null)).command()).noneMatch(word -> word.contains("secret"));
    }

    private WriterLaunch launch(WriterSpec spec) {
        return new Bootstrap(spec, job, taskManager)
                .launch(new TaskInfoImpl("writer", 128, 0, 2, 0), spec.location(), Map.of());
    }

    private static WriterSpec spec(String python) {
        return spec(python, null);
    }

    private static WriterSpec spec(String python, HostFormat format) {
        return new WriterSpec(
                "c.d.t",
                "s3://lake/t",
                RowType.of(new BigIntType()),
                List.of(),
                "__DEFAULT_PARTITION__",
                "part",
                "",
                Map.of(),
                128 * MIB,
                1_000,
                1_000,
                1_000,
                true,
                null,
                16 * MIB,
                4,
                16,
                "auto",
                "auto",
                MIB,
                256 * MIB,
                -1,
                "fail",
                format,
                python);
    }
}
