"""An authority of its own for one test, and what it signed: the server's certificate and a client's."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificates:
    authority: Path
    server: Path  # key and certificate in one file
    client: Path


def make_certificates(directory: Path) -> Certificates:
    authority = directory / "authority.pem"
    openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=twinspark test authority"),
        *("-keyout", directory / "authority.key", "-out", authority),
    )
    return Certificates(authority, signed(directory, "server"), signed(directory, "client"))


def signed(directory: Path, name: str) -> Path:
    key, request, certificate, both = (directory / f"{name}.{end}" for end in ("key", "csr", "crt", "pem"))
    names = directory / f"{name}.ext"
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(
        *("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request),
    )
    openssl(
        *("x509", "-req", "-in", request, "-CA", directory / "authority.pem", "-CAkey", directory / "authority.key"),
        *("-CAcreateserial", "-days", "2", "-extfile", names, "-out", certificate),
    )
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
