/* Time zones: parses Java's offset forms, and reads the rules of a region from a TZif file (RFC 9636).
 *
 * Regions need to know where the files are: SELECT spark_zoneinfo('<folder>') once for each process (native.load does it).
 * Rules are read once, cached forever, and published under a lock; readers of a published rule need none. */
#include "time/zone.h"
#include "disputed_zones.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* --- calendar --- */

int64_t days_from_civil(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void civil_from_days(int64_t days, int64_t *year, int *month, int *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

int days_of_month(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* --- offsets --- */

static bool two_digits(const char *at, int *value) {
    if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9')
        return false;
    *value = (at[0] - '0') * 10 + at[1] - '0';
    return true;
}

/* java.time.ZoneOffset.of: +h, +hh, +hhmm, +hh:mm, +hhmmss, +hh:mm:ss; at most 18 hours. */
static bool parse_offset(text id, int32_t *seconds) {
    int hours = 0, minutes = 0, rest = 0;
    if (id.length < 2 || (id.bytes[0] != '+' && id.bytes[0] != '-'))
        return false;
    char padded[3] = {'0', id.bytes[1], 0};
    bool fine = two_digits(id.length == 2 ? padded : id.bytes + 1, &hours);
    switch (id.length) {
    case 2: case 3: break;
    case 7: fine = fine && two_digits(id.bytes + 5, &rest); /* fall through */
    case 5: fine = fine && two_digits(id.bytes + 3, &minutes); break;
    case 9: fine = fine && id.bytes[6] == ':' && two_digits(id.bytes + 7, &rest); /* fall through */
    case 6: fine = fine && id.bytes[3] == ':' && two_digits(id.bytes + 4, &minutes); break;
    default: return false;
    }
    if (!fine || minutes > 59 || rest > 59 || hours * 3600 + minutes * 60 + rest > 18 * 3600)
        return false;
    *seconds = (hours * 3600 + minutes * 60 + rest) * (id.bytes[0] == '-' ? -1 : 1);
    return true;
}

static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool sign(char c) { return c == '+' || c == '-'; }

/* Spark also reads +h:mm and +hh:m: the first of each gets its zero. Returns the new length. */
static uint32_t pad_offset(char *id, uint32_t length) {
    for (uint32_t i = 0; i + 2 < length; i++)
        if (sign(id[i]) && digit(id[i + 1]) && id[i + 2] == ':') {
            memmove(id + i + 2, id + i + 1, length - i - 1);
            id[i + 1] = '0';
            length++;
            break;
        }
    if (length >= 5 && sign(id[length - 5]) && digit(id[length - 4]) && digit(id[length - 3]) && id[length - 2] == ':' &&
        digit(id[length - 1])) {
        id[length] = id[length - 1];
        id[length - 1] = '0';
        length++;
    }
    return length;
}

static bool is(text id, const char *word) { return id.length == strlen(word) && !memcmp(id.bytes, word, id.length); }
static bool starts(text id, const char *word) { return id.length >= strlen(word) && !memcmp(id.bytes, word, strlen(word)); }

/* Names of fixed offsets; including the region ids of UTC. */
static bool fixed_zone(text id, int32_t *seconds) {
    static const char *const utc[] = {"Z", "UTC", "GMT", "UT", "UCT", "Zulu", "Universal", "Greenwich", "GMT0", "Etc/UTC", "Etc/UCT",
                                      "Etc/GMT", "Etc/Zulu", "Etc/Universal", "Etc/Greenwich", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0"};
    *seconds = 0;
    for (size_t i = 0; i < sizeof utc / sizeof *utc; i++)
        if (is(id, utc[i]))
            return true;
    static const struct { const char *name; int hours; } short_ids[] = {{"EST", -5}, {"MST", -7}, {"HST", -10}};
    for (size_t i = 0; i < 3; i++)
        if (is(id, short_ids[i].name)) {
            *seconds = short_ids[i].hours * 3600;
            return true;
        }
    if (id.length && sign(id.bytes[0]))
        return parse_offset(id, seconds);
    uint32_t prefix = starts(id, "UTC") || starts(id, "GMT") ? 3 : starts(id, "UT") ? 2 : 0;
    return prefix && id.length > prefix && sign(id.bytes[prefix]) &&
           parse_offset((text){id.bytes + prefix, id.length - prefix}, seconds);
}

/* java.time.ZoneId.SHORT_IDS, the ones that are regions. */
static const char *short_region(text id) {
    static const char *const ids[][2] = {
        {"ACT", "Australia/Darwin"}, {"AET", "Australia/Sydney"}, {"AGT", "America/Argentina/Buenos_Aires"},
        {"ART", "Africa/Cairo"}, {"AST", "America/Anchorage"}, {"BET", "America/Sao_Paulo"}, {"BST", "Asia/Dhaka"},
        {"CAT", "Africa/Harare"}, {"CNT", "America/St_Johns"}, {"CST", "America/Chicago"}, {"CTT", "Asia/Shanghai"},
        {"EAT", "Africa/Addis_Ababa"}, {"ECT", "Europe/Paris"}, {"IET", "America/Indiana/Indianapolis"}, {"IST", "Asia/Kolkata"},
        {"JST", "Asia/Tokyo"}, {"MIT", "Pacific/Apia"}, {"NET", "Asia/Yerevan"}, {"NST", "Pacific/Auckland"},
        {"PLT", "Asia/Karachi"}, {"PNT", "America/Phoenix"}, {"PRT", "America/Puerto_Rico"}, {"PST", "America/Los_Angeles"},
        {"SST", "Pacific/Guadalcanal"}, {"VST", "Asia/Ho_Chi_Minh"}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (is(id, ids[i][0]))
            return ids[i][1];
    return NULL;
}

/* --- TZif --- */

static int64_t big_endian(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}

typedef struct { int month, week, weekday; int32_t time; } rule_date; /* Mm.w.d/time of a POSIX TZ text */

static const char *read_time(const char *at, int32_t *seconds) {
    int signs = *at == '-' ? -1 : 1, parts[3] = {0};
    if (sign(*at))
        at++;
    for (int i = 0; i < 3; i++) {
        while (digit(*at))
            parts[i] = parts[i] * 10 + *at++ - '0';
        if (*at != ':')
            break;
        at++;
    }
    *seconds = signs * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
    return at;
}

static const char *skip_name(const char *at) {
    if (*at == '<')
        return strchr(at, '>') ? strchr(at, '>') + 1 : at;
    while ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'z')
        at++;
    return at;
}

static const char *read_rule(const char *at, rule_date *rule) {
    int length = 0;
    rule->time = 7200;
    if (sscanf(at, ",M%d.%d.%d%n", &rule->month, &rule->week, &rule->weekday, &length) != 3)
        return NULL;
    at += length;
    return *at == '/' ? read_time(at + 1, &rule->time) : at;
}

static int64_t rule_second(const rule_date *rule, int64_t year, int32_t offset) {
    int64_t first = days_from_civil(year, rule->month, 1);
    int weekday = (int)(((first + 4) % 7 + 7) % 7), day = 1 + (rule->weekday - weekday + 7) % 7 + 7 * (rule->week - 1);
    while (day > days_of_month(year, rule->month))
        day -= 7;
    return (first + day - 1) * 86400 + rule->time - offset;
}

enum { LAST_YEAR = 2500 };

static void add_transition(zone_rules *rules, int64_t at, int32_t offset) {
    int32_t before = rules->count ? rules->transitions[rules->count - 1].after : rules->first_offset;
    if (offset != before)
        rules->transitions[rules->count++] = (zone_transition){at, before, offset};
}

/* The yearly rule at the file's end, written out to LAST_YEAR; false when it is one we cannot read. */
static bool add_yearly(zone_rules *rules, const char *posix, int64_t after) {
    int32_t standard, daylight;
    rule_date begin, end;
    const char *at = read_time(skip_name(posix), &standard);
    standard = -standard;
    daylight = standard + 3600;
    if (!*at)
        return true;
    at = skip_name(at);
    if (*at != ',') {
        at = read_time(at, &daylight);
        daylight = -daylight;
    }
    if (!(at = read_rule(at, &begin)) || !(at = read_rule(at, &end)) || *at)
        return false;
    int64_t year;
    int month, day;
    civil_from_days(after / 86400, &year, &month, &day);
    for (; year <= LAST_YEAR; year++) {
        int64_t on = rule_second(&begin, year, standard), off = rule_second(&end, year, daylight);
        for (int turn = 0; turn < 2; turn++) {
            bool first = (on < off) == (turn == 0);
            if ((first ? on : off) > after)
                add_transition(rules, first ? on : off, first ? daylight : standard);
        }
    }
    return true;
}

static size_t block_length(const unsigned char *header, int time_bytes) {
    int64_t n[6];
    for (int i = 0; i < 6; i++)
        n[i] = big_endian(header + 20 + 4 * i, 4); /* isutc, isstd, leap, time, type, char */
    return (size_t)(n[3] * time_bytes + n[3] + n[4] * 6 + n[5] + n[2] * (time_bytes + 4) + n[1] + n[0]);
}

static bool read_rules(const unsigned char *file, size_t size, zone_rules *rules) {
    if (size < 44 || memcmp(file, "TZif", 4) || file[4] < '2')
        return false;
    size_t second = 44 + block_length(file, 4);
    if (size < second + 44)
        return false;
    const unsigned char *header = file + second, *times = header + 44;
    int64_t count = big_endian(header + 32, 4);
    const unsigned char *types = times + 8 * count, *offsets = types + count;
    size_t footer = second + 44 + block_length(header, 8);
    if (size < footer + 2)
        return false;
    rules->first_offset = (int32_t)big_endian(offsets, 4);
    rules->transitions = allocate_lasting((size_t)count + 2 * (LAST_YEAR - 1800), sizeof(zone_transition));
    for (int64_t i = 0; i < count; i++)
        add_transition(rules, big_endian(times + 8 * i, 8), (int32_t)big_endian(offsets + 6 * types[i], 4));
    char posix[64] = {0};
    size_t length = size - footer - 2;
    memcpy(posix, file + footer + 1, length < 63 ? length : 63);
    return add_yearly(rules, posix, count ? big_endian(times + 8 * (count - 1), 8) : 0);
}

/* --- the cache of regions --- */

enum { MOST_ZONES = 700 };
static struct { char name[64]; zone_rules rules; } known[MOST_ZONES];
static int known_count;
static char folder[1024];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool read_region(const char *name, zone_rules *rules) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = folder[0] ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    unsigned char bytes[8192];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return read_rules(bytes, size, rules);
}

static bool region_name(text id) {
    if (id.length < 2 || id.length > 60 || (id.bytes[0] | 0x20) < 'a' || (id.bytes[0] | 0x20) > 'z')
        return false;
    for (uint32_t i = 1; i < id.length; i++)
        if (!strchr("~/._+-", id.bytes[i]) && !digit(id.bytes[i]) && ((id.bytes[i] | 0x20) < 'a' || (id.bytes[i] | 0x20) > 'z'))
            return false;
    return true;
}

static bool find_known(const char *name, zone_rules *rules) {
    int place = 0;
    pthread_mutex_lock(&lock);
    while (place < known_count && strcmp(known[place].name, name))
        place++;
    bool found = place < known_count;
    if (found)
        *rules = known[place].rules;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Two threads may read one region: the first one's rules stay, since others may be using them. */
static bool keep_region(const char *name, const zone_rules *rules) {
    pthread_mutex_lock(&lock);
    bool room = known_count < MOST_ZONES;
    if (room) {
        strcpy(known[known_count].name, name);
        known[known_count++].rules = *rules;
    }
    pthread_mutex_unlock(&lock);
    return room;
}

static bool is_path(const char *name, size_t length) {
    return strstr(name, "..") || strstr(name, "//") || strstr(name, "/./") || name[length - 1] == '/';
}

/* Only regions that exist are kept, so that no client can fill the cache with other names. A file is read without the lock:
 * reading may end the call (no memory), which would never give it back. */
static enum zone_kind find_region(text id, zone_rules *rules) {
    char name[64] = {0};
    if (!region_name(id))
        return ZONE_UNKNOWN;
    memcpy(name, id.bytes, id.length);
    for (const char **disputed = disputed_zones; *disputed; disputed++)
        if (!strcmp(*disputed, name))
            return ZONE_FALLS_BACK;
    if (find_known(name, rules))
        return ZONE_KNOWN;
    if (is_path(name, id.length) || !read_region(name, rules))
        return folder[0] ? ZONE_UNKNOWN : ZONE_FALLS_BACK;
    if (keep_region(name, rules))
        return ZONE_KNOWN;
    release(rules->transitions);
    return ZONE_FALLS_BACK;
}

enum zone_kind find_zone(text name, zone_rules *rules) {
    char padded[80];
    *rules = (zone_rules){0};
    if (name.length > 70)
        return ZONE_UNKNOWN;
    memcpy(padded, name.bytes, name.length);
    text id = {padded, pad_offset(padded, name.length)};
    if (fixed_zone(id, &rules->first_offset))
        return ZONE_KNOWN;
    const char *region = short_region(id);
    return find_region(region ? plain_text(region) : id, rules);
}


/* 400 years repeat themselves, days of the week included. */
static int64_t within_rules(int64_t second) {
    int64_t limit = days_from_civil(LAST_YEAR, 1, 1) * 86400, cycle = 146097LL * 86400;
    return second < limit ? second : second - ((second - limit) / cycle + 1) * cycle;
}

int32_t offset_of_local(const zone_rules *rules, int64_t local_second) {
    if (!rules->count)
        return rules->first_offset;
    int64_t second = within_rules(local_second);
    int low = 0, high = rules->count; /* the first transition that is still to come */
    while (low < high) {
        int middle = (low + high) / 2;
        const zone_transition *t = &rules->transitions[middle];
        if (second < t->at + (t->before > t->after ? t->before : t->after))
            high = middle;
        else
            low = middle + 1;
    }
    return low ? rules->transitions[low - 1].after : rules->first_offset;
}

int32_t offset_of_instant(const zone_rules *rules, int64_t second) {
    if (!rules->count)
        return rules->first_offset;
    second = within_rules(second);
    int low = 0, high = rules->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (second < rules->transitions[middle].at)
            high = middle;
        else
            low = middle + 1;
    }
    return low ? rules->transitions[low - 1].after : rules->first_offset;
}

/* --- functions --- */

static void set_folder(native_call *call) {
    EACH_ROW(call, row) {
        text path = argument_text(call, 0, row);
        pthread_mutex_lock(&lock);
        if (path.length < sizeof folder) {
            memcpy(folder, path.bytes, path.length);
            folder[path.length] = 0;
        }
        pthread_mutex_unlock(&lock);
        RESULT(call, bool)[row] = true;
    }
}

const native_function zone_functions[] = {{"spark_zoneinfo", "v>b", set_folder, NULL}, {NULL}};
