/* Shared declarations of parsing and formatting by legacy datetime patterns. */
#pragma once
#include "time/pattern.h"

static inline bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

enum { FIRST_GREGORIAN = -141427 }; /* 1582-10-15 */
bool between_calendars(int64_t days);
int weekday_of(int64_t days); /* 0: Sunday */

/* What a call keeps from row to row: the pattern and the zone seldom change. */
typedef struct { text given, zone; pattern compiled; zone_rules rules; bool utc; } legacy_pattern;
/* The row's pattern and zone; false, after an error, where only Spark reads them. */
bool prepare_legacy(native_call *call, idx_t row, legacy_pattern *with, bool (*known)(const pattern *));
