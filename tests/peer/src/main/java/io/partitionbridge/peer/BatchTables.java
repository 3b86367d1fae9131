package io.partitionbridge.peer;

import org.apache.flink.table.planner.runtime.batch.sql.BatchFileSystemITCaseBase;
import org.apache.flink.testutils.junit.extensions.parameterized.NoOpTestExtension;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flink's suite of tables in batch mode, format by format. */
final class BatchTables {

    private BatchTables() {}

    @ExtendWith(NoOpTestExtension.class)
    static class Parquet extends BatchFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'parquet'"};
        }
    }

    @ExtendWith(NoOpTestExtension.class)
    static class Csv extends BatchFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'csv'"};
        }

        @Override
        public boolean supportsReadingMetadata() {
            return false;
        }
    }

    @ExtendWith(NoOpTestExtension.class)
    static class Json extends BatchFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'json'"};
        }
    }

    @ExtendWith(NoOpTestExtension.class)
    static class Avro extends BatchFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'avro'"};
        }
    }

    @ExtendWith(NoOpTestExtension.class)
    static class Orc extends BatchFileSystemITCaseBase {

        @Override
        public String[] formatProperties() {
            return new String[] {"'format' = 'orc'"};
        }
    }
}
