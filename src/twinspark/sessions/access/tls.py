"""TLS contexts for a listening server, with client certificates where the operator requires them."""

import ssl
from dataclasses import dataclass


@dataclass(frozen=True)
class Tls:
    """PEM files: the certificate (with its chain), its key if not in the same file, and the CA of client
    certificates."""

    certificate: str
    key: str | None = None
    client_ca: str | None = None

    def context(self, protocols: tuple[str, ...] = ()) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.certificate, self.key)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        if self.client_ca is not None:
            context.load_verify_locations(self.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        return context
