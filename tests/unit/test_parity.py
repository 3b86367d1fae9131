"""The differences from Flink's files that docs/parity.md admits are these and no others of the footer."""

from tests.unit.encode.rows import encode, every_type, leaves, opened


def test_the_footer_differs_where_pyarrow_leaves_no_choice() -> None:
    """Root name, writer's name, and the flag of TIME that pyarrow needs to write the old converted type too."""
    data = encode([every_type("us")])

    assert " schema {" in str(opened(data).schema).replace("field_id=-1", ""), "the root has pyarrow's name, not flink_schema"
    assert opened(data).metadata.created_by.startswith("parquet-cpp-arrow version"), "the footer says who wrote it"
    clock = leaves(data)["clock"]
    assert clock.converted_type == "TIME_MILLIS", "older readers know only this"
    assert "isAdjustedToUTC=true" in str(clock.logical_type), "and pyarrow writes it only with this flag"
