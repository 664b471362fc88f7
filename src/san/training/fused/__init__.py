"""The network's training step in few, large kernels (Triton). Each part has its plain twin in
`san.nn`, and tests hold the two together."""
