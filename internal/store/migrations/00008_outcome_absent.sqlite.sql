-- +goose Up
-- A figure that was left out is null. Before, it was kept as zero, and nothing told the two apart: what is zero there becomes unknown.
CREATE TABLE outcome_absent (
    org         TEXT NOT NULL REFERENCES organisation (id),
    fingerprint TEXT NOT NULL,
    digest      BYTEA NOT NULL,
    at          BIGINT NOT NULL,
    metric      TEXT NOT NULL,
    value       DOUBLE PRECISION NOT NULL,
    epochs      BIGINT,
    wall_sec    DOUBLE PRECISION,
    cost_usd    DOUBLE PRECISION,
    source      TEXT NOT NULL,
    PRIMARY KEY (org, fingerprint, digest)
);
INSERT INTO outcome_absent (org, fingerprint, digest, at, metric, value, epochs, wall_sec, cost_usd, source)
    SELECT org, fingerprint, digest, at, metric, value, NULLIF(epochs, 0), NULLIF(wall_sec, 0), NULLIF(cost_usd, 0), source FROM outcome;
DROP TABLE outcome;
ALTER TABLE outcome_absent RENAME TO outcome;
CREATE INDEX outcome_newest ON outcome (org, fingerprint, at);
