package io.partitionbridge.writer;

import io.partitionbridge.control.WriterSession;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Brings the writer's PROGRESS, which comes on the session's thread, to the open files. */
final class FileProgress implements WriterSession.ProgressListener {

    private final Map<Integer, OpenFile> open = new ConcurrentHashMap<>();

    void opened(OpenFile file) {
        open.put(file.number(), file);
    }

    void closed(OpenFile file) {
        open.remove(file.number());
    }

    int openFiles() {
        return open.size();
    }

    @Override
    public void progress(int file, long encodedBytes) {
        OpenFile target = open.get(file);
        if (target != null) {
            target.encoded(encodedBytes);
        }
    }
}
