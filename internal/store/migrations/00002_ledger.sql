-- +goose Up
CREATE TABLE outcome (
    org         TEXT NOT NULL REFERENCES organisation (id),
    fingerprint TEXT NOT NULL,
    digest      BYTEA NOT NULL,
    at          BIGINT NOT NULL,
    metric      TEXT NOT NULL,
    value       DOUBLE PRECISION NOT NULL,
    epochs      BIGINT NOT NULL,
    wall_sec    DOUBLE PRECISION NOT NULL,
    cost_usd    DOUBLE PRECISION NOT NULL,
    source      TEXT NOT NULL,
    PRIMARY KEY (org, fingerprint, digest)
);
CREATE INDEX outcome_newest ON outcome (org, fingerprint, at);
