-- +goose Up
-- How many agent messages an organisation had on its last day with one, in microseconds of the day's begin. What was asked is kept nowhere.
CREATE TABLE agent_use (
    org  TEXT NOT NULL PRIMARY KEY REFERENCES organisation (id),
    day  BIGINT NOT NULL,
    used BIGINT NOT NULL
);
