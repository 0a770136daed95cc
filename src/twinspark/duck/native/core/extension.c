/* The extension's entry point: registers every function of the topic files, and wraps DuckDB's calls. */
#include "core/native.h"
#include <stdio.h>
#include <stdlib.h>

static void *api[API_SLOTS];
void *const *twinspark_api = api;

#define TABLE(table) table,
static const native_function *const function_tables[] = {FUNCTION_TABLES(TABLE)};
static const native_aggregate *const aggregate_tables[] = {AGGREGATE_TABLES(TABLE)};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- calls --- */

static void merge_validity(native_call *call, const uint64_t *mask) {
    if (!mask)
        return;
    if (!call->valid) {
        duckdb_vector_ensure_validity_writable(call->result);
        call->valid = duckdb_vector_get_validity(call->result);
    }
    for (idx_t word = 0; word < (call->rows + 63) / 64; word++)
        call->valid[word] &= mask[word];
}

static void take_arguments(native_call *call) {
    for (idx_t i = 0; i < call->arguments; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(call->chunk, i);
        call->data[i] = duckdb_vector_get_data(vector);
        call->argument_valid[i] = duckdb_vector_get_validity(vector);
    }
}

typedef struct { int precision, scale; } decimal_type;

/* The type of a DECIMAL result is part of the registered name, so it is in the extra info. */
typedef struct { const native_function *function; const native_aggregate *aggregate; int precision, scale; } registration;

/* The reason for ending a run early (no memory) becomes the call's error. */
static void run_safely(native_call *call, void (*work)(void *), void *argument, enum block_owner owner) {
    if (!run_guarded(work, argument, owner))
        fail_call(call, ended_with());
}

static void run_kernel(void *given) {
    native_call *call = given;
    call->function->kernel(call);
    hand_over_texts(call);
}

static bool sees_nulls(const char *types) { return types[0] == '?'; }
static bool is_volatile(const char *types) { return types[0] == '!'; }

static void *share_of_cancellation(void *of) { return share_cancellation(of); }

/* DuckDB binds in the thread that submits the query, for which the server has set the operation's flag (cancel.c). */
static void bind_scalar(duckdb_bind_info info) {
    cancellation *shared = share_current_cancellation();
    if (!shared)
        return;
    duckdb_scalar_function_set_bind_data(info, shared, release_cancellation);
    duckdb_scalar_function_set_bind_data_copy(info, share_of_cancellation);
}

static void run_scalar(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
    const registration *registered = duckdb_scalar_function_get_extra_info(info);
    native_call call = {.function = registered->function, .info = info, .chunk = chunk, .result = result,
                        .scale = registered->scale, .precision = registered->precision};
    call.cancel = duckdb_scalar_function_get_bind_data(info);
    call.rows = duckdb_data_chunk_get_size(chunk);
    call.arguments = duckdb_data_chunk_get_column_count(chunk);
    if (call.arguments > MOST_ARGUMENTS) {
        misuse(&call, "twinspark: too many arguments");
        return;
    }
    take_arguments(&call);
    call.out = duckdb_vector_get_data(result);
    if (!sees_nulls(call.function->types))
        for (idx_t i = 0; i < call.arguments; i++)
            merge_validity(&call, call.argument_valid[i]);
    begin_cancellable(call.cancel);
    run_safely(&call, run_kernel, &call, OWNED_BY_CALL);
    end_cancellable();
}

static idx_t aggregate_size(duckdb_function_info info) {
    return ((const registration *)duckdb_aggregate_function_get_extra_info(info))->aggregate->state_size;
}

static void aggregate_init(duckdb_function_info info, duckdb_aggregate_state state) {
    memset((void *)state, 0, aggregate_size(info));
}

typedef struct {
    const native_aggregate *aggregate;
    native_call *call;
    duckdb_aggregate_state *states, *sources;
    idx_t count, offset;
} state_work;

static void update_states(void *given) {
    state_work *work = given;
    work->aggregate->update(work->call, work->states);
}

