"""Apache Iceberg tables: PyIceberg keeps the metadata, the engines write and read the data."""
