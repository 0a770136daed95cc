"""Reasons for falling back: JSON, CSV, XML, variants and geometries, in functions and in files."""

from twinspark.errors.reasons.reason import Reason

CSV_DIALECT = Reason("CSV_DIALECT", "The native engine does not read CSV with these options or in this form.")
CSV_VALUE = Reason("CSV_VALUE", "A CSV value or record is in a form that only Spark reads.")
GEOMETRY = Reason("GEOMETRY", "The native engine does not support this use of geometries.")
JSON_VALUE = Reason("JSON_VALUE", "A JSON document is in a form that only Spark reads or writes.")
SCHEMA_INFERENCE = Reason("SCHEMA_INFERENCE", "Only Spark infers the schema of this document.", "Declare the schema.")
VARIANT_PATH = Reason("VARIANT_PATH", "The native engine does not support this path into a variant.")
VARIANT_VALUE = Reason("VARIANT_VALUE", "A variant contains a value that only Spark reads or writes.")
XML_VALUE = Reason("XML_VALUE", "An XML document is in a form that only Spark reads or writes.")
XPATH = Reason("XPATH", "The native engine supports only plain paths of element names over plain XML documents.")
