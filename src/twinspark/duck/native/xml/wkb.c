/* Well-known binary of points in GEOMETRY and GEOGRAPHY; other shapes fall back to Spark.
 *
 * SQL spelling: spark_wkb_point(wkb, on_the_globe) -> the point in little-endian bytes; a point on the globe has degrees.
 *               spark_wkb_written(wkb, endianness) -> such a point as NDR (little-endian) or XDR (big-endian) */
#include "core/native.h"
#include <math.h>

enum { POINT = 21 }; /* bytes: the order, the shape, two doubles */

static void reverse(char *to, const char *from, int count) {
    for (int i = 0; i < count; i++)
        to[i] = from[count - 1 - i];
}

static void turned(char point[POINT], const char *from) {
    point[0] = !from[0];
    reverse(point + 1, from + 1, 4);
    reverse(point + 5, from + 5, 8);
    reverse(point + 13, from + 13, 8);
}

static void not_a_point(native_call *call) { fall_back(call, "GEOMETRY", "a value that is not a plain point"); }

static void point_rows(native_call *call) {
    static const char opening[5] = {1, 1, 0, 0, 0};
    EACH_ROW(call, row) {
        text wkb = argument_text(call, 0, row);
        bool globe = ARGUMENT(call, bool, 1)[row];
        char point[POINT];
        double place[2];
        if (wkb.length != POINT || (unsigned char)wkb.bytes[0] > 1) {
            not_a_point(call);
            continue;
        }
        if (wkb.bytes[0])
            memcpy(point, wkb.bytes, POINT);
        else
            turned(point, wkb.bytes);
        memcpy(place, point + 5, sizeof place);
        bool right = isfinite(place[0]) && isfinite(place[1]) && (!globe || (fabs(place[0]) <= 180 && fabs(place[1]) <= 90));
        if (!right || memcmp(point, opening, sizeof opening))
            not_a_point(call);
        else
            set_text(call, row, point, POINT);
    }
}

static void written_rows(native_call *call) {
    EACH_ROW(call, row) {
        text wkb = argument_text(call, 0, row), order = argument_text(call, 1, row);
        char point[POINT];
        bool named = order.length == 3 && (order.bytes[1] | 32) == 'd' && (order.bytes[2] | 32) == 'r';
        char first = named ? (char)(order.bytes[0] | 32) : 0;
        if (wkb.length != POINT || (first != 'n' && first != 'x')) {
            not_a_point(call);
            continue;
        }
        turned(point, wkb.bytes);
        set_text(call, row, first == 'n' ? wkb.bytes : point, POINT);
    }
}

const native_function wkb_functions[] = {
    {"spark_wkb_point", "xb>x", point_rows, NULL},
    {"spark_wkb_written", "xv>x", written_rows, NULL},
    {NULL}};
