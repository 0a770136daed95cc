"""Metadata of tables as what they are, values that never change: parsed once per file, shared by all who read them."""

from collections.abc import Mapping
from typing import Any

from pyiceberg.table.metadata import TableMetadata, TableMetadataV2


class SharedMetadata(TableMetadataV2):  # type: ignore[misc]  # PyIceberg ships no complete types
    """PyIceberg copies all of it, however deep, some times a commit, which costs more with every snapshot that is kept.
    Its updates make new values and its models are frozen: a copy may share what did not change."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Any:
        return super().model_copy(update=update)


def shared(metadata: TableMetadata) -> TableMetadata:
    if type(metadata) is not TableMetadataV2:
        return metadata  # shared already, or of another version of the format
    return SharedMetadata.model_construct(metadata.model_fields_set, **dict(metadata))
