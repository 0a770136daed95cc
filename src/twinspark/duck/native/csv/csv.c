/* Splits a line of CSV as univocity's parser does in Spark: quotes are ", backslashes escape inside them.
 *
 * SQL spelling: spark_csv_fields(line, separator, null_value); a field without a character and one that is the null value are NULL,
 * an empty line has none. Text after a closing quote makes the field raw text up to the separator, quotes included. */
#include "core/values.h"
#include <stdlib.h>

enum { QUOTE = '"', ESCAPE = '\\', MOST_FIELDS = 20480 };
typedef enum { AT_SEPARATOR, AT_END, FALLS_BACK } stop;

/* univocity decides by the character at hand and the one before; 0 stands for "none that matters". */
typedef struct {
    const unsigned char *at, *end;
    unsigned char separator, here, before;
    bool raw; /* a quote inside the field was no closing one */
    char *field;
    uint32_t length;
} csv_line;

static bool step(csv_line *line) {
    if (line->at == line->end)
        return false;
    line->here = *line->at++;
    return true;
}

static void keep(csv_line *line, unsigned char c) { line->field[line->length++] = (char)c; }

/* Copies everything before one of two characters; at the end of the line `here` is unchanged, which the end tests. */
static bool keep_until(csv_line *line, unsigned char one, unsigned char other) {
    unsigned char c = line->here;
    while (c != one && c != other) {
        keep(line, c);
        if (line->at == line->end)
            return false;
        c = *line->at++;
    }
    line->here = c;
    return true;
}

/* The continuation bytes of a character, which is one char in Java: the end of a line checks the previous char. */
static void keep_whole(csv_line *line) {
    while (line->here >= 0xC0 && line->here < 0xF0 && line->at < line->end && (*line->at & 0xC0) == 0x80)
        keep(line, *line->at++);
}

static stop keep_raw(csv_line *line) {
    keep_whole(line);
    line->before = line->here;
    memmove(line->field + 1, line->field, line->length++);
    line->field[0] = QUOTE;
    return step(line) && keep_until(line, line->separator, line->separator) ? AT_SEPARATOR : AT_END;
}

/* What follows a closing quote and blanks: nothing, or the field was raw text all along. */
static stop after_blanks(csv_line *line) {
    const unsigned char *blanks = line->at - 1;
    do {
        if (!step(line))
            return AT_END;
    } while (line->here <= ' ' && line->here != line->separator);
    if (line->here == line->separator)
        return AT_SEPARATOR;
    keep(line, QUOTE);
    while (blanks < line->at)
        keep(line, *blanks++);
    return keep_raw(line);
}

/* A quote or an escape, given the character before it; a quote and then an escape confuses univocity beyond telling. */
static bool keep_escaped(csv_line *line) {
    if (line->before == ESCAPE) {
        keep(line, line->here);
        line->here = 0;
    } else if (line->before == QUOTE) {
        if (line->here == ESCAPE)
            return false;
        keep(line, QUOTE);
    }
    return true;
}

static stop quoted_field(csv_line *line) {
    if (!step(line))
        return AT_END;
    while (line->before != QUOTE || (line->here > ' ' && line->here != line->separator)) {
        if (line->here == QUOTE || line->here == ESCAPE) {
            if (!keep_escaped(line))
                return FALLS_BACK;
        } else if (line->before == QUOTE) {
            line->raw = true;
            keep(line, QUOTE);
            keep(line, line->here);
            return keep_raw(line);
        } else {
            if (line->before == ESCAPE)
                keep(line, ESCAPE);
            if (!keep_until(line, QUOTE, ESCAPE))
                return AT_END;
        }
        line->before = line->here;
        if (!step(line))
            return AT_END;
    }
    return line->here == line->separator ? AT_SEPARATOR : after_blanks(line);
}

/* The last field; whether it counts even without characters. */
static bool ends_with_value(csv_line *line) {
    if (line->here == QUOTE && line->before == QUOTE)
        return true;
    if (line->here == QUOTE && !line->raw)
        keep(line, QUOTE);
    return line->length || (line->before && line->here != line->separator);
}

static void add_field(position_writer *list, csv_line *line, bool is_value, text null_value) {
    text field = {line->field, line->length};
    bool is_null = field.length == null_value.length && !memcmp(field.bytes, null_value.bytes, field.length);
    add_string(list, field, !is_value || is_null);
    line->length = 0;
}

static stop next_field(csv_line *line) {
    line->before = 0;
    line->raw = false;
    if (line->here == QUOTE)
        return quoted_field(line);
    return keep_until(line, line->separator, line->separator) ? AT_SEPARATOR : AT_END;
}

static bool add_line(position_writer *list, csv_line *line, text null_value) {
    idx_t first = list->size;
    if (!step(line))
        return true;
    uint64_t done = 0;
    for (;;) {
        stay_cancellable(&done, 64);
        bool is_empty = line->here == line->separator;
        stop at = is_empty ? AT_SEPARATOR : next_field(line);
        if (at == FALLS_BACK || list->size - first == MOST_FIELDS - 1)
            return false;
        add_field(list, line, at == AT_END ? ends_with_value(line) : !is_empty, null_value);
        if (at == AT_END)
            return true;
        if (!step(line)) {
            add_field(list, line, false, null_value);
            return true;
        }
    }
}

/* Spark skips the columns it does not need by another rule, which treats a quote after two escapes as escaped. */
static bool is_told_apart(text line) {
    for (uint32_t i = 0; i < line.length; i++) {
        char c = line.bytes[i];
        if (!c || c == '\n' || c == '\r' || (c == QUOTE && i > 1 && line.bytes[i - 1] == ESCAPE && line.bytes[i - 2] == ESCAPE))
            return false;
    }
    return true;
}

/* A separator of one byte: of a longer character the fields would begin with the rest. */
static unsigned char separator_byte(text separator) {
    if (separator.length != 1 || (unsigned char)separator.bytes[0] >= 0x80)
        end_call("twinspark: a separator of CSV that is not one ASCII character");
    return (unsigned char)separator.bytes[0];
}

static void field_rows(native_call *call) {
    position_writer list = {call};
    char *field = NULL;
    for (idx_t row = 0; row < call->rows; row++)
        RESULT(call, list_entry)[row] = (list_entry){0, 0};
    EACH_ROW(call, row) {
        text line = argument_text(call, 0, row);
        field = reallocate(field, 2 * (size_t)line.length + 4, 1);
        csv_line state = {(const unsigned char *)line.bytes, (const unsigned char *)line.bytes + line.length,
                          separator_byte(argument_text(call, 1, row)), .field = field};
        begin_list(&list, row);
        if (!is_told_apart(line) || !add_line(&list, &state, argument_text(call, 2, row)))
            fall_back(call, "CSV_VALUE", "a record with line ends or escapes in unusual places");
        end_list(&list, row);
    }
    release(field);
    finish_positions(&list);
}

const native_function csv_functions[] = {{"spark_csv_fields", "vvv>[v", field_rows, NULL}, {NULL}};
