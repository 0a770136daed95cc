/* java.lang.StrictMath over columns: every row is computed, the ones without a value too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void strict_exp_rows(const double *x, double *out, size_t rows);
void strict_log_rows(const double *x, double *out, size_t rows);
void strict_log10_rows(const double *x, double *out, size_t rows);
void strict_expm1_rows(const double *x, double *out, size_t rows);
void strict_log1p_rows(const double *x, double *out, size_t rows);
void strict_atan_rows(const double *x, double *out, size_t rows);
void strict_cosh_rows(const double *x, double *out, size_t rows);
void strict_hypot_rows(const double *x, const double *y, double *out, size_t rows);
void strict_pow_rows(const double *x, const double *y, double *out, size_t rows);
