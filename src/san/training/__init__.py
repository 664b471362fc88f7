"""Training: configuration, buckets, schedule, optimisers, the loop, and its state on disk."""
