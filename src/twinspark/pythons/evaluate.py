"""Relations of Python functions as runs: what is sent for each kind, and how its answers become rows again."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatchmethod
from typing import IO, Any

import pyarrow as pa

from twinspark.errors import NotNative
from twinspark.plan.python_functions import (
    ARROW_GROUPS,
    BATCHED,
    MAP_ARROW,
    PICKLED_TABLE,
    Analyzed,
    AnalyzedArgument,
    Created,
    Options,
    PythonFunction,
    Running,
)
from twinspark.plan.pythons import (
    Chain,
    PythonAggregate,
    PythonCoGroups,
    PythonEvaluate,
    PythonGroups,
    PythonMap,
    PythonScan,
    PythonTable,
    PythonWindow,
)
from twinspark.plan.relations import Field
from twinspark.pythons import feeding, planning, tables, tasks
from twinspark.pythons.answers import conformed, for_duckdb
from twinspark.pythons.chunks import Chunk, ChunkedRun
from twinspark.pythons.planning import Answer
from twinspark.pythons.runs import Feed, Run, Runs
from twinspark.pythons.workers import Pool
from twinspark.types import StructField, StructType, TimeType, nested_types

Batches = Iterator[pa.RecordBatch]
LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
SOURCE_PROFILER = "spark.sql.pyspark.dataSource.profiler"
NO_COLUMN = pa.field("c_none", pa.bool_())


@dataclass(frozen=True)
class SessionWorkers:
    """A session's workers as a plan sees them: its pool, its configuration of the moment, its files."""

    pool: Pool
    config: Mapping[str, str]
    place: Callable[[], tasks.Place]

    def sent(self, schema: pa.Schema) -> pa.Schema:
        return widened(schema) if self.config.get(LARGE, "false").lower() == "true" else schema

    @singledispatchmethod
    def start(self, relation: Any, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Running:
        raise NotNative(f"Python: a relation of kind {type(relation).__name__}")

    @start.register
    def _(self, relation: PythonEvaluate, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        """Arguments go to the worker, the other columns wait here for the results."""
        (source,) = inputs
        width = relation.width
        arguments = argument_schema(source.schema, width)
        waiting: deque[pa.RecordBatch] = deque()

        def sent() -> Batches:
            for batch in feeding.sized(source, self.rows):
                waiting.append(part(batch, range(width), "c"))
                yield part(batch, range(width, batch.num_columns), "_")

        def feed(output: IO[bytes]) -> None:
            feeding.write_stream(output, arguments, sent())

        evaluation = {"input_type": input_type(relation), **pickled_types(relation)}
        wanted, shape = output_schema(schema, source.schema, width), beside(waiting, width, schema)
        return self.run(relation.eval_type, relation.chains, feed, wanted, shape, evaluation)

    @start.register
    def _(self, relation: PythonWindow, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        """One answer for each partition, with as many rows as it has."""
        (source,) = inputs
        width = relation.width
        waiting: deque[pa.RecordBatch] = deque()

        def feed(output: IO[bytes]) -> None:
            found = ((key, cut(batches)) for key, batches in feeding.groups(source, relation.partition))
            feeding.write_groups(output, found, argument_schema(source.schema, width), self.rows)

        def cut(batches: Batches) -> Batches:
            for batch in batches:
                waiting.append(part(batch, range(width), "c"))
                yield part(batch, range(width, batch.num_columns), "_")

        told = replace(self, config={**self.config, "window_bound_types": ",".join(relation.bounds)})
        wanted, shape = output_schema(schema, source.schema, width), beside(waiting, width, schema)
        return told.run(relation.eval_type, relation.chains, feed, wanted, shape, {})

    @start.register
    def _(self, relation: PythonMap, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        (source,) = inputs

        def feed(output: IO[bytes]) -> None:
            batches = map(feeding.as_struct, feeding.sized(source, self.rows))
            feeding.write_stream(output, feeding.struct_schema(source.schema), batches)

        made = self.flat(relation.function, (0,), feed, schema)
        made.is_elsewhere = relation.is_barrier  # it may have asked the barrier's server, which only Spark has
        return made

    @start.register
    def _(self, relation: PythonGroups, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> ChunkedRun:
        (source,) = inputs

        def making(chunk: Chunk) -> Run:
            def feed(output: IO[bytes]) -> None:
                if relation.function.eval_type in ARROW_GROUPS:  # these take a group's rows as structs
                    structs = ((key, map(feeding.as_struct, batches)) for key, batches in chunk.groups)
                    feeding.write_groups(output, structs, feeding.struct_schema(source.schema), self.rows)
                else:
                    feeding.write_groups(output, chunk.groups, source.schema, self.rows)

            return self.flat(relation.function, relation.offsets, feed, schema)

        return ChunkedRun(feeding.groups(source, relation.order), making, output_schema(schema, schema, 0))

    @start.register
    def _(self, relation: PythonCoGroups, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        def feed(output: IO[bytes]) -> None:
            sides = [feeding.groups(source, order) for source, order in zip(inputs, relation.orders, strict=True)]
            feeding.write_cogroups(output, sides, [source.schema for source in inputs], self.rows)

        return self.flat(relation.function, relation.offsets, feed, schema)

    @start.register
    def _(self, relation: PythonAggregate, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> ChunkedRun:
        (source,) = inputs
        wanted = output_schema(schema, source.schema, relation.width)
        found = feeding.groups(source, range(relation.width))
        return ChunkedRun(found, lambda chunk: self.aggregated(relation, chunk, source.schema, schema), wanted)

    def aggregated(self, relation: PythonAggregate, chunk: Chunk, source: pa.Schema, schema: pa.Schema) -> Run:
        """One answer of one row for each group; the groups' keys wait here."""
        width = relation.width
        arguments = argument_schema(source, width)
        keys: deque[pa.RecordBatch] = deque()

        def feed(output: IO[bytes]) -> None:
            found = ((key, cut(batches)) for key, batches in chunk.groups)
            feeding.write_groups(output, found, arguments, self.rows)

        def cut(batches: Batches) -> Batches:
            for place, batch in enumerate(batches):
                if not place:
                    keys.append(part(batch.slice(0, 1), range(width), "c"))
                yield part(batch, range(width, batch.num_columns), "_")

        def shape(answers: Batches) -> Batches:
            for answer in answers:
                first = answer.slice(0, 1)
                results = [conformed(c, schema.field(width + i).type) for i, c in enumerate(first.columns)]
                yield made([*taken(keys, 1).columns, *results], 1)

        wanted = output_schema(schema, source, width)
        return self.run(relation.eval_type, relation.chains, feed, wanted, shape, {})

    @start.register
    def _(self, relation: PythonTable, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        (source,) = inputs
        width, waiting = relation.width, tables.Waiting()
        own = pa.schema(list(schema)[width:])

        def feed(output: IO[bytes]) -> None:
            tables.write_arguments(output, relation, source, waiting, self.rows)

        def shape(answers: Batches) -> Batches:
            for answer, numbers in tables.numbered(answers, relation):
                beside = waiting.rows(numbers).columns if width else []
                yield made([*beside, *unpacked(answer, own)], answer.num_rows)

        columns, told = tables.own_schema(relation).json(), tables.argument_types(relation)
        evaluation = {
            "input_type": told.json(),
            "output_type": columns,
            "table_arg_offsets": str(relation.values) if relation.has_table else "",
            "is_divided": "true" if relation.is_divided else "false",
        }
        check_pickled(relation.function.eval_type == PICKLED_TABLE, told.fields)
        command, wanted = tasks.table_command(relation, columns), output_schema(schema, source.schema, width)
        function = relation.function
        return self.run_told(function.eval_type, [function], command, feed, wanted, shape, evaluation)

    @start.register
    def _(self, relation: PythonScan, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Runs:
        """Partition by partition, as Spark's tasks would read them, one after the other."""
        own = StructType(relation.schema.fields)
        source = relation.source or self.create_source(relation.definition, relation.options, own).source
        message = planning.plan_message(source, own, self.rows, self.as_bytes)
        command, partitions = self.ask(relation.definition, "plan_data_source_read", message, planning.read_planned)
        function = replace(relation.definition, command=command, eval_type=MAP_ARROW)

        def reading(partition: bytes) -> Run:
            return self.flat(function, (0,), lambda output: tables.write_partition(output, partition), schema)

        makers = [partial(reading, partition) for partition in partitions]
        return Runs(makers, output_schema(schema, schema, 0))

    def create_source(self, definition: PythonFunction, options: Options, schema: StructType | None) -> Created:
        message = planning.create_message(definition, options, schema)
        return self.ask(definition, "create_data_source", message, planning.read_created)

    def analyze(self, function: PythonFunction, arguments: Sequence[AnalyzedArgument]) -> Analyzed:
        message = planning.analyze_message(function, arguments, self.as_bytes)
        return self.ask(function, "analyze_udtf", message, planning.read_analyzed)

    def ask(self, function: PythonFunction, module: str, message: bytes, read: Callable[[IO[bytes]], Answer]) -> Answer:
        """A question to one of PySpark's planning workers."""
        tasks.check_config(self.config)
        profiler = self.config.get(SOURCE_PROFILER) if module != "analyze_udtf" else None
        opening = planning.opening(function, self.place(), {SOURCE_PROFILER: profiler} if profiler else {})
        environment, limit = tasks.environment_of(self.config), tasks.idle_seconds(self.config)
        return planning.ask(self.pool, environment, module, opening + message, read, limit)

    @property
    def as_bytes(self) -> bool:
        return self.config.get("spark.sql.execution.pyspark.binaryAsBytes", "true").lower() == "true"

    def flat(self, function: PythonFunction, offsets: tuple[int, ...], feed: Feed, schema: pa.Schema) -> Run:
        """Functions that give whole rows give them as one struct."""
        chain = Chain((function,), offsets, (None,) * len(offsets))

        def shape(answers: Batches) -> Batches:
            for answer in answers:
                yield made(unpacked(answer, schema), answer.num_rows)

        return self.run(function.eval_type, (chain,), feed, output_schema(schema, schema, 0), shape, {})

    def run(
        self,
        eval_type: int,
        chains: Sequence[Chain],
        feed: Feed,
        schema: pa.Schema,
        shape: Callable[[Batches], Batches],
        evaluation: Mapping[str, str],
    ) -> Run:
        functions = [function for chain in chains for function in chain.functions]
        return self.run_told(eval_type, functions, tasks.commands(chains), feed, schema, shape, evaluation)

    def run_told(
        self,
        eval_type: int,
        functions: Sequence[PythonFunction],
        told: bytes,
        feed: Feed,
        schema: pa.Schema,
        shape: Callable[[Batches], Batches],
        evaluation: Mapping[str, str],
    ) -> Run:
        tasks.check_config(self.config)
        head = tasks.header(eval_type, functions, self.place(), self.config, evaluation) + told
        environment = tasks.environment_of(self.config)
        return Run(self.pool, environment, head, feed, schema, shape, tasks.idle_seconds(self.config))

    @property
    def rows(self) -> int:
        asked = int(self.config.get("spark.sql.execution.arrow.maxRecordsPerBatch", "10000"))
        return asked if asked > 0 else 2**31 - 1


def widened(schema: pa.Schema) -> pa.Schema:
    """Texts and bytes with offsets of 64 bits, also inside other types."""
    return pa.schema([field.with_type(wide(field.type)) for field in schema])


def wide(type: pa.DataType) -> pa.DataType:
    if pa.types.is_string(type):
        return pa.large_string()
    if pa.types.is_binary(type):
        return pa.large_binary()
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(wide(type.value_type)))
    if pa.types.is_map(type):
        return pa.map_(type.key_field.with_type(wide(type.key_type)), type.item_field.with_type(wide(type.item_type)))
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(wide(field.type)) for field in type])
    return type


def argument_schema(schema: pa.Schema, width: int) -> pa.Schema:
    """Arguments are called _0, _1, …, and any may be null (EvalPythonEvaluatorFactory)."""
    return pa.schema([pa.field(f"_{place}", field.type) for place, field in enumerate(list(schema)[width:])])


def output_schema(schema: pa.Schema, source: pa.Schema, width: int) -> pa.Schema:
    """As DuckDB reads it: what only waited keeps the type that DuckDB gave it."""
    types = [source.field(place).type for place in range(width)]
    types += [for_duckdb(pa.array([], field.type)).type for field in list(schema)[width:]]
    if not types:
        return pa.schema([NO_COLUMN])
    return pa.schema([pa.field(f"c{place}", type) for place, type in enumerate(types)])


def part(batch: pa.RecordBatch, places: range, prefix: str) -> pa.RecordBatch:
    """Some of a batch's columns under new names; none of them are still so many rows."""
    if not len(places):
        return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), batch.num_rows, [None]))
    names = [f"{prefix}{number}" for number in range(len(places))]
    return pa.RecordBatch.from_arrays([batch.column(place) for place in places], names)


def beside(waiting: deque[pa.RecordBatch], width: int, schema: pa.Schema) -> Callable[[Batches], Batches]:
    """Each row's results behind what waited for them."""

    def shape(answers: Batches) -> Batches:
        for answer in answers:
            results = [conformed(column, schema.field(width + i).type) for i, column in enumerate(answer.columns)]
            yield made([*taken(waiting, answer.num_rows).columns, *results], answer.num_rows)

    return shape


def taken(waiting: deque[pa.RecordBatch], rows: int) -> pa.RecordBatch:
    """The next rows of those that wait."""
    pieces = []
    while rows:
        first = waiting.popleft()
        if first.num_rows > rows:
            waiting.appendleft(first.slice(rows))
            first = first.slice(0, rows)
        pieces.append(first)
        rows -= first.num_rows
    return feeding.joined(pieces)


def made(arrays: Sequence[pa.Array], rows: int) -> pa.RecordBatch:
    """A table in DuckDB has at least one column."""
    shown = [for_duckdb(array) for array in arrays]
    if not shown:
        return pa.RecordBatch.from_arrays([pa.nulls(rows, pa.bool_())], [NO_COLUMN.name])
    return pa.RecordBatch.from_arrays(shown, [f"c{place}" for place in range(len(shown))])


def unpacked(answer: pa.RecordBatch, schema: pa.Schema) -> list[pa.Array]:
    struct = answer.column(0)
    if not pa.types.is_struct(struct.type) or struct.type.num_fields < len(schema):
        raise NotNative("a Python function that returns fewer columns than it said")
    fields = struct.flatten()
    if any(fields[place].null_count and not field.nullable for place, field in enumerate(schema)):
        raise NotNative("a Python function that returns null where it said there is none")
    return [conformed(fields[place], field.type) for place, field in enumerate(schema)]


def input_type(relation: PythonEvaluate) -> str:
    """The arguments' types as Spark's JSON: the worker makes rows of structs by it."""
    return types_json(relation.input.fields[relation.width :])


def types_json(fields: Sequence[Field]) -> str:
    return StructType([StructField(f"_{place}", field.type) for place, field in enumerate(fields)]).json()


def pickled_types(relation: PythonEvaluate) -> dict[str, str]:
    """Functions over pickled rows: our worker needs to know what the JVM would read (`rows`)."""
    if relation.eval_type != BATCHED:
        return {}
    check_pickled(True, relation.input.schema.fields[relation.width :])
    return {"output_type": types_json(relation.fields[relation.width :])}


def check_pickled(is_pickled: bool, fields: Sequence[StructField]) -> None:
    parts = [part for field in fields for part in nested_types(field.dataType)] if is_pickled else []
    if any(isinstance(part, TimeType) for part in parts):
        raise NotNative("a time of day as argument of a pickled Python function")
