-- +goose Up
-- Times are seconds since 1970, zero where there is none. BYTEA is PostgreSQL's word for bytes; SQLite keeps bytes in a
-- column of any type.

CREATE TABLE organisation (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE person (
    id         TEXT PRIMARY KEY,
    email      TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    password   TEXT NOT NULL,
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX person_subject ON person (issuer, subject) WHERE issuer <> '';

CREATE TABLE membership (
    org        TEXT NOT NULL REFERENCES organisation (id),
    person     TEXT NOT NULL REFERENCES person (id),
    role       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (org, person)
);
CREATE INDEX membership_person ON membership (person);

CREATE TABLE session (
    hash       BYTEA PRIMARY KEY,
    person     TEXT NOT NULL REFERENCES person (id),
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX session_person ON session (person);
CREATE INDEX session_expires ON session (expires_at);

CREATE TABLE token (
    hash       BYTEA PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    org        TEXT NOT NULL,
    person     TEXT NOT NULL,
    email      TEXT NOT NULL,
    role       TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX token_org ON token (org, kind);
CREATE INDEX token_person ON token (person, kind);

CREATE TABLE api_key (
    id         TEXT PRIMARY KEY,
    org        TEXT NOT NULL REFERENCES organisation (id),
    name       TEXT NOT NULL,
    hash       BYTEA NOT NULL UNIQUE,
    prefix     TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used  BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL
);
CREATE INDEX api_key_org ON api_key (org);

CREATE TABLE event (
    id     TEXT PRIMARY KEY,
    at     BIGINT NOT NULL,
    org    TEXT NOT NULL,
    person TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL
);
CREATE INDEX event_org ON event (org, at);
CREATE INDEX event_person ON event (person, at);
