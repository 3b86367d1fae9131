package io.partitionbridge.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What the task asks of the metastore, pulled by its process one after the other, and the answers.
 *
 * <p>Every future that was handed out completes: by its answer, or by {@link #fail}.
 */
final class MetastoreRequests {

    /** Stands for no request, which a queue can't hold. */
    private static final String END = "";

    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final Map<Integer, CompletableFuture<String>> open = new HashMap<>();
    private IOException failure;
    private int last;

    synchronized CompletableFuture<String> ask(String what, Map<String, Object> arguments) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        if (failure != null) {
            answer.completeExceptionally(failure);
            return answer;
        }
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("request", ++last);
        request.put("ask", what);
        request.putAll(arguments);
        open.put(last, answer);
        waiting.add(ControlJson.write(request));
        return answer;
    }

    String next() throws InterruptedException {
        String request = waiting.take();
        return request.equals(END) ? null : request;
    }

    void answered(int request, String answer) {
        CompletableFuture<String> asked;
        synchronized (this) {
            asked = open.remove(request);
        }
        if (asked != null) {
            asked.complete(answer);
        }
    }

    /** Fails what is open and whatever will be asked; the first cause stays. */
    void fail(IOException cause) {
        Map<Integer, CompletableFuture<String>> failed;
        synchronized (this) {
            if (failure == null) {
                failure = cause;
            }
            failed = Map.copyOf(open);
            open.clear();
        }
        failed.values().forEach(asked -> asked.completeExceptionally(cause));
    }

    /** Sends the process home, whose wait ends with this. */
    void end() {
        waiting.add(END);
    }
}
