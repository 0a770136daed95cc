"""Names of time zones that only Java knows: the short ids of java.time.ZoneId.SHORT_IDS, which Spark accepts, and the
zones of System V."""

import re

SHORT_ZONES = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
    "EST": "-05:00", "MST": "-07:00", "HST": "-10:00",
}  # fmt: skip
# Zones of Java's own data, with rules that no tz release has: they are valid, and fall back.
SYSTEM_V = re.compile(r"SystemV/(AST4(ADT)?|EST5(EDT)?|CST6(CDT)?|MST7(MDT)?|PST8(PDT)?|YST9(YDT)?|HST10)")


def region_of(zone: str) -> str:
    """The region or offset that a short id stands for; every other name is itself."""
    return SHORT_ZONES.get(zone, zone)
