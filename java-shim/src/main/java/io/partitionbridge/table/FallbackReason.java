package io.partitionbridge.table;

/**
 * Why Flink's own sink writes a table, or its own format encodes it, and what would let the bridge
 * or pyarrow do it.
 *
 * @param reason shown in operator names, so short
 * @param remedy what to change, a sentence
 */
record FallbackReason(String reason, String remedy) {}
