"""What moved between two results, two versions of an engine, or two robot files: data first, then text."""
