"""A certificate for this machine, made for one test."""

import ssl
import subprocess
from pathlib import Path


def make_certificate(directory: Path) -> Path:
    """Key and certificate in one PEM file."""
    key, certificate, both = (directory / name for name in ("key.pem", "certificate.pem", "both.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both


def serving(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
