-- +goose Up
-- Times are milliseconds since 1970. granted is what the last call got: the statement that counts returns it.
CREATE TABLE rate_window (
    bucket  TEXT NOT NULL PRIMARY KEY,
    began   BIGINT NOT NULL,
    ends    BIGINT NOT NULL,
    used    BIGINT NOT NULL,
    granted BIGINT NOT NULL
);
CREATE INDEX rate_window_ends ON rate_window (ends);

CREATE TABLE rate_secret (
    id    TEXT PRIMARY KEY,
    value BYTEA NOT NULL
);
