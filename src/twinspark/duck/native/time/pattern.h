/* Spark's datetime patterns, read once into a list of items. */
#pragma once
#include "time/zone.h"

enum { MOST_ITEMS = 64 };
/* letter 0: the literal character `code`; '[' and ']' open and close an optional part. */
typedef struct { char letter; uint8_t count; uint32_t code; } pattern_item;
typedef struct { pattern_item items[MOST_ITEMS]; int count; bool era; } pattern;

/* false: not a pattern that we read (perhaps none that Spark does). */
bool read_pattern(text given, pattern *into);

typedef struct { int64_t year; int month, day, hour, minute, second; int64_t nano; } clock_time;

extern const char *const month_names[12], *const day_names[7];
