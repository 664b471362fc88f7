"""Files of labels and of predictions, as scoring takes them.

Design choices
- Every expression of the labels counts. A line of theirs that cannot be used would change what a
  rate is measured against, so it is an error and not a skip.
- A prediction that cannot be used only makes its own expression wrong: it is passed over and named.
  A file of none at all is another file than was meant, and an error; so are two for one id, since
  either could be meant.
- Ids are taken whole; `paired` then finds the label that a prediction for a file's stem means.
"""

from collections.abc import Mapping
from pathlib import Path

from san.data.ids import match
from san.data.labels import Labels, demand_some, parse_labels
from san.data.sample import DataError, Fault
from san.files import read_file


def load_truths(path: Path) -> Labels:
    """Labels to measure by: at least one, and every line of them sound."""
    return demand_all(demand_some(parse_labels(read_file(path), path.name, str.strip)))


def load_predictions(path: Path) -> Labels:
    """Predictions: at least one; `skipped` names the lines that are none."""
    found = parse_labels(read_file(path), path.name, str.strip)
    return demand_all(demand_some(found, "predictions"), Fault.TWICE)


def demand_all(labels: Labels, *faults: Fault) -> Labels:
    """The same labels, unless lines of them were skipped (for one of these faults)."""
    for skip in labels.skipped:
        if not faults or skip.fault in faults:
            raise DataError(f"{skip}; put it right, for every line counts")
    return labels


def paired(predictions: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    """The predictions by the ids of the labels that they are for; others keep their own."""
    meant = match(predictions.keys(), labels.keys())
    return {meant.get(name, name): latex for name, latex in predictions.items()}
