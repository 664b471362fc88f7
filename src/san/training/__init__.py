"""Training: configuration, samples, batches, the captured step, the loop, and state on disk."""
