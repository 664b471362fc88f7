"""Samples to train on that nobody wrote: composed from written symbols, varied, photographed.

`Mixture` (`san.synth.mixture`) is what training asks for, `SynthConfig` (`san.synth.config`) its
whole recipe; `Composer` (`san.synth.composer`) makes single expressions.
"""
