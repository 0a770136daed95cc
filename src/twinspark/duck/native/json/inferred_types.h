/* Inferred types, merged as in Spark's JsonInferSchema and formatted as Spark's SQL types. */
#pragma once
#include "json/json.h"
#include "core/values.h"

enum inferred_kind { INFER_VOID, INFER_BOOLEAN, INFER_LONG, INFER_DECIMAL, INFER_FLOAT, INFER_DOUBLE, INFER_STRING, INFER_BINARY,
                     INFER_DATE, INFER_TIMESTAMP, INFER_TIMESTAMP_NTZ, INFER_VARIANT, INFER_ARRAY, INFER_STRUCT };

/* An array has one child; a struct as many as names, sorted by them. */
typedef struct inferred {
    enum inferred_kind kind;
    int precision, scale;
    uint32_t count, room;
    char **names;
    uint32_t *name_lengths;
    struct inferred *children;
} inferred;

void free_inferred(inferred *type);
inferred array_of(inferred element);
void add_field(inferred *type, text name, inferred field);
/* By Java's order of strings; of equal names the order stays. */
void sort_fields(inferred *type);
/* Takes both; where they do not agree the result is of kind `otherwise`. `odd` is set if the result falls back to Spark. */
inferred merged(inferred left, inferred right, enum inferred_kind otherwise, bool *odd);
/* `OBJECT<…>` or `STRUCT<…>` by `object`. */
void write_inferred(const inferred *type, const char *object, buffer *out);
