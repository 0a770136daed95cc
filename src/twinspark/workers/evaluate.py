"""Starts a Python worker for each kind of Python relation: what rows it is sent, and how its results become rows
again."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatchmethod
from typing import IO, Any

import pyarrow as pa

from twinspark.config.values import is_on, number_of
from twinspark.errors import NotNative, reasons
from twinspark.plan.python_functions import (
    ARROW_GROUPS,
    BATCHED,
    MAP_ARROW,
    PICKLED_TABLE,
    AnalyzedArgument,
    AnalyzeResult,
    CreatedDataSource,
    Options,
    PythonFunction,
    RunningFunction,
)
from twinspark.plan.python_relations import (
    FunctionChain,
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
from twinspark.types import StructField, StructType, TimeType, nested_types
from twinspark.workers import input_rows, planning
from twinspark.workers import table_functions as tables
from twinspark.workers import task_header as tasks
from twinspark.workers.group_batches import Chunk, ChunkedRun
from twinspark.workers.planning import Answer
from twinspark.workers.processes import Pool
from twinspark.workers.results import cast_result, duckdb_column
from twinspark.workers.runs import Feed, Run, Runs

Batches = Iterator[pa.RecordBatch]
Read = Callable[[], Iterable[pa.RecordBatch]]
LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
SOURCE_PROFILER = "spark.sql.pyspark.dataSource.profiler"
NO_COLUMN = pa.field("c_none", pa.bool_())


@dataclass(frozen=True)
class SessionWorkers:
    """A session's workers as a plan uses them: the pool, the session's current configuration, its files."""

    pool: Pool
    config: Mapping[str, str]
    session_files: Callable[[], tasks.SessionFiles]
    partition: int = 0  # that the task context of a function names

    def input_schema(self, schema: pa.Schema) -> pa.Schema:
        return widen_schema(schema) if is_on(self.config, LARGE) else schema

    @singledispatchmethod
    def start(self, relation: Any, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> RunningFunction:
        raise NotNative(reasons.OPERATION_KIND, f"Python: {type(relation).__name__}")

    @start.register
    def start_evaluate(self, relation: PythonEvaluate, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        """Argument columns go to the worker; the other columns wait in a queue for the results."""
        (source,) = inputs
        width = relation.width
        arguments = argument_schema(source.schema, width)
        waiting: deque[pa.RecordBatch] = deque()

        def argument_batches() -> Batches:
            for batch in input_rows.rebatch(source, self.rows):
                waiting.append(select_columns(batch, range(width), "c"))
                yield select_columns(batch, range(width, batch.num_columns), "_")

        def feed(output: IO[bytes]) -> None:
            input_rows.write_stream(output, arguments, argument_batches())

        evaluation = {"input_type": input_type(relation), **pickled_types(relation)}
        wanted, shape = output_schema(schema, source.schema, width), append_results(waiting, width, schema)
        return self.run(relation.eval_type, relation.chains, feed, wanted, shape, evaluation)

    @start.register
    def start_window(self, relation: PythonWindow, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        """The worker returns one batch for each window partition, with as many rows as the partition has."""
        (source,) = inputs
        width = relation.width
        waiting: deque[pa.RecordBatch] = deque()

        def feed(output: IO[bytes]) -> None:
            found = ((key, cut(batches)) for key, batches in input_rows.groups(source, relation.partition))
            input_rows.write_groups(output, found, argument_schema(source.schema, width), self.rows)

        def cut(batches: Batches) -> Batches:
            for batch in batches:
                waiting.append(select_columns(batch, range(width), "c"))
                yield select_columns(batch, range(width, batch.num_columns), "_")

        with_bounds = replace(self, config={**self.config, "window_bound_types": ",".join(relation.bounds)})
        wanted, shape = output_schema(schema, source.schema, width), append_results(waiting, width, schema)
        return with_bounds.run(relation.eval_type, relation.chains, feed, wanted, shape, {})

    @start.register
    def start_map(self, relation: PythonMap, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run | Runs:
        (source,) = inputs
        command = struct_command(relation.function, (0,))
        if not relation.partitions:
            return self.run_map(relation, command, lambda: source, source.schema, schema)
        rows, columns = input_rows.PartitionedRows(source), pa.schema(list(source.schema)[:-1])

        def making(partition: int) -> Run:
            read = partial(rows.of, partition)
            return replace(self, partition=partition).run_map(relation, command, read, columns, schema)

        makers = [partial(making, partition) for partition in range(relation.partitions)]
        return Runs(makers, output_schema(schema, schema, 0))

    def run_map(self, relation: PythonMap, command: bytes, read: Read, columns: pa.Schema, schema: pa.Schema) -> Run:
        def feed(output: IO[bytes]) -> None:
            structs = map(input_rows.as_struct, input_rows.rebatch(read(), self.rows))
            input_rows.write_stream(output, input_rows.struct_schema(columns), structs)

        made = self.run_struct(relation.function, command, feed, schema)
        # A barrier task may call the barrier coordinator, which only Spark has.
        made.falls_back_on_error = relation.is_barrier
        return made

    @start.register
    def start_groups(self, relation: PythonGroups, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> ChunkedRun:
        (source,) = inputs
        command = struct_command(relation.function, relation.offsets)

        def making(chunk: Chunk) -> Run:
            def feed(output: IO[bytes]) -> None:
                # Functions of these types take a group's rows as structs.
                if relation.function.eval_type in ARROW_GROUPS:
                    structs = ((key, map(input_rows.as_struct, batches)) for key, batches in chunk.groups)
                    input_rows.write_groups(output, structs, input_rows.struct_schema(source.schema), self.rows)
                else:
                    input_rows.write_groups(output, chunk.groups, source.schema, self.rows)

            return self.run_struct(relation.function, command, feed, schema)

        return ChunkedRun(input_rows.groups(source, relation.order), making, output_schema(schema, schema, 0))

    @start.register
    def start_cogroups(self, relation: PythonCoGroups, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        def feed(output: IO[bytes]) -> None:
            sides = [input_rows.groups(source, order) for source, order in zip(inputs, relation.orders, strict=True)]
            input_rows.write_cogroups(output, sides, [source.schema for source in inputs], self.rows)

        return self.run_struct(relation.function, struct_command(relation.function, relation.offsets), feed, schema)

    @start.register
    def start_aggregate(
        self, relation: PythonAggregate, inputs: list[pa.RecordBatchReader], schema: pa.Schema
    ) -> ChunkedRun:
        (source,) = inputs
        wanted = output_schema(schema, source.schema, relation.width)
        found = input_rows.groups(source, range(relation.width))
        return ChunkedRun(found, lambda chunk: self.run_aggregate(relation, chunk, source.schema, schema), wanted)

    def run_aggregate(self, relation: PythonAggregate, chunk: Chunk, source: pa.Schema, schema: pa.Schema) -> Run:
        """The worker returns one row for each group; the groups' keys wait in a queue."""
        width = relation.width
        arguments = argument_schema(source, width)
        keys: deque[pa.RecordBatch] = deque()

        def feed(output: IO[bytes]) -> None:
            found = ((key, cut(batches)) for key, batches in chunk.groups)
            input_rows.write_groups(output, found, arguments, self.rows)

        def cut(batches: Batches) -> Batches:
            for place, batch in enumerate(batches):
                if not place:
                    keys.append(select_columns(batch.slice(0, 1), range(width), "c"))
                yield select_columns(batch, range(width, batch.num_columns), "_")

        def shape(answers: Batches) -> Batches:
            for answer in answers:
                first = answer.slice(0, 1)
                results = [cast_result(c, schema.field(width + i).type) for i, c in enumerate(first.columns)]
                yield duckdb_batch([*take_rows(keys, 1).columns, *results], 1)

        wanted = output_schema(schema, source, width)
        return self.run(relation.eval_type, relation.chains, feed, wanted, shape, {})

    @start.register
    def start_table(self, relation: PythonTable, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Run:
        (source,) = inputs
        width, waiting = relation.width, tables.WaitingColumns()
        own = pa.schema(list(schema)[width:])

        def feed(output: IO[bytes]) -> None:
            tables.write_arguments(output, relation, source, waiting, self.rows)

        def shape(answers: Batches) -> Batches:
            for answer, numbers in tables.number_answers(answers, relation):
                beside = waiting.rows(numbers).columns if width else []
                yield duckdb_batch([*beside, *struct_columns(answer, own)], answer.num_rows)

        columns, argument_types = tables.own_schema(relation).json(), tables.argument_types(relation)
        evaluation = {
            "input_type": argument_types.json(),
            "output_type": columns,
            "table_arg_offsets": str(relation.values) if relation.has_table else "",
            "is_divided": "true" if relation.is_divided else "false",
        }
        check_pickled(relation.function.eval_type == PICKLED_TABLE, argument_types.fields)
        command, wanted = tasks.table_command(relation, columns), output_schema(schema, source.schema, width)
        function = relation.function
        return self.run_command(function.eval_type, [function], command, feed, wanted, shape, evaluation)

    @start.register
    def start_scan(self, relation: PythonScan, inputs: list[pa.RecordBatchReader], schema: pa.Schema) -> Runs:
        """Reads one partition after the other, as Spark's tasks would."""
        own = StructType(relation.schema.fields)
        source = relation.source or self.create_source(relation.definition, relation.options, own).source
        message = planning.plan_message(source, own, self.rows, self.as_bytes)
        command, partitions = self.ask(relation.definition, "plan_data_source_read", message, planning.read_planned)
        function = replace(relation.definition, command=command, eval_type=MAP_ARROW)
        reader = struct_command(function, (0,))

        def reading(number: int, partition: bytes) -> Run:
            workers = replace(self, partition=number)
            return workers.run_struct(function, reader, lambda out: tables.write_partition(out, partition), schema)

        makers = [partial(reading, number, partition) for number, partition in enumerate(partitions)]
        return Runs(makers, output_schema(schema, schema, 0))

    def create_source(
        self, definition: PythonFunction, options: Options, schema: StructType | None
    ) -> CreatedDataSource:
        message = planning.create_message(definition, options, schema)
        return self.ask(definition, "create_data_source", message, planning.read_created)

    def analyze(self, function: PythonFunction, arguments: Sequence[AnalyzedArgument]) -> AnalyzeResult:
        message = planning.analyze_message(function, arguments, self.as_bytes)
        return self.ask(function, "analyze_udtf", message, planning.read_analyzed)

    def ask(self, function: PythonFunction, module: str, message: bytes, read: Callable[[IO[bytes]], Answer]) -> Answer:
        """Sends a message to one of PySpark's planning workers and returns its answer."""
        tasks.check_config(self.config)
        profiler = self.config.get(SOURCE_PROFILER) if module != "analyze_udtf" else None
        opening = planning.opening(function, self.session_files(), {SOURCE_PROFILER: profiler} if profiler else {})
        environment, limit = tasks.environment_of(self.config), tasks.idle_seconds(self.config)
        return planning.ask(self.pool, environment, module, opening + message, read, limit)

    @property
    def as_bytes(self) -> bool:
        return is_on(self.config, "spark.sql.execution.pyspark.binaryAsBytes")

    def run_struct(self, function: PythonFunction, command: bytes, feed: Feed, schema: pa.Schema) -> Run:
        """Runs a function that returns whole rows: they come back as one struct column."""

        def shape(answers: Batches) -> Batches:
            for answer in answers:
                yield duckdb_batch(struct_columns(answer, schema), answer.num_rows)

        wanted = output_schema(schema, schema, 0)
        return self.run_command(function.eval_type, [function], command, feed, wanted, shape, {})

    def run(
        self,
        eval_type: int,
        chains: Sequence[FunctionChain],
        feed: Feed,
        schema: pa.Schema,
        shape: Callable[[Batches], Batches],
        evaluation: Mapping[str, str],
    ) -> Run:
        functions = [function for chain in chains for function in chain.functions]
        return self.run_command(eval_type, functions, tasks.commands(chains), feed, schema, shape, evaluation)

    def run_command(
        self,
        eval_type: int,
        functions: Sequence[PythonFunction],
        command: bytes,
        feed: Feed,
        schema: pa.Schema,
        shape: Callable[[Batches], Batches],
        evaluation: Mapping[str, str],
    ) -> Run:
        tasks.check_config(self.config)
        head = tasks.header(eval_type, functions, self.session_files(), self.config, evaluation, self.partition)
        environment = tasks.environment_of(self.config)
        return Run(self.pool, environment, head + command, feed, schema, shape, tasks.idle_seconds(self.config))

    @property
    def rows(self) -> int:
        limit = number_of(self.config, "spark.sql.execution.arrow.maxRecordsPerBatch")
        return limit if limit > 0 else 2**31 - 1


def struct_command(function: PythonFunction, offsets: tuple[int, ...]) -> bytes:
    """Made once for all partitions or groups of a query: its profiles are stored under one id (PythonUDF.resultId)."""
    return tasks.commands((FunctionChain((function,), offsets, (None,) * len(offsets)),))


def widen_schema(schema: pa.Schema) -> pa.Schema:
    """Strings and binaries get 64-bit offsets, also inside nested types."""
    return pa.schema([field.with_type(widen_type(field.type)) for field in schema])


def widen_type(type: pa.DataType) -> pa.DataType:
    if pa.types.is_string(type):
        return pa.large_string()
    if pa.types.is_binary(type):
        return pa.large_binary()
    if pa.types.is_list(type):
        return pa.list_(type.value_field.with_type(widen_type(type.value_type)))
    if pa.types.is_map(type):
        return pa.map_(
            type.key_field.with_type(widen_type(type.key_type)), type.item_field.with_type(widen_type(type.item_type))
        )
    if pa.types.is_struct(type):
        return pa.struct([field.with_type(widen_type(field.type)) for field in type])
    return type


def argument_schema(schema: pa.Schema, width: int) -> pa.Schema:
    """Arguments are named _0, _1, …, and all are nullable (EvalPythonEvaluatorFactory)."""
    return pa.schema([pa.field(f"_{place}", field.type) for place, field in enumerate(list(schema)[width:])])


def output_schema(schema: pa.Schema, source: pa.Schema, width: int) -> pa.Schema:
    """The schema that DuckDB reads: columns that were not sent to the worker keep the type that DuckDB gave them."""
    types = [source.field(place).type for place in range(width)]
    types += [duckdb_column(pa.array([], field.type)).type for field in list(schema)[width:]]
    if not types:
        return pa.schema([NO_COLUMN])
    return pa.schema([pa.field(f"c{place}", type) for place, type in enumerate(types)])


def select_columns(batch: pa.RecordBatch, places: range, prefix: str) -> pa.RecordBatch:
    """Some of a batch's columns under new names; without any column the batch keeps its row count."""
    if not len(places):
        return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), batch.num_rows, [None]))
    names = [f"{prefix}{number}" for number in range(len(places))]
    return pa.RecordBatch.from_arrays([batch.column(place) for place in places], names)


