"""AES and SHA against NIST's own test vectors (CAVP), as the package cryptography-vectors carries them."""

from collections.abc import Iterator
from importlib.resources import files

import duckdb
import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.read.sql_text import read_query_text

VECTORS = files("cryptography_vectors")
BLOCK = 32  # hexadecimal digits of a block
Vector = dict[str, str]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    made = connect()
    yield made
    made.close()


def vectors(*path: str) -> list[Vector]:
    """The paragraphs of NIST's file, each with the facts in brackets above it."""
    head: Vector = {}
    made: list[Vector] = []
    text = VECTORS.joinpath(*path).read_text()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            name, _, value = line.strip("[]").partition("=")
            head = {**(head if value else {}), name.strip(): value.strip()}
        elif line.startswith(("COUNT", "Count", "Len")):
            made.append({**head, "Len": line.partition("=")[2].strip()})
        elif line and not line.startswith("#") and made:
            name, _, value = line.partition("=")
            made[-1][name.strip()] = value.strip()
    assert made
    return made


def answers(connection: duckdb.DuckDBPyConnection, call: str, rows: list[tuple[str, ...]]) -> list[str | None]:
    """The call of Spark's function over rows of bytes, columns a, b, c ..., as hexadecimal digits."""
    columns = "abcdef"[: len(rows[0])]
    values = ", ".join("(" + ", ".join(f"X'{each}'" for each in row) + ")" for row in rows)
    sql = f"SELECT lower({call}) AS made FROM VALUES {values} AS t({', '.join(columns)})"
    plan = read_query_text(sql, Context()).plain()
    return stream_rows(plan, Context(), connection.cursor()).read_all()["made"].to_pylist()


def digests(kind: str, length: str) -> list[tuple[str, str]]:
    folder = "SHA1" if kind == "1" else "SHA2"
    found = vectors("hashes", folder, f"SHA{kind}{length}Msg.rsp")
    return [(each["Msg"] if each["Len"] != "0" else "", each["MD"]) for each in found]


@pytest.mark.parametrize("length", ["Short", "Long"])
@pytest.mark.parametrize("kind", ["1", "224", "256", "384", "512"])
def test_sha(connection: duckdb.DuckDBPyConnection, kind: str, length: str) -> None:
    messages, expected = zip(*digests(kind, length), strict=True)
    call = "sha1(a)" if kind == "1" else f"sha2(a, {kind})"
    assert answers(connection, call, [(each,) for each in messages]) == list(expected)


def padded_cases(mode: str, bits: int) -> list[Vector]:
    """Known answers and many blocks, for encryption and decryption."""
    return [
        each
        for kind in ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT")
        for each in vectors("ciphers", "AES", mode, f"{mode}{kind}{bits}.rsp")
    ]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_ecb(connection: duckdb.DuckDBPyConnection, bits: int) -> None:
    """Spark pads: NIST's blocks come first, one of padding after them."""
    cases = padded_cases("ECB", bits)
    rows = [(each["PLAINTEXT"], each["KEY"]) for each in cases]
    made = answers(connection, "hex(aes_encrypt(a, b, 'ECB'))", rows)
    assert [each[:-BLOCK] for each in made if each] == [each["CIPHERTEXT"] for each in cases]
    back = [(text or "", key) for text, (_, key) in zip(made, rows, strict=True)]
    assert answers(connection, "hex(aes_decrypt(a, b, 'ECB'))", back) == [row[0] for row in rows]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_cbc(connection: duckdb.DuckDBPyConnection, bits: int) -> None:
    """Spark writes the initial vector first."""
    cases = padded_cases("CBC", bits)
    rows = [(each["PLAINTEXT"], each["KEY"], each["IV"]) for each in cases]
    made = answers(connection, "hex(aes_encrypt(a, b, 'CBC', 'DEFAULT', c))", rows)
    assert [each[:-BLOCK] for each in made if each] == [each["IV"] + each["CIPHERTEXT"] for each in cases]
    back = [(text or "", key) for text, (_, key, _) in zip(made, rows, strict=True)]
    assert answers(connection, "hex(aes_decrypt(a, b, 'CBC'))", back) == [row[0] for row in rows]


def is_sparks(vector: Vector) -> bool:
    """Initial vectors of 96 bits and whole tags: what Spark writes."""
    return vector["IVlen"] == "96" and vector["Taglen"] == "128"


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_gcm_encryption(connection: duckdb.DuckDBPyConnection, bits: int) -> None:
    cases = [each for each in vectors("ciphers", "AES", "GCM", f"gcmEncryptExtIV{bits}.rsp") if is_sparks(each)]
    rows = [(each["PT"], each["Key"], each["IV"], each["AAD"]) for each in cases]
    made = answers(connection, "hex(aes_encrypt(a, b, 'GCM', 'DEFAULT', c, d))", rows)
    assert len(cases) == 375
    assert made == [each["IV"] + each["CT"] + each["Tag"] for each in cases]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_gcm_decryption_with_forged_tags(connection: duckdb.DuckDBPyConnection, bits: int) -> None:
    """try_aes_decrypt gives NULL where NIST says FAIL."""
    cases = [each for each in vectors("ciphers", "AES", "GCM", f"gcmDecrypt{bits}.rsp") if is_sparks(each)]
    rows = [(each["IV"] + each["CT"] + each["Tag"], each["Key"], each["AAD"]) for each in cases]
    made = answers(connection, "hex(try_aes_decrypt(a, b, 'GCM', 'DEFAULT', c))", rows)
    assert made == [None if "FAIL" in each else each["PT"] for each in cases]
    assert None in made
