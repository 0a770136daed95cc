/* java.lang.StrictMath, bit for bit. */
#pragma once
double strict_exp(double);
double strict_expm1(double);
double strict_log(double);
double strict_log10(double);
double strict_log1p(double);
double strict_pow(double, double);
double strict_atan(double);
double strict_atan2(double, double);
double strict_asin(double);
double strict_acos(double);
double strict_sinh(double);
double strict_cosh(double);
double strict_tanh(double);
double strict_cbrt(double);
double strict_hypot(double, double);