def append_results(waiting: deque[pa.RecordBatch], width: int, schema: pa.Schema) -> Callable[[Batches], Batches]:
    """Appends the results of each row to the columns that waited for them."""

    def shape(answers: Batches) -> Batches:
        for answer in answers:
            results = [cast_result(column, schema.field(width + i).type) for i, column in enumerate(answer.columns)]
            yield duckdb_batch([*take_rows(waiting, answer.num_rows).columns, *results], answer.num_rows)

    return shape


def take_rows(waiting: deque[pa.RecordBatch], rows: int) -> pa.RecordBatch:
    """The next rows of the waiting batches."""
    pieces = []
    while rows:
        first = waiting.popleft()
        if first.num_rows > rows:
            waiting.appendleft(first.slice(rows))
            first = first.slice(0, rows)
        pieces.append(first)
        rows -= first.num_rows
    return input_rows.concat_batches(pieces)


def duckdb_batch(arrays: Sequence[pa.Array], rows: int) -> pa.RecordBatch:
    """A batch of these columns for DuckDB, whose tables have at least one column."""
    shown = [duckdb_column(array) for array in arrays]
    if not shown:
        return pa.RecordBatch.from_arrays([pa.nulls(rows, pa.bool_())], [NO_COLUMN.name])
    return pa.RecordBatch.from_arrays(shown, [f"c{place}" for place in range(len(shown))])


