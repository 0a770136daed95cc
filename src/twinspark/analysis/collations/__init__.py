"""String collations in analysis: which collation applies, and calls over strings with a collation."""
