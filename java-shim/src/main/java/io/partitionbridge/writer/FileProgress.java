package io.partitionbridge.writer;

import io.partitionbridge.control.WriterSession;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;

/** Brings the writer's PROGRESS, which comes on the session's thread, to the task's open files. */
final class FileProgress implements WriterSession.ProgressListener {

    /** Instead of a size: the writer asks to close the file (docs/protocol.md). */
    static final long CLOSE = Long.MAX_VALUE;

    private final LongConsumer partTimes;
    private final Map<Integer, OpenFile> open = new ConcurrentHashMap<>();
    private final Queue<OpenFile> unwanted = new ConcurrentLinkedQueue<>();

    /**
     * @param partTimes takes the milliseconds of each part's upload, on a thread of py4j
     */
    FileProgress(LongConsumer partTimes) {
        this.partTimes = partTimes;
    }

    void opened(OpenFile file) {
        open.put(file.number(), file);
    }

    void closed(OpenFile file) {
        open.remove(file.number());
    }

    int openFiles() {
        return open.size();
    }

    /**
     * The next file that the writer asked to close, once each; it may be closed already.
     *
     * @return null where there is none
     */
    OpenFile nextUnwanted() {
        return unwanted.poll();
    }

    @Override
    public void progress(int file, long encodedBytes) {
        OpenFile target = open.get(file);
        if (target != null) {
            target.encoded(encodedBytes);
            if (encodedBytes == CLOSE) {
                unwanted.add(target);
            }
        }
    }

    @Override
    public void partStored(long millis) {
        partTimes.accept(millis);
    }

    @Override
    public void marked(int file, long checkpoint, long tail) {
        OpenFile target = open.get(file);
        if (target != null) {
            target.tail().marked(checkpoint, tail);
        }
    }
}
