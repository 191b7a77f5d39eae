"""Results: from predictions to scores, and the JSON files that hold them."""
