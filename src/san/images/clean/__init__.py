"""Cleaning: any picture of handwritten mathematics -> the bitmap that the network knows."""
