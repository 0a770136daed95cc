/* Time zones by Java's names: fixed offsets from their text, regions from the TZif files that Python's tzdata package brings. */
#pragma once
#include "core/native.h"

typedef struct { int64_t at; int32_t before, after; } zone_transition; /* seconds of UTC; offsets in seconds */
typedef struct { int32_t first_offset; int count; zone_transition *transitions; } zone_rules; /* count 0: a fixed offset */

enum zone_kind { ZONE_UNKNOWN, ZONE_KNOWN, ZONE_FALLS_BACK };
/* ZoneId.of by Spark's getZoneId. ZONE_FALLS_BACK: a region of Java without rules here. */
enum zone_kind find_zone(text name, zone_rules *rules);

/* java.time.ZonedDateTime.of: in a gap and in an overlap the offset from before the transition counts. */
int32_t offset_of_local(const zone_rules *rules, int64_t local_second);
int32_t offset_of_instant(const zone_rules *rules, int64_t second);

/* Days since 1970-01-01 of a proleptic Gregorian date, and back. */
int64_t days_from_civil(int64_t year, int month, int day);
void civil_from_days(int64_t days, int64_t *year, int *month, int *day);
int days_of_month(int64_t year, int month);
