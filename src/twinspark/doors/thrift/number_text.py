"""Formats decimals and floating point numbers as Java does, a whole column at a time."""

import pyarrow as pa
import pyarrow.compute as pc

PARTS = r"^(?P<sign>-?)(?P<whole>\d+)(?:\.(?P<fraction>\d+))?(?:e(?P<exponent>[-+]?\d+))?$"
SMALLEST_PLAIN, SMALLEST_SCIENTIFIC = 1e-3, 1e7  # Double.toString: plain from the first, scientific from the second


def decimal_text(array: pa.Array) -> pa.Array:
    """BigDecimal.toPlainString. Arrow writes an exponent for small values, so those columns are formatted by their
    digits."""
    texts = pc.cast(array, pa.string())
    if not pc.any(pc.match_substring(texts, "E")).as_py():
        return texts
    scale = array.type.scale
    whole = pa.Array.from_buffers(pa.decimal128(38, 0), len(array), array.buffers(), offset=array.offset)
    digits = pc.cast(whole, pa.string())
    negative = pc.starts_with(digits, "-")
    padded = pc.utf8_lpad(pc.utf8_ltrim(digits, "-"), scale + 1, "0")
    before, after = pc.utf8_slice_codeunits(padded, 0, -scale), pc.utf8_slice_codeunits(padded, -scale, None)
    return pc.binary_join_element_wise(pc.if_else(negative, "-", ""), before, ".", after, "")


def java_double_text(array: pa.Array) -> pa.Array:
    """Double.toString and Float.toString: shortest digits, at least `.0`, an exponent outside 10^-3 to 10^7."""
    texts = pc.cast(array, pa.string())
    parts = pc.extract_regex(texts, PARTS)
    size = pc.abs(array)
    plain = pc.or_(
        pc.equal(size, 0), pc.and_(pc.greater_equal(size, SMALLEST_PLAIN), pc.less(size, SMALLEST_SCIENTIFIC))
    )
    finite = smallest(array, pc.if_else(plain, with_fraction(parts), scientific(parts)))
    return pc.if_else(pc.is_finite(array), finite, special(array))


def group(parts: pa.Array, name: str) -> pa.Array:
    return pc.fill_null(pc.struct_field(parts, name), "")


def with_fraction(parts: pa.Array) -> pa.Array:
    fraction = group(parts, "fraction")
    shown = pc.if_else(pc.equal(fraction, ""), "0", fraction)
    return pc.binary_join_element_wise(group(parts, "sign"), group(parts, "whole"), ".", shown, "")


def scientific(parts: pa.Array) -> pa.Array:
    whole, fraction = group(parts, "whole"), group(parts, "fraction")
    digits = pc.binary_join_element_wise(whole, fraction, "")
    leading = pc.utf8_ltrim(digits, "0")
    zeros = pc.subtract(pc.utf8_length(digits), pc.utf8_length(leading))
    written = pc.replace_substring(group(parts, "exponent"), "+", "")
    exponent = pc.cast(pc.if_else(pc.equal(written, ""), "0", written), pa.int32())
    power = pc.add(pc.subtract(pc.subtract(pc.utf8_length(whole), 1), zeros), exponent)
    significant = pc.utf8_rtrim(leading, "0")
    rest = pc.utf8_slice_codeunits(significant, 1, None)
    shown = pc.if_else(pc.equal(rest, ""), "0", rest)
    first = pc.utf8_slice_codeunits(significant, 0, 1)
    return pc.binary_join_element_wise(group(parts, "sign"), first, ".", shown, "E", pc.cast(power, pa.string()), "")


def smallest(array: pa.Array, texts: pa.Array) -> pa.Array:
    """Java prints at least two digits, also where one suffices: 4.9E-324 instead of 5E-324."""
    limit = 1e-43 if pa.types.is_float32(array.type) else 1e-322
    rare = pc.and_(pc.less(pc.abs(array), limit), pc.match_substring_regex(texts, r"^-?\d\.0E"))
    if not pc.any(rare).as_py():
        return texts
    values = zip(array.to_pylist(), texts.to_pylist(), rare.to_pylist(), strict=True)
    return pa.array([f"{value:.1E}" if is_rare else text for value, text, is_rare in values], pa.string())


def special(array: pa.Array) -> pa.Array:
    infinite = pc.if_else(pc.greater(array, 0), "Infinity", "-Infinity")
    return pc.if_else(pc.is_nan(array), "NaN", infinite)
