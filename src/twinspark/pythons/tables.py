"""Rows of table functions: what is sent for each call, and which row of the input an answer belongs to."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from twinspark.errors import NotNative
from twinspark.plan.python_functions import PICKLED_TABLE
from twinspark.plan.pythons import PythonTable
from twinspark.plan.relations import Field
from twinspark.pythons import feeding
from twinspark.types import StructField, StructType

Batches = Iterator[pa.RecordBatch]


class Waiting:
    """The columns of the input that wait for the function's rows; they are asked for in the order they came."""

    def __init__(self) -> None:
        self._batches: deque[pa.RecordBatch] = deque()
        self._first = 0  # the number of the first row that is kept
        self._count = 0

    def put(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        self._count += batch.num_rows

    def rows(self, numbers: pa.Array) -> pa.RecordBatch:
        """Of those behind the last row, which a terminating function gave, the last row (EvalPythonUDTFExec)."""
        wanted = pc.min_element_wise(numbers, pa.scalar(self._count - 1, pa.int64()))
        least = wanted[0].as_py() if len(wanted) else self._first
        while len(self._batches) > 1 and self._first + self._batches[0].num_rows <= least:
            self._first += self._batches.popleft().num_rows
        return feeding.joined(list(self._batches)).take(pc.subtract(wanted, self._first))


def write_arguments(
    output: IO[bytes], relation: PythonTable, source: pa.RecordBatchReader, waiting: Waiting, rows: int
) -> None:
    """Whether Spark calls a function that terminates when there are no rows depends on why there are none."""
    batches = feeding.sized(source, rows)
    first = next(batches, None)
    if first is None:
        raise NotNative("a Python table function of no rows")
    sent = (arguments(batch, relation, waiting) for batch in chain([first], batches))
    feeding.write_stream(output, argument_schema(relation, source.schema), sent)


def arguments(batch: pa.RecordBatch, relation: PythonTable, waiting: Waiting) -> pa.RecordBatch:
    width, first = relation.width, relation.width + relation.values
    if width:
        waiting.put(batch.select(range(width)))
    columns = list(batch.columns[width:first])
    if relation.has_table:
        fields = list(batch.schema)[first:]
        columns.append(pa.StructArray.from_arrays(batch.columns[first:], fields=fields))
    if not columns:
        return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), batch.num_rows, [None]))
    return pa.RecordBatch.from_arrays(columns, [f"_{place}" for place in range(len(columns))])


def argument_schema(relation: PythonTable, schema: pa.Schema) -> pa.Schema:
    types = [field.type for field in list(schema)[relation.width :]]
    if relation.has_table:
        table = pa.struct(list(schema)[relation.width + relation.values :])
        types = [*types[: relation.values], table]
    return pa.schema([pa.field(f"_{place}", type) for place, type in enumerate(types)])


def argument_types(relation: PythonTable) -> StructType:
    """The arguments' types as Spark has them."""
    fields = relation.input.fields[relation.width :]
    types = [field.type for field in fields]
    if relation.has_table:
        types = [*types[: relation.values], struct_of(fields[relation.values :])]
    return StructType([StructField(f"_{place}", type) for place, type in enumerate(types)])


def struct_of(fields: Sequence[Field]) -> StructType:
    return StructType([StructField(field.name, field.type, field.nullable) for field in fields])


def own_schema(relation: PythonTable) -> StructType:
    return StructType(relation.schema.fields[relation.width :])


def numbered(answers: Batches, relation: PythonTable) -> Iterator[tuple[pa.RecordBatch, pa.Array]]:
    """Each answer with the numbers of the rows that it was given for: one answer for each call, but where pickled rows
    would have come back (`table_rows`)."""
    for place, answer in enumerate(answers):
        if relation.function.eval_type == PICKLED_TABLE:
            yield answer, answer.column(1)
        else:
            yield answer, pa.repeat(pa.scalar(place, pa.int64()), answer.num_rows)


def write_partition(output: IO[bytes], partition: bytes) -> None:
    """One row for a function that reads a data source: which part of it (its readInputSchema)."""
    batch = pa.RecordBatch.from_arrays([pa.array([partition], pa.binary())], ["partition"])
    feeding.write_stream(output, feeding.struct_schema(batch.schema), [feeding.as_struct(batch)])
