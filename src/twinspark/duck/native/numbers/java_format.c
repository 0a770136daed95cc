/* Doubles as java.util.Formatter prints them with %f and %e: the digits of Double.toString, rounded half up.
 *
 * SQL spelling: spark_format_fixed(d, places, grouped), spark_format_scientific(d, places), both of the magnitude and
 * without sign; the sign, zeros and width are the caller's. NaN and infinities are `NaN` and `Infinity`. */
#include "numbers/shortest.h"
#include "core/utf8.h"
#include <math.h>
#include <stdio.h>

enum { MOST_PLACES = 400 };

/* Rounds digits * 10^exponent half up to `keep` digits after the point; a carry may add a digit. */
static decimal_digits rounded(decimal_digits number, int keep) {
    int drop = -number.exponent - keep;
    if (drop <= 0)
        return number;
    if (drop > 19)
        return (decimal_digits){0, -keep};
    uint64_t up = 0;
    for (; drop > 0; drop--) {
        up = number.digits % 10;
        number.digits /= 10;
    }
    return (decimal_digits){number.digits + (up >= 5), -keep};
}

static int digit_count(uint64_t value) {
    int count = 1;
    while (value /= 10)
        count++;
    return count;
}

static size_t write_special(double value, char *into) { return (size_t)sprintf(into, isnan(value) ? "NaN" : "Infinity"); }

static size_t write_fixed(double value, int places, bool grouped, char *into) {
    if (!isfinite(value))
        return write_special(value, into);
    decimal_digits number = rounded(old_java_double(fabs(value)), places);
    char digits[800];
    int count = sprintf(digits, "%llu", (unsigned long long)number.digits), scale = -number.exponent;
    for (; scale < 0; scale++)
        digits[count++] = '0';
    char *at = into;
    int whole = count - scale;
    if (whole <= 0)
        *at++ = '0';
    for (int i = 0; i < whole; i++) {
        *at++ = digits[i];
        if (grouped && i < whole - 1 && (whole - 1 - i) % 3 == 0)
            *at++ = ',';
    }
    if (places)
        *at++ = '.';
    for (int i = 0; i < places; i++) {
        int place = whole + i;
        *at++ = place < 0 || place >= count ? '0' : digits[place];
    }
    return (size_t)(at - into);
}

static size_t write_scientific(double value, int places, char *into) {
    if (!isfinite(value))
        return write_special(value, into);
    decimal_digits number = old_java_double(fabs(value));
    int power = number.digits ? digit_count(number.digits) - 1 + number.exponent : 0;
    number = rounded((decimal_digits){number.digits, number.exponent - power}, places);
    char digits[64];
    int count = sprintf(digits, "%llu", (unsigned long long)number.digits);
    power += number.digits && count + number.exponent > 1; /* 9.99 became 10.0 */
    char *at = into;
    *at++ = digits[0];
    if (places)
        *at++ = '.';
    for (int i = 1; i <= places; i++)
        *at++ = i < count ? digits[i] : '0';
    return (size_t)(at - into) + (size_t)sprintf(at, "e%c%02d", power < 0 ? '-' : '+', power < 0 ? -power : power);
}

static void fixed_rows(native_call *call) {
    char into[1600];
    EACH_ROW(call, row) {
        int32_t places = ARGUMENT(call, int32_t, 1)[row];
        if (places < 0 || places > MOST_PLACES)
            fall_back(call, "FORMAT_STRING", "many digits after the decimal point");
        else
            set_text(call, row, into, write_fixed(ARGUMENT(call, double, 0)[row], places, ARGUMENT(call, bool, 2)[row], into));
    }
}

static void scientific_rows(native_call *call) {
    char into[800];
    EACH_ROW(call, row) {
        int32_t places = ARGUMENT(call, int32_t, 1)[row];
        if (places < 0 || places > MOST_PLACES)
            fall_back(call, "FORMAT_STRING", "many digits after the decimal point");
        else
            set_text(call, row, into, write_scientific(ARGUMENT(call, double, 0)[row], places, into));
    }
}

const native_function java_format_functions[] = {
    {"spark_format_fixed", "dib>v", fixed_rows, NULL},
    {"spark_format_scientific", "di>v", scientific_rows, NULL},
    {NULL}};
