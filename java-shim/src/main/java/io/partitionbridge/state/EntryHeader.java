package io.partitionbridge.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.SerializableString;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.io.CharacterEscapes;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.io.SerializedString;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The JSON header of an entry: exactly the keys of version 1, sorted, without blanks, characters
 * outside ASCII as UTF-8 whatever their plane, escapes of control characters in lower case.
 */
final class EntryHeader {

    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    static {
        MAPPER.getFactory().setCharacterEscapes(new PythonEscapes());
    }

    private static final Set<String> KEYS =
            Set.of(
                    "bucket",
                    "checkpoint",
                    "created_ms",
                    "encoder",
                    "key",
                    "last_write_ms",
                    "part_size",
                    "partition",
                    "parts",
                    "rows",
                    "schema",
                    "sealed",
                    "size",
                    "state",
                    "tail",
                    "token",
                    "upload_id");

    private EntryHeader() {}

    static byte[] write(FileEntry entry) {
        ObjectNode header = MAPPER.createObjectNode();
        header.put("bucket", entry.bucket());
        header.put("checkpoint", entry.checkpoint());
        header.put("created_ms", entry.createdMillis());
        header.put("encoder", entry.encoder());
        header.put("key", entry.key());
        header.put("last_write_ms", entry.lastWriteMillis());
        header.put("part_size", entry.partSize());
        header.put("partition", entry.partition());
        ArrayNode parts = header.putArray("parts");
        for (FileEntry.Part part : entry.parts()) {
            parts.addArray()
                    .add(part.number())
                    .add(part.size())
                    .add(part.etag())
                    .add(part.checksum());
        }
        header.put("rows", entry.rows());
        header.put("schema", entry.schema());
        header.put("sealed", entry.sealed());
        header.put("size", entry.size());
        header.put("state", entry.isPending() ? "pending" : "completed");
        header.put("tail", entry.tail().length);
        header.put("token", entry.token());
        header.put("upload_id", entry.uploadId());
        try {
            // Not as bytes: Jackson's own UTF-8 has an escape where a character is a pair of chars.
            return MAPPER.writeValueAsString(header).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("A tree of strings and numbers is always JSON", e);
        }
    }

    static FileEntry read(byte[] json, byte[] tail) throws BrokenEntryException {
        JsonNode header;
        try {
            header = MAPPER.readTree(json);
        } catch (IOException e) {
            throw new BrokenEntryException("its header isn't JSON");
        }
        Set<String> keys = new TreeSet<>();
        header.fieldNames().forEachRemaining(keys::add);
        if (!header.isObject() || !keys.equals(KEYS)) {
            throw new BrokenEntryException("its header has the keys " + keys);
        }
        Fields in = new Fields(header);
        if (in.integer("tail") != tail.length) {
            throw new BrokenEntryException(
                    "its tail has " + tail.length + " bytes and not " + in.integer("tail"));
        }
        return new FileEntry(
                state(in.text("state")),
                in.text("bucket"),
                in.text("key"),
                in.text("partition"),
                in.text("token"),
                in.textOrNull("upload_id"),
                parts(header.get("parts")),
                in.integer("part_size"),
                in.flag("sealed"),
                in.integer("size"),
                in.integer("rows"),
                in.integer("checkpoint"),
                in.integer("created_ms"),
                in.integer("last_write_ms"),
                in.text("encoder"),
                in.text("schema"),
                tail);
    }

    private static FileEntry.State state(String name) throws BrokenEntryException {
        return switch (name) {
            case "pending" -> FileEntry.State.PENDING;
            case "completed" -> FileEntry.State.COMPLETED;
            default -> throw new BrokenEntryException("its state is '" + name + "'");
        };
    }

    private static List<FileEntry.Part> parts(JsonNode nodes) throws BrokenEntryException {
        if (!nodes.isArray()) {
            throw new BrokenEntryException("its parts aren't a list");
        }
        List<FileEntry.Part> parts = new ArrayList<>();
        for (JsonNode node : nodes) {
            boolean shaped =
                    node.isArray()
                            && node.size() == 4
                            && node.get(0).canConvertToInt()
                            && node.get(0).isIntegralNumber()
                            && node.get(1).isIntegralNumber()
                            && node.get(2).isTextual()
                            && (node.get(3).isTextual() || node.get(3).isNull());
            if (!shaped) {
                throw new BrokenEntryException("one of its parts isn't [number, size, etag, sum]");
            }
            parts.add(
                    new FileEntry.Part(
                            node.get(0).intValue(),
                            node.get(1).longValue(),
                            node.get(2).textValue(),
                            node.get(3).textValue()));
        }
        return parts;
    }

    /** Control characters without a short form, in lower case as Python's json module has them. */
    private static final class PythonEscapes extends CharacterEscapes {

        private static final long serialVersionUID = 1L;

        private final int[] escapes = standardAsciiEscapesForJSON();

        PythonEscapes() {
            for (int each = 0; each < ' '; each++) {
                if (escapes[each] < 0) {
                    escapes[each] = ESCAPE_CUSTOM;
                }
            }
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return escapes;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            // Asked for every character outside ASCII, too: null is the character itself.
            return character < ' '
                    ? new SerializedString(String.format("\\u%04x", character))
                    : null;
        }
    }

    /** Typed access: JSON's own leniency (1.0 for 1, "true" for true) has no place in state. */
    private record Fields(JsonNode header) {

        String text(String key) throws BrokenEntryException {
            JsonNode value = header.get(key);
            if (!value.isTextual()) {
                throw new BrokenEntryException("'" + key + "' isn't a string");
            }
            return value.textValue();
        }

        String textOrNull(String key) throws BrokenEntryException {
            return header.get(key).isNull() ? null : text(key);
        }

        long integer(String key) throws BrokenEntryException {
            JsonNode value = header.get(key);
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw new BrokenEntryException("'" + key + "' isn't an integer");
            }
            return value.longValue();
        }

        boolean flag(String key) throws BrokenEntryException {
            JsonNode value = header.get(key);
            if (!value.isBoolean()) {
                throw new BrokenEntryException("'" + key + "' isn't true or false");
            }
            return value.booleanValue();
        }
    }
}
