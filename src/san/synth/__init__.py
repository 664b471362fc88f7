"""New handwritten expressions from written ones: for training, and drawn as real ink is.

Stands on the training ink alone. `Composer` (`san.synth.composer`) is what training asks for.
"""
