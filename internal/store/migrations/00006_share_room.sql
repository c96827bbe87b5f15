-- +goose Up
-- When a plan ends, in seconds since 1970; zero: when it is removed.
ALTER TABLE shared_plan ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX shared_plan_expires ON shared_plan (expires_at);

-- What the plans of an organisation take, counted as they come and go; under no name those of callers without a key.
CREATE TABLE share_room (
    org   TEXT NOT NULL PRIMARY KEY,
    bytes BIGINT NOT NULL
);
INSERT INTO share_room (org, bytes) SELECT org, SUM(LENGTH(request)) FROM shared_plan GROUP BY org;
