"""Input and output rows of Python table functions: arguments of each call, and the input row that a result belongs
to."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from twinspark.errors import NotNative, reasons
from twinspark.plan.python_functions import PICKLED_TABLE
from twinspark.plan.python_relations import PythonTable
from twinspark.plan.relations import Field
from twinspark.types import StructField, StructType
from twinspark.workers import input_rows

Batches = Iterator[pa.RecordBatch]


class WaitingColumns:
    """The input columns that are not arguments, until the function's rows arrive; they are read in input order."""

    def __init__(self) -> None:
        self._batches: deque[pa.RecordBatch] = deque()
        self._first = 0  # the number of the first row in the queue
        self._count = 0

    def put(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)
        self._count += batch.num_rows

    def rows(self, numbers: pa.Array) -> pa.RecordBatch:
        """The input rows with these numbers; rows from terminate() belong to the last input row
        (EvalPythonUDTFExec)."""
        wanted = pc.min_element_wise(numbers, pa.scalar(self._count - 1, pa.int64()))
        least = wanted[0].as_py() if len(wanted) else self._first
        while len(self._batches) > 1 and self._first + self._batches[0].num_rows <= least:
            self._first += self._batches.popleft().num_rows
        return input_rows.concat_batches(list(self._batches)).take(pc.subtract(wanted, self._first))


def write_arguments(
    output: IO[bytes], relation: PythonTable, source: pa.RecordBatchReader, waiting: WaitingColumns, rows: int
) -> None:
    """No input rows falls back: whether Spark then calls terminate() depends on why there are none."""
    batches = input_rows.rebatch(source, rows)
    first = next(batches, None)
    if first is None:
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "it returns no rows")
    sent = (arguments(batch, relation, waiting) for batch in chain([first], batches))
    input_rows.write_stream(output, argument_schema(relation, source.schema), sent)


def arguments(batch: pa.RecordBatch, relation: PythonTable, waiting: WaitingColumns) -> pa.RecordBatch:
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
    """The arguments' types as Spark's struct type."""
    fields = relation.input.fields[relation.width :]
    types = [field.type for field in fields]
    if relation.has_table:
        types = [*types[: relation.values], struct_of(fields[relation.values :])]
    return StructType([StructField(f"_{place}", type) for place, type in enumerate(types)])


def struct_of(fields: Sequence[Field]) -> StructType:
    return StructType([StructField(field.name, field.type, field.nullable) for field in fields])


def own_schema(relation: PythonTable) -> StructType:
    return StructType(relation.schema.fields[relation.width :])


def number_answers(answers: Batches, relation: PythonTable) -> Iterator[tuple[pa.RecordBatch, pa.Array]]:
    """Each batch with the numbers of its input rows: one batch for each call, except for functions over pickled rows,
    which send the numbers (`inside/table_rows.py`)."""
    for place, answer in enumerate(answers):
        if relation.function.eval_type == PICKLED_TABLE:
            yield answer, answer.column(1)
        else:
            yield answer, pa.repeat(pa.scalar(place, pa.int64()), answer.num_rows)


def write_partition(output: IO[bytes], partition: bytes) -> None:
    """The input row of a function that reads a data source: a pickled partition (its readInputSchema)."""
    batch = pa.RecordBatch.from_arrays([pa.array([partition], pa.binary())], ["partition"])
    input_rows.write_stream(output, input_rows.struct_schema(batch.schema), [input_rows.as_struct(batch)])
