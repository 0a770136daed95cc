"""String functions: characters, regular expressions, formats, collations, URLs, hashes, encryption."""
