"""Reading many pictures with Ray Data, on one machine or on a cluster: `pip install '.[ray]'`."""

from san.bulk.dataset import read_dataset

__all__ = ["read_dataset"]
