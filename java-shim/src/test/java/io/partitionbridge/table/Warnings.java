package io.partitionbridge.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class warns of while this is open. */
final class Warnings extends AbstractAppender implements AutoCloseable {

    final List<String> messages = new ArrayList<>();
    private final Logger logger;

    private Warnings(Logger logger) {
        super("warnings", null, null, false, Property.EMPTY_ARRAY);
        this.logger = logger;
    }

    static Warnings of(Class<?> type) {
        Warnings warnings = new Warnings((Logger) LogManager.getLogger(type));
        warnings.start();
        warnings.logger.addAppender(warnings);
        // A first appender resets the level.
        warnings.logger.setLevel(Level.WARN);
        return warnings;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel() == Level.WARN) {
            messages.add(event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        stop();
    }
}
