"""Apache Iceberg tables: PyIceberg writes the metadata, the engines read and write the data files."""
