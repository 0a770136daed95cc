-- The rows that functions are measured over: plain, everyday values, the same in every run.
CREATE TABLE measured AS
WITH drawn AS (
    SELECT id, hash(id) AS h0, (hash(id) % 1000003)::BIGINT AS h1, (hash(id + 7) % 100)::INTEGER + 1 AS h2,
           (hash(id, 3) % 1000000007) / 1000000007.0 AS h4
    FROM range(?) AS source(id)
)
SELECT
    h1::INTEGER AS i, h2 AS j, h1 * 1000 AS b, h2::BIGINT * 17 AS k, (h4::DOUBLE - 0.5) * 1e6 AS d,
    (h4::DOUBLE - 0.5) * 10 AS s, h4::DOUBLE AS u, (h4 * 1000000)::DECIMAL(15,2) AS p,
    (h4 * 10000 + 1)::DECIMAL(15,2) AS q, (h2 / 100.0)::DECIMAL(15,2) AS r, (h4 * 1e9)::DECIMAL(38,6) AS w,
    h1::VARCHAR AS n, round(h4::DOUBLE * 1e6, 3)::VARCHAR AS f,
    (TIMESTAMP '2000-01-01' + to_seconds(h1 * 700))::TIMESTAMP_S::VARCHAR AS t,
    (DATE '2000-01-01' + (h1 % 9000)::INTEGER)::VARCHAR AS y,
    if(h2 > 50, 'true', 'no') AS yes,
    ['lorem ipsum dolor ' || h2, 'sit amet  consectetur', 'adipiscing elit ' || h1, 'sed do eiusmod'][1 + h2 % 4] AS c,
    'lorem ' || h2 AS h, 'a,b;' || h2 || ',c,' || h1 AS e, 'https://example.org/path/' || h1 || '?q=' || h2 AS link,
    encode('bytes ' || h1) AS x, h2 > 30 AS bo,
    DATE '2000-01-01' + (h1 % 9000)::INTEGER AS o, if(h2 > 50, DATE '2010-01-01' + h2, NULL) AS o2,
    make_timestamptz(946684800000000 + h1 * 700123456) AS z, make_timestamp(946684800000000 + h1 * 700123456) AS l,
    [h2, 5, h2 % 7, 9, h2 + 3, h2 % 3, 12, 5] AS a, [5, h2 % 7, 44] AS a2, ['x' || h2, 'y', 'z'] AS texts,
    ['k1', 'k2'] AS keys, [1, h2] AS a3, MAP {'k1': h2, 'k2': 7, 'k3': 9} AS m, {'a': h2, 'b': 'text'} AS st,
    '{"name":"n' || h2 || '","age":' || h2 || ',"at":{"x":' || h1 || ',"y":[1,2,3]},"tags":["a","b"]}' AS g
FROM drawn
