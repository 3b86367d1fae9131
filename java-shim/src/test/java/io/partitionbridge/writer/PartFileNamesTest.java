package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PartFileNamesTest {

    private final SecureRandom random = new SecureRandom();

    /** A name tells prefix, attempt, subtask and count, and bears the bridge's mark. */
    @Test
    void namesCountUpUnderOneMarkedUuid() {
        PartFileNames names = PartFileNames.ofAttempt("part", ".parquet", 3, random);
        String first = names.nextName();
        String second = names.nextName();

        String pattern =
                "part-70627269-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-3-%d.parquet";
        assertThat(first).matches(pattern.formatted(0).replace(".p", "\\.p"));
        assertThat(second).matches(pattern.formatted(1).replace(".p", "\\.p"));
        UUID uuid = UUID.fromString(first.substring("part-".length(), "part-".length() + 36));
        assertThat(uuid.version()).as("version 8: content of our own").isEqualTo(8);
        assertThat(second).as("one uuid for the attempt").contains(uuid.toString());
    }

    /** However often a subtask restarts, no two attempts share a name (I10). */
    @Test
    void fiftyRestartsNeverRepeatAName() {
        assertThat(Stream.generate(() -> PartFileNames.ofAttempt("part", "", 0, random)).limit(50))
                .extracting(PartFileNames::nextName)
                .doesNotHaveDuplicates();
    }

    /** A token is 32 hex digits and never the same twice. */
    @Test
    void tokensAreHexAndNew() {
        PartFileNames names = PartFileNames.ofAttempt("part", "", 0, random);

        String token = names.newToken();
        assertThat(token).matches("[0-9a-f]{32}").isNotEqualTo(names.newToken());
    }

    /** Attempts of a batch insert share its id, and no name. */
    @Test
    void namesOfAnInsert() {
        String insert = PartFileNames.newInsert();
        PartFileNames first = PartFileNames.ofInsert("part", ".orc", insert, 3, random);
        PartFileNames second = PartFileNames.ofInsert("part", ".orc", insert, 3, random);

        assertThat(insert).startsWith("70627269-");
        assertThat(first.nextName())
                .matches("part-" + insert + "-task-3-file-0-[0-9a-f]{8}\\.orc")
                .isNotEqualTo(second.nextName());
        assertThat(first.nextName()).contains("-file-1-");
    }
}
