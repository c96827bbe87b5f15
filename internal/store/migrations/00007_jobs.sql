-- +goose Up
-- Times and durations are microseconds, money is micro-dollars. The lease of a job that has ended is its last.
CREATE TABLE job (
    id               TEXT NOT NULL PRIMARY KEY,
    org              TEXT NOT NULL REFERENCES organisation (id),
    status           TEXT NOT NULL,
    mode             TEXT NOT NULL,
    backend          TEXT NOT NULL,
    dataset          TEXT NOT NULL,
    gpu              TEXT NOT NULL,
    epochs           BIGINT NOT NULL,
    batch_size       BIGINT NOT NULL,
    lr               DOUBLE PRECISION NOT NULL,
    optimizer        TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    repo             TEXT NOT NULL,
    pr               BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    started_at       BIGINT NOT NULL,
    completed_at     BIGINT NOT NULL,
    attempts         BIGINT NOT NULL,
    lease            TEXT NOT NULL,
    lease_worker     TEXT NOT NULL,
    lease_since      BIGINT NOT NULL,
    lease_until      BIGINT NOT NULL,
    cancel           BIGINT NOT NULL,
    runtime          BIGINT NOT NULL,
    used             BIGINT NOT NULL,
    reserved         BIGINT NOT NULL,
    cost             BIGINT NOT NULL,
    reason           TEXT NOT NULL,
    ledger           TEXT NOT NULL,
    reference        TEXT NOT NULL,
    checkpoint       TEXT NOT NULL,
    checkpoint_sha   TEXT NOT NULL,
    checkpoint_bytes BIGINT NOT NULL,
    checkpoint_epoch BIGINT NOT NULL,
    weights          TEXT NOT NULL,
    weights_sha      TEXT NOT NULL,
    weights_bytes    BIGINT NOT NULL,
    trained          BIGINT NOT NULL,
    untrained        TEXT NOT NULL,
    format           TEXT NOT NULL
);
CREATE INDEX job_newest ON job (org, created_at, id);
CREATE INDEX job_waiting ON job (status, gpu, dataset, created_at, id);
CREATE INDEX job_owner ON job (org, status);
CREATE INDEX job_worker ON job (lease_worker, status);
CREATE INDEX job_structure ON job (org, fingerprint, status, completed_at);

CREATE TABLE job_model (
    job   TEXT NOT NULL PRIMARY KEY REFERENCES job (id),
    graph BYTEA NOT NULL
);

CREATE TABLE job_epoch (
    job        TEXT NOT NULL REFERENCES job (id),
    epoch      BIGINT NOT NULL,
    train_loss DOUBLE PRECISION NOT NULL,
    val_loss   DOUBLE PRECISION NOT NULL,
    val_acc    DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (job, epoch)
);

-- What the operator set; organisations without a row have the defaults of the program.
CREATE TABLE job_limits (
    org             TEXT NOT NULL PRIMARY KEY REFERENCES organisation (id),
    big_gpu         BIGINT NOT NULL,
    in_flight       BIGINT NOT NULL,
    jobs_per_day    BIGINT NOT NULL,
    dollars_per_day BIGINT NOT NULL,
    runtime         BIGINT NOT NULL,
    agent_messages  BIGINT NOT NULL
);

-- offer is JSON. A worker for one job names it; the others have names of their own.
CREATE TABLE worker (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    hash       BYTEA NOT NULL UNIQUE,
    backend    TEXT NOT NULL,
    job        TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    offer      TEXT NOT NULL
);
CREATE UNIQUE INDEX worker_name ON worker (name) WHERE job = '';
CREATE INDEX worker_job ON worker (job);
