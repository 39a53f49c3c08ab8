"""Writes customers.csv and prospects.csv: invented customers of an invented company. Usage: customers.py"""
import pathlib
import random


def customer(draw):
    age = draw.randint(18, 80)
    contract = draw.choice(["monthly", "monthly", "yearly"])
    town = draw.choice(["Aachen", "Berlin", "Celle", "Dresden"])
    calls = draw.randint(0, 9)
    bill = round(draw.gauss(40, 12), 2)
    leaving = 0.45 * calls + 0.05 * (bill - 40) - (2.0 if contract == "yearly" else 0) - 0.02 * (age - 45)
    churned = "yes" if leaving + draw.gauss(0, 0.8) > 1.2 else "no"
    return [age, contract, town, calls, bill, churned]


def write(path, rows, columns):
    with open(path, "w") as file:
        for row in [columns, *rows]:
            file.write(",".join(map(str, row)) + "\n")


def main():
    draw = random.Random(5)
    folder = pathlib.Path(__file__).parent
    columns = ["age", "contract", "town", "calls", "bill", "churned"]
    rows = [customer(draw) for _ in range(500)]
    for i in draw.sample(range(500), 12):  # some cells are not known
        rows[i][draw.choice([0, 2, 4])] = draw.choice(["", "?", "NA"])
    write(folder / "customers.csv", rows, columns)
    # New ones, their columns in another order, without the answer; the last one is far from all others.
    new = [customer(draw) for _ in range(7)] + [[79, "yearly", "Celle", 9, 400.0, ""]]
    write(folder / "prospects.csv", [[r[4], r[3], r[0], r[2], r[1]] for r in new],
          ["bill", "calls", "age", "town", "contract"])


if __name__ == "__main__":
    main()
