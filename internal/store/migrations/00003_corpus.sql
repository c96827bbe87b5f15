-- +goose Up
-- A line is a row and how often it came on a day. No order and no time finer than a day can be read from it.
CREATE TABLE corpus_line (
    day         BIGINT NOT NULL,
    digest      BYTEA NOT NULL,
    fingerprint TEXT NOT NULL,
    edges       BIGINT NOT NULL,
    types       TEXT NOT NULL,
    fired       TEXT NOT NULL,
    calls       BIGINT NOT NULL,
    PRIMARY KEY (day, digest)
);

-- What the report says, counted as lines are written: reading it does not read the lines.
CREATE TABLE corpus_group (
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    severity   TEXT NOT NULL,
    amount     BIGINT NOT NULL,
    structures BIGINT NOT NULL,
    PRIMARY KEY (kind, name, severity)
);

-- The structures of a group: of the total all, of others as many as it takes for the group to be shown.
CREATE TABLE corpus_member (
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    severity    TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (kind, name, severity, fingerprint)
);
