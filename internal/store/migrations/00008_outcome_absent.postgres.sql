-- +goose Up
-- A figure that was left out is null. Before, it was kept as zero, and nothing told the two apart: what is zero there becomes unknown.
ALTER TABLE outcome ALTER COLUMN epochs DROP NOT NULL, ALTER COLUMN wall_sec DROP NOT NULL, ALTER COLUMN cost_usd DROP NOT NULL;
UPDATE outcome SET epochs = NULLIF(epochs, 0), wall_sec = NULLIF(wall_sec, 0), cost_usd = NULLIF(cost_usd, 0);
