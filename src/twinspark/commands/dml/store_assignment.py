"""Store assignment: casts a query's columns to a table's, by position or by name, by Spark's ANSI policy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.lambdas import lambda_of, variables
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import Frame, alike, frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.castable import can_store
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, GetField, Literal, MakeStruct
from twinspark.plan.relations import OneRow
from twinspark.read.sql_text import read_expression_text
from twinspark.types import ArrayType, DataType, MapType, StructField, StructType, is_null, quote_identifier, same_type

DEFAULT = "CURRENT_DEFAULT"
Path = tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """The rules of one write: the table's name in errors, and the session's settings."""

    table: str
    context: Context

    @property
    def settings(self) -> Settings:
        policy = self.context.conf("spark.sql.storeAssignmentPolicy")
        if policy != "ANSI":
            raise NotNative(reasons.SETTING_VALUE, f"spark.sql.storeAssignmentPolicy = {policy}")
        return self.context.settings

    # ---- whole rows

    def by_position(self, frame: Frame, target: Sequence[StructField]) -> Frame:
        names = [a.name for a in frame.attributes]
        if len(names) > len(target):
            raise self.arity("TOO_MANY_DATA_COLUMNS", target, names)
        if len(names) < len(target):
            raise self.arity("NOT_ENOUGH_DATA_COLUMNS", target, names)
        sources = [frame.column(a) for a in frame.attributes]
        return project(frame, [self.column(s, f, False) for s, f in zip(sources, target, strict=True)])

    def by_name(self, frame: Frame, target: Sequence[StructField], fill: bool = True) -> Frame:
        """Missing columns take their default; columns that the table does not have raise an error."""
        same = alike(self.settings.case_sensitive)
        names = [a.name for a in frame.attributes]
        if len(names) > len(target):
            raise self.arity("TOO_MANY_DATA_COLUMNS", target, names)
        made = []
        for field in target:
            found = [a for a in frame.attributes if same(a.name, field.name)]
            if len(found) > 1:
                raise self.incompatible_error("AMBIGUOUS_COLUMN_NAME", colName=quote_identifier(field.name))
            made.append(self.column(frame.column(found[0]), field, True) if found else self.missing(field, fill))
        extra = [name for name in names if not any(same(name, field.name) for field in target)]
        if extra:
            raise self.incompatible_error("EXTRA_COLUMNS", extraColumns=", ".join(map(quote_identifier, extra)))
        return project(frame, made)

    def by_columns(self, frame: Frame, target: Sequence[StructField], columns: Sequence[str]) -> Frame:
        """INSERT INTO t (b, a): the query's columns by position for those names, other columns by default."""
        fields = [self.field(name, target) for name in columns]
        if len(frame.attributes) != len(fields):
            kind = "TOO_MANY" if len(frame.attributes) > len(fields) else "NOT_ENOUGH"
            raise self.arity(f"{kind}_DATA_COLUMNS", fields, [a.name for a in frame.attributes])
        given = {f.name: frame.column(a) for f, a in zip(fields, frame.attributes, strict=True)}
        made = [self.column(given[f.name], f, False) if f.name in given else self.missing(f, True) for f in target]
        return project(frame, made)

    def field(self, name: str, target: Sequence[StructField]) -> StructField:
        same = alike(self.settings.case_sensitive)
        found = [field for field in target if same(field.name, name)]
        if not found:
            proposal = ", ".join(quote_identifier(field.name) for field in target)
            raise SparkError("UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=quote_identifier(name), proposal=proposal)
        return found[0]

    # ---- one column

    def column(self, source: Expression, field: StructField, by_name: bool) -> Named:
        return Named(self.value(source, field.dataType, (field.name,), by_name), field.name)

    def value(self, source: Expression, target: DataType, path: Path, by_name: bool) -> Expression:
        if same_type(source.type, target):
            return source
        if isinstance(source.type, StructType) and isinstance(target, StructType):
            return self.struct(source, source.type, target, path, by_name)
        if isinstance(source.type, ArrayType) and isinstance(target, ArrayType):
            return self.array(source, source.type, target, path, by_name)
        if isinstance(source.type, MapType) and isinstance(target, MapType):
            if is_null(source.type.keyType):  # map() has no entries, whatever its type
                known = build.call("isnotnull", [source], self.settings)
                return replace(build.case_when([(known, empty_map(target))], None, self.settings), type=target)
            return build.cast(source, target, self.settings, "ansi")
        if not can_store(source.type, target):
            raise self.incompatible_error(
                "CANNOT_SAFELY_CAST",
                colName=quote_path(path),
                srcType=catalog_text(source.type),
                targetType=catalog_text(target),
            )
        return build.cast(source, target, self.settings, "ansi")

    def struct(self, source: Expression, have: StructType, want: StructType, path: Path, by_name: bool) -> Expression:
        if len(have.fields) < len(want.fields) and not by_name:
            gone = ", ".join(quote_identifier(name) for name in want.names[len(have.fields) :])
            raise self.incompatible_error("STRUCT_MISSING_FIELDS", colName=quote_path(path), missingFields=gone)
        parts = [self.part(source, have, i, f, path, by_name) for i, f in enumerate(want.fields)]
        if len(have.fields) > len(want.fields):
            raise self.struct_arity("EXTRA_STRUCT_FIELDS", have, want, path)
        type = StructType([StructField(f.name, p.type, p.nullable) for f, p in zip(want.fields, parts, strict=True)])
        packed = MakeStruct(type=type, nullable=False, text=source.text, values=tuple(parts))
        if not source.nullable:
            return packed
        known = build.call("isnotnull", [source], self.settings)
        return replace(build.case_when([(known, packed)], None, self.settings), type=type)

    def part(
        self, source: Expression, have: StructType, at: int, field: StructField, path: Path, by_name: bool
    ) -> Expression:
        same = alike(self.settings.case_sensitive)
        found = [i for i, f in enumerate(have.fields) if same(f.name, field.name)] if by_name else [at]
        if not found or found[0] >= len(have.fields):
            raise self.incompatible_error("CANNOT_FIND_DATA", colName=quote_path((*path, field.name)))
        f = have.fields[found[0]]
        child = GetField(child=source, ordinal=found[0], type=f.dataType, nullable=f.nullable, text=f.name)
        return self.value(child, field.dataType, (*path, field.name), by_name)

    def array(self, source: Expression, have: ArrayType, want: ArrayType, path: Path, by_name: bool) -> Expression:
        (element,) = variables([(have.elementType, have.containsNull)])
        body = self.value(element, want.elementType, (*path, "element"), by_name)
        return build.call("transform", [source, lambda_of(body, [element])], self.settings)

    # ---- missing columns

    def missing(self, field: StructField, fill: bool) -> Named:
        if not fill or (not field.nullable and DEFAULT not in (field.metadata or {})):
            raise self.incompatible_error("CANNOT_FIND_DATA", colName=quote_identifier(field.name))
        return Named(self.default(field), field.name)

    def default(self, field: StructField) -> Expression:
        """The column's default as written in its definition, or null."""
        text = (field.metadata or {}).get(DEFAULT)
        if text is None:
            return build.literal(None, field.dataType)
        made = read_expression_text(str(text), Scope(frame_of(OneRow()), self.context)).expression
        return self.value(made, field.dataType, (field.name,), False)

    # ---- errors

    def arity(self, kind: str, target: Sequence[StructField], names: Sequence[str]) -> SparkError:
        return SparkError(
            f"INSERT_COLUMN_ARITY_MISMATCH.{kind}",
            tableName=self.table,
            tableColumns=", ".join(quote_identifier(field.name) for field in target),
            dataColumns=", ".join(map(quote_identifier, names)),
        )

    def struct_arity(self, kind: str, have: StructType, want: StructType, path: Path) -> SparkError:
        extra = have.names[len(want.fields) :]
        return self.incompatible_error(
            kind, colName=quote_path(path), extraFields=", ".join(map(quote_identifier, extra))
        )

    def incompatible_error(self, kind: str, **parameters: Any) -> SparkError:
        return SparkError(f"INCOMPATIBLE_DATA_FOR_TABLE.{kind}", tableName=self.table, **parameters)


def catalog_text(type: DataType) -> str:
    """A type as these errors print it: DataTypeUtils.canWrite uses its catalog string, in upper case."""
    return f'"{type.simpleString().upper()}"'


def empty_map(type: MapType) -> Expression:
    return Literal(type=type, nullable=False, text="map()", value=[])


def quote_path(path: Path) -> str:
    return ".".join(map(quote_identifier, path))
