"""What generation and scoring share of running models: finding and loading them, batches, packed layers."""
