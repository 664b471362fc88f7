"""Corpora: files with labels, packed for training.

`corpus` reads what people have (CROHME, HME100K, one's own folder); `pack` makes one file of it
and loads that file. Nothing is imported here: a machine that trains needs `pack` alone, without the
libraries that open strangers' files.
"""
