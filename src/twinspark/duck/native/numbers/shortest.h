/* Decimal digits of doubles and floats as Java prints them, which Double.toString, round and casts to decimals use. */
#pragma once
#include "core/native.h"

/* value = digits * 10^exponent, without trailing zeros (0 is 0 * 10^0). */
typedef struct { uint64_t digits; int exponent; } decimal_digits;

/* The digits that Spark's Java prints; magnitudes are finite and not negative. From Java 19 on they are the shortest
 * that read back as the same number, before they were sometimes one more (spark_java says which; 17 until it is called). */
decimal_digits java_double_digits(double magnitude);
decimal_digits java_float_digits(float magnitude);
decimal_digits old_java_double(double magnitude);
decimal_digits old_java_float(float magnitude);

enum { JAVA_NUMBER_SIZE = 32 };
/* Java's text of a number, "1.0E10", "-0.0", "NaN"; returns its length. */
int java_double_text(double value, char *into);
int java_float_text(float value, char *into);
