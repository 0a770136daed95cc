"""Queries about what is hard to send: moments around clock changes and far years, widest decimals, nulls inside."""

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "+05:30"]
# Far years, the day the Gregorian calendar began, local mean times, hours skipped and hours that happened twice,
# and summers after 2037, where many a zone file ends.
INSTANTS = [
    "0001-01-02 00:00:00Z", "1582-10-04 12:00:00Z", "1582-10-15 00:00:00Z", "1883-11-18 19:00:00Z",
    "1969-12-31 23:59:59.999999Z", "2020-03-08 06:59:59Z", "2020-03-08 07:00:00Z", "2020-03-29 00:59:59Z",
    "2020-03-29 01:00:00Z", "2020-10-24 23:59:59Z", "2020-10-25 00:30:00Z", "2020-10-25 01:30:00Z",
    "2020-10-25 02:00:00Z", "2020-11-01 05:30:00Z", "2020-11-01 06:30:00Z", "2011-12-29 12:00:00Z",
    "2021-07-01 12:00:00.5Z", "2038-07-01 12:00:00Z", "2050-01-15 00:00:00Z", "2100-07-15 00:00:00Z",
    "9999-07-01 00:00:00Z", "9999-12-30 00:00:00Z",
]  # fmt: skip
ROWS = ", ".join(f"('{text}')" for text in INSTANTS)
MOMENTS = f"select cast(t as timestamp) t from values {ROWS} v(t)"
NINES, ZEROS = "9" * 38, "0" * 37
DECIMALS = f"""select cast(w as decimal(38,0)) w, cast(f as decimal(38,38)) f, cast(m as decimal(38,19)) m from values
 ('{NINES}', '0.{NINES}', '{NINES[:19]}.{NINES[:19]}'), ('-{NINES}', '-0.{NINES}', '-{NINES[:19]}.{NINES[:19]}'),
 ('1E+5', '1E-38', '-1.5E3'), ('0', '0', '0'), ('-1', '-0.{ZEROS}1', '0.{ZEROS[:18]}1'), (null, null, null)
 v(w, f, m)"""
NESTED_NULLS = """select array(cast(null as int)) a, array(array(1, null), null, array()) b,
 array(named_struct('x', cast(null as string), 'y', 1), null) c,
 map('k', cast(null as array<int>), 'l', array(null, 2)) d,
 named_struct('p', cast(null as struct<q: int>), 'r', array(cast(null as date))) e
 union all select null, null, null, null, null"""
