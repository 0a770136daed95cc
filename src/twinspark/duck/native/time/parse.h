/* java.time's strict parser: the state of parse.c, shared with parse_errors.c. */
#ifndef PARSE_H
#define PARSE_H
#include "time/pattern.h"

/* What was read so far; a field is present when its bit is set. */
enum { YEAR = 1, MONTH = 2, DAY = 4, HOUR = 8, HALF_HOUR = 16, MINUTE = 32, SECOND = 64, NANO = 128, NOON = 256, OFFSET = 512, DAY_OF_YEAR = 1024, ZONE = 2048 };
enum { WRONG_MOST = 8 };
typedef struct {
    int present;
    clock_time clock;
    int half_hour, noon, day_of_year;
    int32_t offset;
    text zone;       /* the region of a zone's name */
    bool is_unknown; /* a name that only Java knows, if it is one */
    bool goes_on; /* continues after numbers that are out of range: Java checks them at the end */
    char wrong[WRONG_MOST]; /* the letters of these */
    int wrong_count;        /* WRONG_MOST: more than are stored */
    int64_t wrong_value;
} parsed_fields;

/* Reads on from `at`; -1 when a needed item failed, and `at` is where it begins. */
int read_items(const pattern *pattern, int item, const char **at, const char *end, parsed_fields *into, bool optional);
/* Whether every letter of the pattern is read as Java reads it. */
bool readable(const pattern *pattern);

#endif
