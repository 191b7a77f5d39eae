"""What only readers of the papers need: the analyses of section 5, their report, and the reproduction of tables."""