static void combine_states(void *given) {
    state_work *work = given;
    for (idx_t i = 0; i < work->count; i++)
        work->aggregate->combine(work->states[i], work->sources[i]);
}

static void finish_states(void *given) {
    state_work *work = given;
    for (idx_t i = 0; i < work->count && !work->call->failed; i++)
        work->aggregate->finish(work->call, work->states[i], i + work->offset);
    hand_over_texts(work->call);
}

static void aggregate_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
    const registration *registered = duckdb_aggregate_function_get_extra_info(info);
    native_call call = {.info = info, .chunk = chunk, .scale = registered->scale};
    call.rows = duckdb_data_chunk_get_size(chunk);
    call.arguments = duckdb_data_chunk_get_column_count(chunk);
    if (call.arguments > MOST_ARGUMENTS) {
        misuse(&call, "twinspark: too many arguments");
        return;
    }
    take_arguments(&call);
    state_work work = {registered->aggregate, &call, states, NULL, call.rows, 0};
    run_safely(&call, update_states, &work, OWNED_BY_STATE);
}

static void aggregate_combine(duckdb_function_info info, duckdb_aggregate_state *source, duckdb_aggregate_state *target,
                              idx_t count) {
    const registration *registered = duckdb_aggregate_function_get_extra_info(info);
    native_call call = {.info = info};
    state_work work = {registered->aggregate, &call, target, source, count, 0};
    run_safely(&call, combine_states, &work, OWNED_BY_STATE);
}

static void aggregate_finalize(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector result,
                               idx_t count, idx_t offset) {
    const registration *registered = duckdb_aggregate_function_get_extra_info(info);
    native_call call = {.info = info, .result = result, .scale = registered->scale};
    call.out = duckdb_vector_get_data(result);
    state_work work = {registered->aggregate, &call, states, NULL, count, offset};
    run_safely(&call, finish_states, &work, OWNED_BY_CALL);
    end_cancellable();
}

/* --- registration --- */

static int type_of(char letter) {
    static const struct { char letter; int type; } letters[] = {
        {'b', TYPE_BOOLEAN}, {'t', TYPE_TINYINT},  {'s', TYPE_SMALLINT}, {'i', TYPE_INTEGER},   {'l', TYPE_BIGINT},
        {'h', TYPE_HUGEINT}, {'f', TYPE_FLOAT},    {'d', TYPE_DOUBLE},   {'v', TYPE_VARCHAR},   {'x', TYPE_BLOB},
        {'D', TYPE_DATE},    {'T', TYPE_TIMESTAMP}, {'Z', TYPE_TIMESTAMP_TZ}, {'A', TYPE_ANY}, {'I', TYPE_INTERVAL}};
    for (size_t i = 0; i < COUNT(letters); i++)
        if (letters[i].letter == letter)
            return letters[i].type;
    return 0;
}

static duckdb_logical_type struct_of_texts(int count) {
    duckdb_logical_type text = duckdb_create_logical_type(TYPE_VARCHAR), parts[MOST_TEXT_FIELDS];
    const char *names[MOST_TEXT_FIELDS];
    for (int i = 0; i < count; i++) {
        parts[i] = text;
        names[i] = ""; /* without names it is cast to a struct field by field */
    }
    duckdb_logical_type made = duckdb_create_struct_type(parts, names, (idx_t)count);
    duckdb_destroy_logical_type(&text);
    return made;
}

static duckdb_logical_type variant_type(void) {
    duckdb_logical_type parts[2] = {duckdb_create_logical_type(TYPE_BLOB), duckdb_create_logical_type(TYPE_BLOB)};
    const char *names[2] = {"value", "metadata"};
    duckdb_logical_type made = duckdb_create_struct_type(parts, names, 2);
    duckdb_destroy_logical_type(&parts[0]);
    duckdb_destroy_logical_type(&parts[1]);
    return made;
}

