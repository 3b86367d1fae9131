package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wall clock in the JVM's zone becomes the instant that java.sql.Timestamp makes of it. */
class TimestampInstantTest {

    private static final LocalDateTime CACHED_UNTIL = LocalDateTime.of(2037, 1, 1, 0, 0);

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(before);
    }

    /** Gaps, overlaps and the days around them, of every zone that the JVM knows. */
    @Test
    void everyTransitionOfEveryZoneIsTakenAsTheJvmsCalendarTakesIt() {
        for (String id : TimeZone.getAvailableIDs()) {
            TimeZone.setDefault(TimeZone.getTimeZone(id));
            JvmZone zone = new JvmZone();
            transitions(TimeZone.getDefault().toZoneId().getRules())
                    .flatMap(TimestampInstantTest::around)
                    .forEach(
                            wall ->
                                    assertThat(zone.toInstant(millis(wall)))
                                            .as("%s in %s", wall, id)
                                            .isEqualTo(Timestamp.valueOf(wall).getTime()));
        }
    }

    /** Far from any transition, at the ends of SQL's range and at the change of calendar. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001-01-01T00:00",
                "1582-10-04T23:59:59.999",
                "1582-10-10T12:00",
                "1582-10-15T00:00",
                "1883-11-18T12:03:58",
                "1900-01-01T00:00",
                "1969-12-31T23:59:59.999",
                "1970-01-01T00:00",
                "2000-02-29T12:34:56.789",
                "2036-12-31T23:59:59.999",
                "2037-01-01T00:00",
                "2050-07-01T00:00",
                "9999-12-31T23:59:59.999"
            })
    void aDayAtTheEdgeOfTheCalendarsIsTakenAsTheJvmsCalendarTakesIt(String text) {
        LocalDateTime wall = LocalDateTime.parse(text);
        for (String id : new String[] {"UTC", "America/New_York", "Asia/Shanghai"}) {
            TimeZone.setDefault(TimeZone.getTimeZone(id));
            assertThat(new JvmZone().toInstant(millis(wall)))
                    .as("%s in %s", wall, id)
                    .isEqualTo(Timestamp.valueOf(wall).getTime());
        }
    }

    private static Stream<ZoneOffsetTransition> transitions(ZoneRules rules) {
        return Stream.iterate(
                rules.nextTransition(LocalDateTime.of(1969, 12, 1, 0, 0).toInstant(ZoneOffset.UTC)),
                t -> t != null && t.getDateTimeBefore().isBefore(CACHED_UNTIL),
                t -> rules.nextTransition(t.getInstant()));
    }

    private static Stream<LocalDateTime> around(ZoneOffsetTransition transition) {
        LocalDateTime at = transition.getDateTimeBefore();
        LocalDateTime after = transition.getDateTimeAfter();
        return Stream.of(
                at.minusDays(4),
                at.minusHours(1),
                at.minusNanos(1_000_000),
                at,
                at.plusMinutes(30),
                after.minusNanos(1_000_000),
                after,
                after.plusMinutes(30),
                after.plusDays(2),
                after.plusDays(4));
    }

    private static long millis(LocalDateTime wall) {
        return wall.toInstant(ZoneOffset.UTC).toEpochMilli();
    }
}
