package io.partitionbridge.gates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A point in a task that a test can see, hold and fail from outside, by files of a folder: {@code passed.NAME} and {@code
 * reached.NAME} are written here, {@code hold.NAME} and {@code fail.NAME} by the test.
 */
final class Gate {

    private static final long PAUSE_MILLIS = 5;

    private Gate() {}

    static void linger(Path folder) {
        try {
            if (Files.exists(folder.resolve("slow"))) {
                Thread.sleep(4 * PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a slow row was cancelled", e);
        }
    }

    /** Waits while the point is held; fails it at most once. */
    static void pass(Path folder, String name) {
        try {
            Files.write(folder.resolve("reached." + name), new byte[0]);
            while (Files.exists(folder.resolve("hold." + name))) {
                Thread.sleep(PAUSE_MILLIS);
            }
            if (Files.deleteIfExists(folder.resolve("fail." + name))) {
                throw new IllegalStateException("gate " + name + " fails once, says a test");
            }
            Files.write(folder.resolve("passed." + name), new byte[0]);
        } catch (IOException e) {
            throw new IllegalStateException("gate " + name + " of " + folder, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("gate " + name + " was cancelled", e);
        }
    }
}