def struct_columns(answer: pa.RecordBatch, schema: pa.Schema) -> list[pa.Array]:
    struct = answer.column(0)
    if not pa.types.is_struct(struct.type) or struct.type.num_fields < len(schema):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "fewer columns returned than declared")
    fields = struct.flatten()
    if any(fields[place].null_count and not field.nullable for place, field in enumerate(schema)):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "null returned for a column that is not nullable")
    return [cast_result(fields[place], field.type) for place, field in enumerate(schema)]


def input_type(relation: PythonEvaluate) -> str:
    """The arguments' types as Spark's JSON, from which the worker builds rows for struct arguments."""
    return types_json(relation.input.fields[relation.width :])


def types_json(fields: Sequence[Field]) -> str:
    return StructType([StructField(f"_{place}", field.type) for place, field in enumerate(fields)]).json()


def pickled_types(relation: PythonEvaluate) -> dict[str, str]:
    """The result types of functions over pickled rows, which our worker converts as the JVM would
    (`inside/rows.py`)."""
    if relation.eval_type != BATCHED:
        return {}
    check_pickled(True, relation.input.schema.fields[relation.width :])
    return {"output_type": types_json(relation.fields[relation.width :])}


def check_pickled(is_pickled: bool, fields: Sequence[StructField]) -> None:
    parts = [part for field in fields for part in nested_types(field.dataType)] if is_pickled else []
    if any(isinstance(part, TimeType) for part in parts):
        raise NotNative(reasons.PYTHON_FUNCTION_TYPE, "TIME as an argument of a pickled Python function")