/* '[' before a letter is a list of it, '#', '%' and '$' the DECIMAL of this registration, 'm' seconds of a day with their
 * microseconds, DECIMAL(14, 6), 'V' a variant, '*' a struct of texts. */
static duckdb_logical_type logical_type(const char **types, decimal_type of) {
    char letter = *(*types)++;
    if (letter == 'V')
        return variant_type();
    if (letter == '*')
        return struct_of_texts(of.scale);
    if (letter == 'm')
        return duckdb_create_decimal_type(14, 6);
    if (letter == '#' || letter == '%' || letter == '$')
        return duckdb_create_decimal_type((uint8_t)of.precision, (uint8_t)of.scale);
    if (letter != '[')
        return duckdb_create_logical_type(type_of(letter));
    duckdb_logical_type child = logical_type(types, of);
    duckdb_logical_type list = duckdb_create_list_type(child);
    duckdb_destroy_logical_type(&child);
    return list;
}

static registration *remember(const native_function *function, const native_aggregate *aggregate, const char *types,
                              decimal_type of) {
    registration *registered = allocate_lasting(1, sizeof *registered);
    *registered = (registration){function, aggregate, strpbrk(types, "%$") ? of.precision : 0, of.scale};
    return registered;
}

static void write_name(char *into, size_t size, const char *name, const char *types, decimal_type of) {
    if (strpbrk(types, "%$"))
        snprintf(into, size, "%s_%d_%d", name, of.precision, of.scale);
    else if (strpbrk(types, "#*"))
        snprintf(into, size, "%s_%d", name, of.scale);
    else
        snprintf(into, size, "%s", name);
}

/* The types that a line is registered for: one, every scale of 38 or of 18 digits, or every type of more than 18 digits. */
static decimal_type first_type(const char *types) {
    if (strchr(types, '*'))
        return (decimal_type){0, 1};
    return (decimal_type){strchr(types, '$') ? 18 : strchr(types, '%') ? 19 : 38, 0};
}
static bool next_type(const char *types, decimal_type *of) {
    if (strchr(types, '*'))
        return ++of->scale <= MOST_TEXT_FIELDS;
    if (!strpbrk(types, "#%$") || (strchr(types, '$') && of->scale == of->precision))
        return false;
    *of = of->scale < of->precision ? (decimal_type){of->precision, of->scale + 1} : (decimal_type){of->precision + 1, 0};
    return of->precision <= 38;
}

