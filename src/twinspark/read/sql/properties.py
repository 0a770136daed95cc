"""Lists of properties and options: ('key' = 'value', a.b 1), with the keys that Spark keeps for itself."""

from collections.abc import Iterable

from twinspark.read.sql.samples import Samples
from twinspark.read.sql.tree import Properties

_TABLE_KEYS = {
    "provider": "please use the USING clause to specify it",
    "location": "please use the LOCATION clause to specify it",
    "owner": "it will be set to the current user",
    "external": "please use CREATE EXTERNAL TABLE",
    "collation": "please use the DEFAULT COLLATION clause to specify it",
    "is_managed_location": "please remove it from the TBLPROPERTIES list.",
    "table_type": "please remove it from the TBLPROPERTIES list.",
}
_NAMESPACE_KEYS = {key: _TABLE_KEYS[key] for key in ("location", "collation", "owner")}


class PropertyLists(Samples):
    """The layer of properties."""

    def property_list(self, *, values: bool = True) -> Properties:
        """Keys with values, or keys alone (`values` False)."""
        start = self.start
        found = self.in_parentheses(self._property)
        keys = [key for key, _ in found]
        for key in dict.fromkeys(keys):
            if keys.count(key) > 1:
                self.complain("DUPLICATE_KEY", start, self.stop, keyColumn=f"`{key}`")
        bad = [key for key, value in found if (value is None) == values]
        if bad:
            told = "Values must be" if values else "Values should not be"
            message = f"{told} specified for key(s): [{','.join(bad)}]"
            self.complain_of_statement("_LEGACY_ERROR_TEMP_0035", message=message)
        return found

    def table_properties(self, *, values: bool = True) -> Properties:
        found = self.property_list(values=values)
        self.check_table_keys(key for key, _ in found)
        return found

    def check_table_keys(self, keys: Iterable[str]) -> None:
        self._check_keys("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", keys, _TABLE_KEYS)

    def namespace_properties(self, *, values: bool = True) -> Properties:
        found = self.property_list(values=values)
        self._check_keys("UNSUPPORTED_FEATURE.SET_NAMESPACE_PROPERTY", (key for key, _ in found), _NAMESPACE_KEYS)
        return found

    def _check_keys(self, condition: str, keys: Iterable[str], reserved: dict[str, str]) -> None:
        if self.config.allows("spark.sql.legacy.notReserveProperties"):
            return
        for key in keys:
            if key in reserved:
                self.complain_of_statement(condition, property=key, msg=reserved[key])

    def _property(self) -> tuple[str, str | None]:
        key = self.property_key()
        if self.take("=") or self.kinds[self.at] not in (",", ")"):
            return key, self._property_value()
        return key, None

    def property_key(self) -> str:
        """Adjacent strings are one key only before an equals sign; else the second is the value of the first."""
        if not self.is_string_or_marker(self.at):
            return ".".join(self.multipart_identifier().parts)
        joined = self.attempt(self._joined_key)
        if joined is not None:
            return joined
        return self.one_string() if self.is_string(self.at) else self.string_value()

    def _joined_key(self) -> str:
        key = self.string_value()
        if self.kinds[self.at] != "=":
            raise self.fail(self.at - 1)
        return key

    def _property_value(self) -> str:
        if self.take_any("integer", "decimal"):
            return self.tokens.word(self.at - 1)
        if self.take_any("TRUE", "FALSE"):
            return self.kinds[self.at - 1].lower()
        return self.string_value()
