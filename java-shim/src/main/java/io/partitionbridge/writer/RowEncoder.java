package io.partitionbridge.writer;

import java.io.IOException;
import org.apache.flink.table.data.RowData;

/** Sends the rows of open files to the writer: as Arrow batches, or encoded by Flink's format. */
interface RowEncoder extends AutoCloseable {

    /** Sends what must come before the first file. */
    void start() throws IOException;

    void write(RowData row, OpenFile file) throws IOException;

    /** Sends everything that belongs before the file's CLOSE. */
    void finish(OpenFile file) throws IOException;

    /** Sends everything that belongs before a BARRIER. */
    void flush() throws IOException;

    /** Drops what wasn't sent (I2). */
    @Override
    void close();
}
