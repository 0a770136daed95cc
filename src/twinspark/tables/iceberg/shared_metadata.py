"""Table metadata whose deep copies share unchanged values, so that it is parsed once for each file."""

from collections.abc import Mapping
from typing import Any

from pyiceberg.table.metadata import TableMetadata, TableMetadataV2


class SharedMetadata(TableMetadataV2):  # type: ignore[misc]  # PyIceberg ships no complete types
    """PyIceberg deep-copies all metadata several times for each commit, which costs more with every snapshot. Its
    updates create new values and its models are frozen, so that a copy may share what did not change."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Any:
        return super().model_copy(update=update)


def share_metadata(metadata: TableMetadata) -> TableMetadata:
    if type(metadata) is not TableMetadataV2:
        return metadata  # shared already, or of another version of the format
    return SharedMetadata.model_construct(metadata.model_fields_set, **dict(metadata))
