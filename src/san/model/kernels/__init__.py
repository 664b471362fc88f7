"""The network's training step in few, large kernels (Triton). Each part has its plain twin in
`san.model.torch`, and tests hold the two together."""
