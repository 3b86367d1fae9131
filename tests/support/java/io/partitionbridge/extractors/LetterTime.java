package io.partitionbridge.extractors;

import java.time.LocalDateTime;
import java.util.List;
import org.apache.flink.connector.file.table.PartitionTimeExtractor;

/** A time extractor as a user would write it, of values that Flink's own can't take for a time: 'a' is of five o'clock, any other of eight. */
public final class LetterTime implements PartitionTimeExtractor {

    @Override
    public LocalDateTime extract(List<String> keys, List<String> values) {
        return LocalDateTime.of(2024, 1, 1, values.get(0).equals("a") ? 5 : 8, 0);
    }
}
