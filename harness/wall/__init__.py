"""The import wall: small models with a known trap each, through every engine's importer."""