static bool register_scalar(duckdb_connection connection, const native_function *function, decimal_type of) {
    duckdb_scalar_function scalar = duckdb_create_scalar_function();
    char name[128];
    write_name(name, sizeof name, function->name, function->types, of);
    duckdb_scalar_function_set_name(scalar, name);
    const char *types = function->types;
    if (sees_nulls(types)) {
        duckdb_scalar_function_set_special_handling(scalar);
        types++;
    }
    if (is_volatile(types)) {
        duckdb_scalar_function_set_volatile(scalar);
        types++;
    }
    for (bool parameters = true; *types;) {
        if (*types == '>') {
            parameters = false;
            types++;
            continue;
        }
        duckdb_logical_type type = logical_type(&types, of);
        (parameters ? duckdb_scalar_function_add_parameter : duckdb_scalar_function_set_return_type)(scalar, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_scalar_function_set_extra_info(scalar, remember(function, NULL, function->types, of), release);
    duckdb_scalar_function_set_bind(scalar, bind_scalar);
    duckdb_scalar_function_set_function(scalar, run_scalar);
    bool registered = duckdb_register_scalar_function(connection, scalar) == 0;
    duckdb_destroy_scalar_function(&scalar);
    return registered;
}

/* DuckDB's destructor callback gets no extra info, so each aggregate that owns memory has its own loop. */
static bool register_aggregate(duckdb_connection connection, const native_aggregate *aggregate, decimal_type of) {
    duckdb_aggregate_function made = duckdb_create_aggregate_function();
    char name[128];
    write_name(name, sizeof name, aggregate->name, aggregate->types, of);
    duckdb_aggregate_function_set_name(made, name);
    const char *types = aggregate->types;
    for (bool parameters = true; *types;) {
        if (*types == '>') {
            parameters = false;
            types++;
            continue;
        }
        duckdb_logical_type type = logical_type(&types, of);
        (parameters ? duckdb_aggregate_function_add_parameter : duckdb_aggregate_function_set_return_type)(made, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_aggregate_function_set_extra_info(made, remember(NULL, aggregate, aggregate->types, of), release);
    duckdb_aggregate_function_set_functions(made, aggregate_size, aggregate_init, aggregate_update, aggregate_combine,
                                            aggregate_finalize);
    if (aggregate->destroy)
        duckdb_aggregate_function_set_destructor(made, aggregate->destroy);
    bool registered = duckdb_register_aggregate_function(connection, made) == 0;
    duckdb_destroy_aggregate_function(&made);
    return registered;
}

static bool refused(const char *name, char *failed, size_t size) {
    snprintf(failed, size, "twinspark: DuckDB refused %s", name);
    return false;
}

typedef struct { duckdb_connection connection; bool fine; char failed[160]; } loading;

static void register_all(void *given) {
    loading *load = given;
    duckdb_connection connection = load->connection;
    char *failed = load->failed;
    size_t size = sizeof load->failed;
    bool fine = true;
    for (size_t t = 0; t < COUNT(function_tables); t++)
        for (const native_function *f = function_tables[t]; f->name; f++) {
            decimal_type of = first_type(f->types);
            do
                fine = register_scalar(connection, f, of) ? fine : refused(f->name, failed, size);
            while (next_type(f->types, &of));
        }
    for (size_t t = 0; t < COUNT(aggregate_tables); t++)
        for (const native_aggregate *a = aggregate_tables[t]; a->name; a++) {
            decimal_type of = first_type(a->types);
            do
                fine = register_aggregate(connection, a, of) ? fine : refused(a->name, failed, size);
            while (next_type(a->types, &of));
        }
    load->fine = fine;
}

__attribute__((visibility("default"))) bool twinspark_init_c_api(duckdb_extension_info info,
                                                                 struct duckdb_extension_access *access) {
    const void *offered = access->get_api(info, API_VERSION);
    if (!offered)
        return false; /* DuckDB has set the error */
    memcpy(api, offered, sizeof api); /* DuckDB's struct lives only while the extension loads */
    loading load = {.failed = "twinspark: no connection"};
    if (duckdb_connect(*access->get_database(info), &load.connection) == 0) {
        duckdb_query(load.connection, "BEGIN", NULL); /* one transaction for all: loading is several times faster */
        if (!run_guarded(register_all, &load, OWNED_BY_STATE))
            snprintf(load.failed, sizeof load.failed, "%.150s", ended_with());
        duckdb_query(load.connection, "COMMIT", NULL);
        duckdb_disconnect(&load.connection);
    }
    if (!load.fine)
        access->set_error(info, load.failed);
    return load.fine;
}

/* A line that is too long is omitted: Python then treats its function as missing. */
static size_t add_line(char *into, size_t size, size_t at, const char *name, const char *types) {
    int length = snprintf(into + at, size - at, "%s %s\n", name, types);
    if (length >= 0 && (size_t)length < size - at)
        return at + (size_t)length;
    into[at] = 0;
    return at;
}

/* The names and types of all registered functions for Python (ctypes), one line each, from the registration tables. */
__attribute__((visibility("default"))) const char *twinspark_function_names(void) {
    static char names[65536];
    size_t at = 0;
    names[0] = 0;
    for (size_t t = 0; t < COUNT(function_tables); t++)
        for (const native_function *f = function_tables[t]; f->name; f++)
            at = add_line(names, sizeof names, at, f->name, f->types);
    for (size_t t = 0; t < COUNT(aggregate_tables); t++)
        for (const native_aggregate *a = aggregate_tables[t]; a->name; a++)
            at = add_line(names, sizeof names, at, a->name, a->types);
    return names;
}
