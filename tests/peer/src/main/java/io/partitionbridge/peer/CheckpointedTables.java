package io.partitionbridge.peer;

import org.apache.flink.table.planner.runtime.stream.FsStreamingSinkITCaseBase;

/** Flink's suite of files and partitions that checkpoints commit, format by format. */
final class CheckpointedTables {

    private CheckpointedTables() {}

    static class Parquet extends FsStreamingSinkITCaseBase {

        @Override
        public String[] additionalProperties() {
            return new String[] {"'format' = 'parquet'"};
        }
    }

    static class Csv extends FsStreamingSinkITCaseBase {

        @Override
        public String[] additionalProperties() {
            return new String[] {"'format' = 'csv'"};
        }
    }

    static class Json extends FsStreamingSinkITCaseBase {

        @Override
        public String[] additionalProperties() {
            return new String[] {"'format' = 'json'"};
        }
    }

    static class Avro extends FsStreamingSinkITCaseBase {

        @Override
        public String[] additionalProperties() {
            return new String[] {"'format' = 'avro'"};
        }
    }

    static class Orc extends FsStreamingSinkITCaseBase {

        @Override
        public String[] additionalProperties() {
            return new String[] {"'format' = 'orc'"};
        }
    }
}
