"""Samples that look as cleaned photographs do: paper, camera, wear, recombined photographs."""
