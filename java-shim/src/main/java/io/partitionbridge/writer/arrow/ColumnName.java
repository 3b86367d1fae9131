package io.partitionbridge.writer.arrow;

/**
 * Where a column stands, for messages: {@code `a`.`b`.element} is the element of the array b in the
 * row a.
 */
record ColumnName(String path) {

    static ColumnName of(String column) {
        return new ColumnName(quoted(column));
    }

    ColumnName field(String name) {
        return new ColumnName(path + "." + quoted(name));
    }

    /** A part that has no name in SQL: element, key or value. */
    ColumnName part(String name) {
        return new ColumnName(path + "." + name);
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    @Override
    public String toString() {
        return path;
    }
}
