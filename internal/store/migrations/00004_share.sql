-- +goose Up
-- org is empty where the caller had no key; removal is the digest of that caller's secret.
CREATE TABLE shared_plan (
    id         TEXT PRIMARY KEY,
    org        TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    request    BYTEA NOT NULL,
    removal    BYTEA NOT NULL
);
CREATE INDEX shared_plan_org ON shared_plan (org, created_at);
