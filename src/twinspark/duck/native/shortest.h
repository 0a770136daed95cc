/* The shortest decimal that reads back as the same double or float: what Java's Double.toString and Spark's casts build on. */
#pragma once
#include "native.h"

/* value = digits * 10^exponent, without trailing zeros (0 is 0 * 10^0). */
typedef struct { uint64_t digits; int exponent; } decimal_digits;

decimal_digits shortest_double(double magnitude); /* finite, not negative */
decimal_digits shortest_float(float magnitude);

enum { JAVA_NUMBER_SIZE = 32 };
/* Java's text of a number, "1.0E10", "-0.0", "NaN"; returns its length. */
int java_double_text(double value, char *into);
int java_float_text(float value, char *into);
