package io.partitionbridge.peer;

import org.apache.flink.table.planner.runtime.stream.sql.StreamFileSystemITCaseBase;

/** Flink's suite of tables in streaming mode, format by format. */
final class StreamTables {

    private StreamTables() {}

    static class Parquet extends StreamFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'parquet'"};
        }
    }

    static class Csv extends StreamFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'csv'"};
        }

        @Override
        public boolean supportsReadingMetadata() {
            return false;
        }
    }

    static class Json extends StreamFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'json'"};
        }
    }

    static class Avro extends StreamFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'avro'"};
        }
    }

    static class Orc extends StreamFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'orc'"};
        }
    }
}
