"""What large data is compared with, on one thread: pandas' C reader, and prediction with scikit-learn's network of
the same shape. Prints the seconds without the start of the interpreter.

Usage: pandas_sklearn.py read FILE.csv
       pandas_sklearn.py predict SMALL.csv FILE.csv OUTPUT.csv     (SMALL.csv: to make the network from)"""
import sys
import time
import warnings

import pandas as pd


def make_network(path):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    warnings.simplefilter("ignore", ConvergenceWarning)  # one pass: how good it is does not matter here
    data = pd.read_csv(path)
    network = MLPClassifier(hidden_layer_sizes=(128, 128), max_iter=1, random_state=1)
    return network.fit(data.iloc[:, 1:].to_numpy(), data.iloc[:, 0].to_numpy())


def predict(network, path, output):
    data = pd.read_csv(path)
    probabilities = network.predict_proba(data.iloc[:, 1:].to_numpy())
    table = pd.DataFrame(probabilities, columns=[f"p_{name}" for name in network.classes_])
    table.insert(0, "label", network.classes_[probabilities.argmax(1)])
    table.to_csv(output, index_label="row")


def main():
    if sys.argv[1] == "read":
        start = time.perf_counter()
        pd.read_csv(sys.argv[2])
    else:
        network = make_network(sys.argv[2])
        start = time.perf_counter()
        predict(network, *sys.argv[3:])
    print(f"{time.perf_counter() - start:.6f}")


if __name__ == "__main__":
    main()
