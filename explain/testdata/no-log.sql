-- A source that keeps no change log.
CREATE TABLE t(id BIGINT PRIMARY KEY, v INT) PROPERTIES ("binlog.enable" = "false");
CREATE MATERIALIZED VIEW w AS SELECT v, count(*) AS n FROM t GROUP BY v;
