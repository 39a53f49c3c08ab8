"""Writes orders.csv and new_orders.csv as a spreadsheet of an invented shop would: semicolons, decimal commas, dates, umlauts,
an order number, missing cells, a rare class. Usage: orders.py"""
import datetime
import pathlib
import random

TOWNS = ["München", "Köln", "Düsseldorf", "Würzburg"]
PAYMENTS = ["Rechnung", "Karte", "Lastschrift"]


def german(number):
    """1234.5 as 1.234,50"""
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def order(draw):
    day = datetime.date(2025, 1, 1) + datetime.timedelta(days=draw.randrange(365))
    amount = round(draw.lognormvariate(4.5, 1.2), 2)
    payment = draw.choice(PAYMENTS)
    discount = draw.choice([0, 0, 5, 10, 20])
    age = draw.randint(18, 85)
    risk = 0.004 * amount + (1.5 if payment == "Rechnung" else 0) + (0.8 if day.month in (11, 12) else 0) - 0.02 * age
    outcome = "zurück" if risk + draw.gauss(0, 0.5) > 1.1 else "behalten"
    if payment == "Lastschrift" and amount > 200 and draw.random() < 0.5:
        outcome = "geplatzt"  # the rare class
    return [day.strftime("%d.%m.%Y"), draw.choice(TOWNS), payment, german(amount), f"{discount} %", age, outcome]


def write(path, header, rows):
    with open(path, "w", encoding="utf-8-sig", newline="") as file:  # as spreadsheets save "CSV UTF-8"
        for row in [header, *rows]:
            file.write(";".join(map(str, row)) + "\r\n")


def main():
    draw = random.Random(3)
    folder = pathlib.Path(__file__).parent
    header = ["Bestellnummer", "Datum", "Ort", "Zahlung", "Betrag", "Rabatt", "Alter", "Ergebnis"]
    rows = [[f"B-{100000 + 37 * i}", *order(draw)] for i in range(400)]
    for row in draw.sample(rows, 60):  # cells that are not known
        row[draw.choice([2, 5, 6])] = ""
    for row in draw.sample(rows, 3):
        row[6] = "unbekannt"
    write(folder / "orders.csv", header, rows)
    new = [[f"B-{200000 + 37 * i}", *order(draw)[:-1]] for i in range(6)]
    new[1][6] = ""
    new[3][2] = "Wien"  # a town that no order came from
    write(folder / "new_orders.csv", header[:-1], new)


if __name__ == "__main__":
    main()
