"""aes_encrypt and aes_decrypt: AES in C, with a random initialization vector if none is given."""

from __future__ import annotations

from twinspark.functions.notation.registry import fn

DECRYPTED = "binary, binary, string = 'GCM', string = 'DEFAULT', binary = ''"
fn(f"aes_encrypt({DECRYPTED}, binary = '') -> binary?", "spark_aes_encrypt({args})", shows_defaults=True)
fn(f"aes_decrypt({DECRYPTED}) -> binary?", "spark_aes_decrypt({args})", shows_defaults=True)
fn(f"try_aes_decrypt({DECRYPTED}) -> binary?", "spark_try_aes_decrypt({args})", shows_defaults=True)
