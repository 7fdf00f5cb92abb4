"""From records to one HTML page and a Markdown summary: summarise, then plot, then render. `write` does all three."""
