package io.partitionbridge;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class logs at one level while this is open. */
public final class Logged extends AbstractAppender implements AutoCloseable {

    public final List<String> messages = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level level;

    private Logged(Logger logger, Level level) {
        super("logged", null, null, false, Property.EMPTY_ARRAY);
        this.logger = logger;
        this.level = level;
    }

    public static Logged warnings(Class<?> type) {
        return of(type.getName(), Level.WARN);
    }

    /**
     * @param type name of a class that the test's package doesn't see
     */
    public static Logged of(String type, Level level) {
        Logged logged = new Logged((Logger) LogManager.getLogger(type), level);
        logged.start();
        logged.logger.addAppender(logged);
        // A first appender resets the level.
        logged.logger.setLevel(level);
        return logged;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel() == level) {
            messages.add(event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        stop();
    }
}
