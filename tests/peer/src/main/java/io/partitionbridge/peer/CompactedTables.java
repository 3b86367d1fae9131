package io.partitionbridge.peer;

import org.apache.flink.table.planner.runtime.stream.sql.FileCompactionITCaseBase;

/** Flink's suite of auto-compaction, format by format. */
final class CompactedTables {

    private CompactedTables() {}

    static class Parquet extends FileCompactionITCaseBase {

        @Override
        protected String format() {
            return "parquet";
        }
    }

    static class Csv extends FileCompactionITCaseBase {

        @Override
        protected String format() {
            return "csv";
        }
    }

    static class Json extends FileCompactionITCaseBase {

        @Override
        protected String format() {
            return "json";
        }
    }

    static class Avro extends FileCompactionITCaseBase {

        @Override
        protected String format() {
            return "avro";
        }
    }

    static class Orc extends FileCompactionITCaseBase {

        @Override
        protected String format() {
            return "orc";
        }
    }
}
