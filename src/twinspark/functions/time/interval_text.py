"""SQL of the text of intervals: `INTERVAL '1 02:03:04.5' DAY TO SECOND`, `1 years 2 months 3 days 4.5 seconds`."""

from __future__ import annotations

from twinspark.types import DayTimeIntervalType, YearMonthIntervalType

UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
MICROS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)


def fraction(micros: str) -> str:
    """`.5` for 500000 microseconds, empty for zero."""
    digits = f"lpad(CAST({micros} AS VARCHAR), 6, '0')"
    return f"(CASE WHEN {micros} = 0 THEN '' ELSE '.' || rtrim({digits}, '0') END)"


def two_digits(sql: str) -> str:
    return f"(CASE WHEN {sql} < 10 THEN '0' ELSE '' END || CAST({sql} AS VARCHAR))"


def day_time_text(sql: str, type: DayTimeIntervalType) -> str:
    """The first field is not padded, the others have two digits."""
    start, end = type.startField, type.endField
    size = f"abs(CAST({sql} AS HUGEINT))"
    parts = []
    for unit in range(start, end + 1):
        rest = size if unit == start else f"({size} % {MICROS[unit - 1]})"
        amount = f"({rest} // {MICROS[unit]})"
        parts.append("" if unit == start else "' '" if unit == 1 else "':'")
        parts.append(f"CAST({amount} AS VARCHAR)" if unit == 0 else two_digits(amount))
    if end == 3:
        parts.append(fraction(f"({size} % 1000000)"))
    sign = f"CASE WHEN {sql} < 0 THEN '-' ELSE '' END"
    name = UNITS[start] if start == end else f"{UNITS[start]} TO {UNITS[end]}"
    return f"('INTERVAL ''' || {sign} || {' || '.join(filter(None, parts))} || ''' {name}')"


def year_month_text(sql: str, type: YearMonthIntervalType) -> str:
    size, sign = f"abs(CAST({sql} AS BIGINT))", f"CASE WHEN {sql} < 0 THEN '-' ELSE '' END"
    if type.startField == type.endField == 1:
        return f"('INTERVAL ''' || CAST({sql} AS VARCHAR) || ''' MONTH')"
    years = f"CAST({size} // 12 AS VARCHAR)"
    if type.startField == type.endField == 0:
        return f"('INTERVAL ''' || {sign} || {years} || ''' YEAR')"
    return f"('INTERVAL ''' || {sign} || {years} || '-' || CAST({size} % 12 AS VARCHAR) || ''' YEAR TO MONTH')"


def calendar_text(sql: str) -> str:
    """The units that are not zero, each with its sign (IntervalUtils.toMultiUnitsString)."""
    months, days, micros = (f"({sql}).{part}" for part in ("months", "days", "micros"))
    rest = f"({micros} % 60000000)"
    seconds = f"CASE WHEN {rest} < 0 THEN '-' ELSE '' END || CAST(abs({rest}) // 1000000 AS VARCHAR)"
    amounts = {
        "years": f"{months} // 12",
        "months": f"{months} % 12",
        "days": days,
        "hours": f"{micros} // 3600000000",
        "minutes": f"{micros} % 3600000000 // 60000000",
    }
    units = [
        f"CASE WHEN {amount} <> 0 THEN CAST({amount} AS VARCHAR) || ' {unit}' END" for unit, amount in amounts.items()
    ]
    units.append(f"CASE WHEN {rest} <> 0 THEN {seconds} || {fraction(f'(abs({rest}) % 1000000)')} || ' seconds' END")
    shown = f"concat_ws(' ', {', '.join(units)})"
    return f"(CASE WHEN {sql} IS NULL THEN NULL WHEN {shown} = '' THEN '0 seconds' ELSE {shown} END)"
