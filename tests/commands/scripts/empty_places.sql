SELECT * FROM parquet.``;
SELECT * FROM csv.``;
SELECT a FROM json.`` WHERE a = 1;
