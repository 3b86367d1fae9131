package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableLocationTest {

    /** Slashes at the ends of a path don't get into keys. */
    @Test
    void keysLieBelowThePrefix() {
        TableLocation location = TableLocation.parse("s3a://lake/flights/raw/");

        assertThat(location).isEqualTo(new TableLocation("s3a", "lake", "flights/raw"));
        assertThat(location.key("day=1/", "part-0")).isEqualTo("flights/raw/day=1/part-0");
    }

    /** A table may be the whole bucket. */
    @Test
    void theRootOfABucketHasNoPrefix() {
        assertThat(TableLocation.parse("s3://lake").key("", "part-0")).isEqualTo("part-0");
        assertThat(TableLocation.parse("s3://lake/").key("d=1/", "p")).isEqualTo("d=1/p");
    }

    /** Escaped partition values stay as Flink's paths have them; so do bucket names with "_". */
    @Test
    void nothingIsDecoded() {
        TableLocation location = TableLocation.parse("s3://my_lake/a%20b/c d");

        assertThat(location.bucket()).isEqualTo("my_lake");
        assertThat(location.key("t=10%3A11/", "p")).isEqualTo("a%20b/c d/t=10%3A11/p");
        assertThat(location.pathOf("a%20b/p")).isEqualTo("s3://my_lake/a%20b/p");
    }

    /** Without a bucket there is nothing to write to, and the message shows the form. */
    @Test
    void refusesAPathWithoutBucket() {
        assertThatThrownBy(() -> TableLocation.parse("/flights"))
                .hasMessageContaining("s3://bucket/folder");
    }
}
