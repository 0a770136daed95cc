"""Statements about databases and catalogs, SHOW and DESCRIBE."""
