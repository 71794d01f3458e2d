"""Olio as a Django site."""
