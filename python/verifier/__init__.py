"""Clients of Model Verifier. They need the standard library alone."""
