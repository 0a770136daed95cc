/* Lower-case mapping of the collation UTF8_LCASE. */
#pragma once
#include "core/utf8.h"

/* The capital I with a dot becomes two characters, an i and a dot above; both in one number, as Spark has them. */
enum { CAPITAL_I_WITH_DOT = 0x130, SMALL_I = 'i', DOT_ABOVE = 0x307, SMALL_I_AND_DOT = 'i' << 16 | 0x307 };

uint32_t small_letter(uint32_t c);
