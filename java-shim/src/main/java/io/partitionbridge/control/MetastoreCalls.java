package io.partitionbridge.control;

import java.util.Map;

/**
 * The calls that the metastore's process makes over py4j (docs/protocol.md, "The metastore's
 * process").
 *
 * <p>It pulls: {@link #next} waits on py4j's thread until the task asks for something.
 */
public final class MetastoreCalls {

    private final MetastoreRequests requests;
    private final MetastoreSession session;

    MetastoreCalls(MetastoreSession session, MetastoreRequests requests) {
        this.session = session;
        this.requests = requests;
    }

    public void hello(int protocol, int pid, String versionsJson) {
        WriterFailure mismatch = WriterCalls.mismatch(protocol, versionsJson);
        if (mismatch != null) {
            session.failed(mismatch);
            throw new IllegalArgumentException(mismatch.getMessage());
        }
        session.greeted(pid, versionsJson);
    }

    /** The next request as JSON; null when there will be none, and the process shall end. */
    public String next() throws InterruptedException {
        return requests.next();
    }

    /**
     * @param answer what the request asked for, or null
     */
    public void answered(int request, String answer) {
        requests.answered(request, answer);
    }

    public void failed(String kind, String message) {
        session.failed(new WriterFailure(WriterFailure.Kind.parse(kind), message));
    }

    /** Secret, over loopback and the token only (I12). */
    public String credentials() {
        Map<String, Object> keys = session.credentials();
        return ControlJson.write(keys);
    }
}
