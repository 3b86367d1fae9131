package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.connector.file.table.FileSystemTableSink.TableRollingPolicy;
import org.apache.flink.connector.file.table.stream.PartitionCommitPredicate;
import org.junit.jupiter.api.Test;

/** Which open files end at a barrier. */
class SealRuleTest {

    private static final long PART = 1_000;

    private final OpenFile old = file(0, "d=1/", 300, 10);
    private final OpenFile recent = file(1, "d=2/", 2_400, 20);
    private final List<OpenFile> open = List.of(recent, old);

    /** A file within Flink's rolling policy goes on. */
    @Test
    void filesSpanCheckpoints() {
        assertThat(rule(null, Long.MAX_VALUE).due(open, 100, 0)).isEmpty();
    }

    /** Flink's own policy ends a file that has grown too large, at a barrier as at a row. */
    @Test
    void aFileThatIsTooLargeEnds() {
        SealRule rule = new SealRule(policy(2_399), null, PART, Long.MAX_VALUE);
        assertThat(rule.due(open, 100, 0)).containsExactly(recent);
    }

    /** The partition's last file ends at the barrier that the watermark overtakes it by (I5). */
    @Test
    void aCommittablePartitionsFileEnds() {
        SealRule rule = rule(context -> context.currentWatermark() >= 7, Long.MAX_VALUE);
        assertThat(rule.due(open, 100, 6)).isEmpty();
        assertThat(rule.due(open, 100, 7)).containsExactlyInAnyOrder(old, recent);
    }

    /** Flink's predicate gets the partition, the file's age and the clock. */
    @Test
    void thePredicateSeesPartitionAndTimes() {
        SealRule rule =
                rule(
                        context ->
                                context.partition().equals("d=1/")
                                        && context.currentProcTime() == 100
                                        && context.createProcTime() == 5,
                        Long.MAX_VALUE);
        assertThat(rule.due(open, 100, 0)).containsExactly(old);
    }

    /**
     * Tails, not sizes, count for the state; the file that was used longest ago ends first (I8).
     */
    @Test
    void theLeastRecentlyUsedEndWhereTailsAreTooLarge() {
        assertThat(rule(null, 700).due(open, 100, 0)).as("300 and 400 bytes fit").isEmpty();
        assertThat(rule(null, 699).due(open, 100, 0)).containsExactly(old);
        assertThat(rule(null, 0).due(open, 100, 0)).containsExactly(old, recent);
    }

    /**
     * What a file's bytes have come to, compressed, isn't known here: a tail may be all of them,
     * but no more than a part (I8).
     */
    @Test
    void tailsOfCompressedFilesAreBounded() {
        OpenFile small = compressed(2, 300, 10);
        OpenFile large = compressed(3, 5_400, 20);
        List<OpenFile> both = List.of(large, small);
        assertThat(rule(null, 1_300).due(both, 100, 0)).isEmpty();
        assertThat(rule(null, 1_299).due(both, 100, 0)).containsExactly(small);
        assertThat(new SealRule(policy(300), null, PART, 1_300).due(both, 100, 0))
                .as("the rolling policy is about the file's size in the store")
                .isEmpty();
        large.encoded(301);
        assertThat(new SealRule(policy(300), null, PART, 1_300).due(both, 100, 0))
                .as("which the writer tells")
                .containsExactly(large);
    }

    /**
     * Of rows that the writer encodes no more is known than what is sent; what the writer told of
     * an earlier barrier takes the place of what was sent before it (I8).
     */
    @Test
    void tailsOfParquetFilesAreWhatIsSentSinceTheWriterTold() {
        OpenFile file = new OpenFile(4, "d=4/", "key-4", 5);
        file.tail().sent(700);
        assertThat(file.tail().atMost(PART)).as("nothing is told yet").isEqualTo(700);
        file.tail().passed(1);
        file.tail().sent(50);
        file.tail().passed(2);
        file.tail().sent(8);
        file.tail().marked(1, 200);
        assertThat(file.tail().atMost(PART)).as("200 at barrier 1, 58 since").isEqualTo(258);
        file.tail().marked(2, 210);
        assertThat(file.tail().atMost(PART)).isEqualTo(218);
        file.tail().marked(1, 200);
        assertThat(file.tail().atMost(PART)).as("an older one comes too late").isEqualTo(218);
        file.tail().sent(1L << 40);
        assertThat(file.tail().atMost(PART))
                .as("a part, and rows that are no row group yet, are the most")
                .isEqualTo(PART + (9 << 20));
    }

    private static OpenFile compressed(int number, long size, long lastUpdate) {
        OpenFile file = new OpenFile(number, "d=" + number + "/", "key-" + number, 5);
        file.compressed(size);
        file.touched(lastUpdate);
        return file;
    }

    private static SealRule rule(PartitionCommitPredicate committable, long mostInline) {
        return new SealRule(policy(1 << 20), committable, PART, mostInline);
    }

    private static TableRollingPolicy policy(long fileSize) {
        return new TableRollingPolicy(false, fileSize, 1_000_000, 1_000_000);
    }

    private static OpenFile file(int number, String partition, long size, long lastUpdate) {
        OpenFile file = new OpenFile(number, partition, "key-" + number, 5);
        file.written(size);
        file.touched(lastUpdate);
        return file;
    }
}
