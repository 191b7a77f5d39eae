"""Compare models: tests, intervals, power, curves and charts, and what all pages share."""
