"""packaging."""
