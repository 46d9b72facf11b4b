"""The rows of the seed ERP, the same on every machine: a company's years 2022 to 2024. Not its schema: see schema.py.

What the books say (the figures that the user's documents name):
- three receivables are outstanding: INV-001, INV-002 and INV-003, 29,500,000.00 together; every other one is paid;
- January 2023 has 456 sales, 125,000,000.50 together, as orders, as invoices and in sales_orders;
- every order is delivered, invoiced and booked; balances follow from the documents.
All money is a multiple of 0.5, so that sums are exact in SQLite's floating point too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from random import Random
from typing import TypeVar

from servers.common.erp.schema import METADATA

Row = dict[str, object]
T = TypeVar("T")

MONTHS = [date(year, month, 1) for year in (2022, 2023, 2024) for month in range(1, 13)]
FESTIVE = date(2023, 1, 1)
FESTIVE_SALES = 456
FESTIVE_TOTAL = Decimal("125000000.50")
BOOKS_CLOSED = date(2025, 1, 31)

COUNTRIES = [("ID", "Indonesia"), ("SG", "Singapura"), ("CN", "Tiongkok"), ("JP", "Jepang"), ("MY", "Malaysia")]
CURRENCIES = [("IDR", "Rupiah", "Rp"), ("USD", "Dolar Amerika", "$"), ("SGD", "Dolar Singapura", "S$")]
RATES = {"USD": 15000, "SGD": 11000}
CITIES = [
    ("JKT", "Jakarta", "DKI Jakarta", "ID"),
    ("BDG", "Bandung", "Jawa Barat", "ID"),
    ("SBY", "Surabaya", "Jawa Timur", "ID"),
    ("MLG", "Malang", "Jawa Timur", "ID"),
    ("SMG", "Semarang", "Jawa Tengah", "ID"),
    ("JOG", "Yogyakarta", "DI Yogyakarta", "ID"),
    ("MDN", "Medan", "Sumatera Utara", "ID"),
    ("PLB", "Palembang", "Sumatera Selatan", "ID"),
    ("MKS", "Makassar", "Sulawesi Selatan", "ID"),
    ("DPS", "Denpasar", "Bali", "ID"),
    ("BPN", "Balikpapan", "Kalimantan Timur", "ID"),
    ("SIN", "Singapura", "Singapura", "SG"),
    ("SHG", "Shanghai", "Shanghai", "CN"),
    ("OSK", "Osaka", "Osaka", "JP"),
]
DEPARTMENTS = [
    ("PNJ", "Penjualan"),
    ("PMB", "Pembelian"),
    ("KEU", "Keuangan"),
    ("GDG", "Gudang"),
    ("PRD", "Produksi"),
    ("RKT", "Perakitan"),
    ("SDM", "Sumber Daya Manusia"),
    ("TIK", "Teknologi Informasi"),
]
PEOPLE = [
    "Adi Nugroho", "Agus Salim", "Ahmad Fauzi", "Andi Wijaya", "Bayu Saputra", "Budi Hartono", "Citra Dewi",
    "Dedi Kurniawan", "Dewi Lestari", "Eko Prasetyo", "Fajar Hidayat", "Fitri Handayani", "Galih Ramadhan",
    "Hendra Gunawan", "Indah Permata", "Joko Susilo", "Kartika Sari", "Lina Marlina", "Made Wirawan", "Nur Aini",
    "Oka Mahendra", "Putri Ayu", "Rina Wulandari", "Sri Rahayu", "Teguh Santoso", "Umar Bakri", "Vina Anggraini",
    "Wahyu Setiawan", "Yanti Kusuma", "Zainal Arifin",
]  # fmt: skip
GROUPS = [
    ("DIST", "Distributor"),
    ("RTL", "Toko Eceran"),
    ("PRY", "Proyek"),
    ("GOV", "Instansi Pemerintah"),
    ("EXP", "Ekspor"),
]
COMPANY_NAMES = [
    "Maju Jaya", "Sumber Rejeki", "Sinar Abadi", "Karya Mandiri", "Cahaya Timur", "Bintang Selatan", "Mitra Sejati",
    "Tirta Kencana", "Surya Perkasa", "Anugerah Utama", "Bumi Persada", "Citra Nusantara", "Dharma Bakti",
    "Eka Prima", "Fortuna Makmur", "Gading Mas", "Harapan Baru", "Indo Teknik", "Jati Luhur", "Kencana Wungu",
    "Lestari Alam", "Mega Buana", "Nusa Indah", "Panca Usaha", "Restu Ibu", "Sentosa Raya", "Tunas Harapan",
    "Usaha Bersama", "Wahana Cipta", "Wijaya Kusuma",
]  # fmt: skip
SUPPLIER_GROUPS = [("LOK", "Pemasok Lokal"), ("IMP", "Pemasok Impor")]
SUPPLIERS = [
    "PT Baja Utama", "PT Kimia Sejahtera", "CV Kayu Lestari", "PT Plastik Indah", "PT Elektronika Jaya",
    "CV Kertas Putih", "PT Logam Mulia Teknik", "CV Kemasan Rapi", "PT Cat Warna Warni", "PT Kabel Nusantara",
]  # fmt: skip
SUPPLIERS_ABROAD = [("Shanghai Steel Co", "SHG", "CN"), ("Osaka Denki", "OSK", "JP"), ("Merlion Trading", "SIN", "SG")]
UNITS = [("PCS", "Buah"), ("BOX", "Kotak"), ("KG", "Kilogram"), ("LTR", "Liter"), ("MTR", "Meter"), ("UNIT", "Unit")]
MATERIAL_GROUPS = [("BJD", "Barang Jadi"), ("BBK", "Bahan Baku"), ("SCD", "Suku Cadang"), ("HBP", "Bahan Habis Pakai")]
MATERIALS = [
    ("Panel Listrik 3 Fasa", "BJD", "UNIT", 4_500_000), ("Panel Listrik 1 Fasa", "BJD", "UNIT", 1_800_000),
    ("Pompa Air 125 Watt", "BJD", "UNIT", 650_000), ("Pompa Air 250 Watt", "BJD", "UNIT", 1_100_000),
    ("Kipas Angin Industri", "BJD", "UNIT", 900_000), ("Lemari Arsip Besi", "BJD", "UNIT", 2_200_000),
    ("Meja Kerja Baja", "BJD", "UNIT", 1_500_000), ("Rak Gudang 4 Susun", "BJD", "UNIT", 1_250_000),
    ("Lampu Sorot LED 50W", "BJD", "PCS", 250_000), ("Lampu LED 12W", "BJD", "PCS", 45_000),
    ("Saklar Ganda", "BJD", "PCS", 35_000), ("Stop Kontak", "BJD", "PCS", 30_000),
    ("Plat Baja 2 mm", "BBK", "KG", 18_000), ("Pipa Besi 1 Inci", "BBK", "MTR", 40_000),
    ("Kabel NYM 3x2.5", "BBK", "MTR", 22_000), ("Kabel NYA 1.5", "BBK", "MTR", 8_000),
    ("Biji Plastik PP", "BBK", "KG", 25_000), ("Tembaga Lilitan", "BBK", "KG", 140_000),
    ("Cat Besi Abu-abu", "BBK", "LTR", 75_000), ("Papan Kayu Jati", "BBK", "MTR", 120_000),
    ("Bantalan Bola 6203", "SCD", "PCS", 28_000), ("Sabuk V A-40", "SCD", "PCS", 38_000),
    ("Seal Pompa", "SCD", "PCS", 15_000), ("Kapasitor 8 uF", "SCD", "PCS", 24_000),
    ("Kontaktor 25A", "SCD", "PCS", 310_000), ("MCB 16A", "SCD", "PCS", 65_000),
    ("Baut M8", "HBP", "BOX", 55_000), ("Kawat Las 2.6", "HBP", "KG", 32_000),
    ("Gerinda Potong", "HBP", "PCS", 12_000), ("Sarung Tangan Kerja", "HBP", "PCS", 9_000),
]  # fmt: skip
LOCATIONS = [("GPST", "Gudang Pusat", "JKT"), ("GTMR", "Gudang Timur", "SBY"), ("GBRT", "Gudang Barat", "BDG")]
BANKS = [
    ("BCA", "Bank BCA", "0011223344", "IDR"),
    ("BRI", "Bank BRI", "5566778899", "IDR"),
    ("BNI", "Bank BNI", "9988776655", "USD"),
]
TRANSACTION_TYPES = [
    ("SALESINVOICE", "Faktur penjualan"),
    ("PURCHASEINVOICE", "Faktur pembelian"),
    ("GOODSISSUE", "Pengiriman barang"),
    ("GOODSRECEIPT", "Penerimaan barang"),
    ("JOBORDER", "Perintah kerja produksi"),
]

# number, customer, material, quantity, price, paid, due date (the user's examples)
OUTSTANDING = [
    ("INV-001", "C001", "M006", 10, 1_500_000, 0, date(2023, 1, 15)),
    ("INV-002", "C002", "M011", 250, 34_000, 0, date(2023, 1, 20)),
    ("INV-003", "C003", "M008", 10, 1_200_000, 6_000_000, date(2023, 1, 25)),
]


@dataclass
class _Books:
    """What is being written, and the dice (thrown by `pick` and `roll` alone, so that they fall alike everywhere)."""

    random: Random = field(default_factory=lambda: Random(20230131))
    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    numbers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    receivable: dict[tuple[date, str], list[Decimal]] = field(
        default_factory=lambda: defaultdict(lambda: [Decimal(0)] * 2)
    )

    def add(self, table: str, **row: object) -> None:
        self.tables[table].append(row)

    def pick(self, choices: Sequence[T]) -> T:
        return choices[int(self.random.random() * len(choices))]

    def roll(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))

    def number(self, prefix: str, day: date) -> str:
        """Document numbers run per kind and month: SO2301-0007."""
        series = f"{prefix}{day:%y%m}"
        self.numbers[series] += 1
        return f"{series}-{self.numbers[series]:04d}"

    def move_stock(
        self, day: date, document: str, kind: str, location: str, material: str, into: int, out: int
    ) -> None:
        number = len(self.tables["stockmutation"]) + 1
        row: Row = {"MutationNo": number, "DocDate": day, "DocNo": document, "TransType": kind, "Location": location}
        self.tables["stockmutation"].append(row | {"MaterialCode": material, "QtyIn": into, "QtyOut": out})


@dataclass(frozen=True)
class _Line:
    material: str
    quantity: int
    price: Decimal
    discount: Decimal = Decimal(0)

    @property
    def gross(self) -> Decimal:
        return self.quantity * self.price

    @property
    def netto(self) -> Decimal:
        return self.gross - self.discount


@cache
def rows() -> dict[str, list[Row]]:
    """Every table's rows, tables in an order that foreign keys allow. Dates as date, money as Decimal."""
    books = _Books()
    _write_masters(books)
    for month in MONTHS:
        _write_purchases(books, month)
        _write_production(books, month)
        for day, customer, lines in _sales_of(books, month):
            _write_sale(books, day, customer, lines)
        if month == date(2022, 12, 1):
            _write_outstanding(books)
    _write_customer_balances(books)
    _write_stock_balances(books)
    return {table.name: books.tables[table.name] for table in METADATA.sorted_tables}


def _write_masters(books: _Books) -> None:
    for table, pairs in (
        ("mastercountry", COUNTRIES),
        ("masterdepartment", DEPARTMENTS),
        ("mastertransactiontype", TRANSACTION_TYPES),
        ("mastercustomergroup", GROUPS),
        ("mastersuppliergroup", SUPPLIER_GROUPS),
        ("masterunit", UNITS),
        ("mastermaterialgroup", MATERIAL_GROUPS),
    ):
        for code, name in pairs:
            books.add(table, Code=code, Name=name)
    for code, name, symbol in CURRENCIES:
        books.add("mastercurrency", Code=code, Name=name, Symbol=symbol)
    for month in MONTHS:
        for currency, rate in RATES.items():
            books.add("exchangerate", Currency=currency, RateDate=month, Rate=Decimal(rate + books.roll(-10, 30) * 25))
    for code, name, province, country in CITIES:
        books.add("mastercity", Code=code, Name=name, Province=province, Country=country)
    for code, name, account, currency in BANKS:
        books.add("masterbank", Code=code, Name=name, AccountNo=account, Currency=currency)
    for number, name in enumerate(PEOPLE, 1):
        position = books.pick(["Staf", "Staf Senior", "Penyelia", "Manajer"])
        joined = date(2012, 1, 1) + timedelta(days=books.roll(0, 3600))
        department = DEPARTMENTS[number % len(DEPARTMENTS)][0]
        row: Row = {"Code": f"E{number:03d}", "Name": name, "DepartmentCode": department, "Position": position}
        books.add("masteremployee", **row, JoinDate=joined, BasicSalary=Decimal(books.roll(45, 180) * 100_000))
    for number, name in enumerate(PEOPLE[::5], 1):
        target = Decimal(books.roll(2, 6) * 10_000_000)
        books.add("mastersales", Code=f"S{number:02d}", Name=name, City=CITIES[number - 1][0], Target=target)
    _write_customers(books)
    for number, name in enumerate(SUPPLIERS, 1):
        place: Row = {"City": books.pick(CITIES[:11])[0], "Country": "ID", "SupplierGroup": "LOK", "Currency": "IDR"}
        books.add("mastersupplier", Code=f"V{number:03d}", Name=name, TOP=30, **place)
    for number, (name, city, country) in enumerate(SUPPLIERS_ABROAD, len(SUPPLIERS) + 1):
        place = {"City": city, "Country": country, "SupplierGroup": "IMP", "Currency": "USD"}
        books.add("mastersupplier", Code=f"V{number:03d}", Name=name, TOP=60, **place)
    for number, (name, group, unit, price) in enumerate(MATERIALS, 1):
        cost = Decimal(price * 7 // 10)
        worth: Row = {"StandardCost": cost, "SellPrice": Decimal(price), "MinStock": books.roll(2, 20) * 10}
        books.add("mastermaterial", Code=f"M{number:03d}", Name=name, MaterialGroup=group, Unit=unit, **worth)
    for code, name, city in LOCATIONS:
        books.add("masterlocation", Code=code, Name=name, City=city)


def _write_customers(books: _Books) -> None:
    named = [("PT ABC Corp", "JKT", "DIST"), ("CV XYZ", "SBY", "RTL"), ("PT DEF Industries", "BDG", "PRY")]
    for company in COMPANY_NAMES:
        prefix = books.pick(["PT", "CV", "UD", "Toko"])
        named.append((f"{prefix} {company}", books.pick(CITIES[:11])[0], books.pick(GROUPS[:4])[0]))
    named.append(("Lion City Hardware", "SIN", "EXP"))
    for number, (name, city, group) in enumerate(named, 1):
        terms: Row = {"TOP": 30 if number <= 3 else books.pick([14, 30, 45]), "Currency": "IDR"}
        marks: Row = {"IsBlacklisted": int(number in (17, 29)), "IsDeleted": int(number == 33)}
        books.add(
            "mastercustomer",
            Code=f"C{number:03d}",
            Name=name,
            Address=f"Jalan Niaga No. {books.roll(1, 200)}",
            City=city,
            Country="SG" if city == "SIN" else "ID",
            CustomerGroup=group,
            SalesCode=f"S{books.roll(1, 6):02d}",
            Limit=Decimal(books.roll(2, 20) * 25_000_000),
            **terms,
            **marks,
        )


# -- sales -------------------------------------------------------------------------------------------------------------


def _sales_of(books: _Books, month: date) -> Iterator[tuple[date, str, list[_Line]]]:
    """The month's sales by day: few and large, but for the counter sales of January 2023."""
    if month == FESTIVE:
        left = FESTIVE_TOTAL
        for number in range(FESTIVE_SALES):
            day = month + timedelta(days=number * 31 // FESTIVE_SALES)
            lines = [_counter_line(books, _share(books, left, FESTIVE_SALES - number))]
            left -= lines[0].netto
            yield day, f"C{books.roll(1, 34):03d}", lines
        return
    count = books.roll(16, 26)
    for number in range(count):
        day = month + timedelta(days=number * 28 // count)
        lines = [_order_line(books, material) for material in _materials(books, books.roll(1, 3))]
        yield day, f"C{books.roll(1, 34):03d}", lines


def _share(books: _Books, left: Decimal, sales_left: int) -> Decimal:
    """A sale's part of what is left to reach the month's total, in thousands; the last one takes the rest."""
    if sales_left == 1:
        return left
    return max(Decimal(1000), left / sales_left * books.roll(50, 150) / 100 // 1000 * 1000)


def _counter_line(books: _Books, total: Decimal) -> _Line:
    quantity = books.pick([1, 2, 4, 5]) if total % 1000 == 0 else 1
    price = total / quantity
    nearest = min(range(len(MATERIALS)), key=lambda index: abs(MATERIALS[index][3] - price))
    return _Line(f"M{nearest + 1:03d}", quantity, price)


def _materials(books: _Books, count: int) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < count:
        index = books.roll(0, len(MATERIALS) - 1)
        if index not in chosen:
            chosen.append(index)
    return chosen


def _order_line(books: _Books, material: int) -> _Line:
    price = Decimal(MATERIALS[material][3])
    quantity = books.pick([1, 2, 4, 5] if price > 500_000 else [10, 20, 40, 50, 100])
    return _Line(f"M{material + 1:03d}", quantity, price, discount=quantity * price * books.pick([0, 0, 5, 10]) / 100)


def _write_outstanding(books: _Books) -> None:
    for number, customer, material, quantity, price, paid, due in OUTSTANDING:
        lines = [_Line(material, quantity, Decimal(price))]
        _write_sale(books, due - timedelta(days=30), customer, lines, invoice=number, paid=Decimal(paid))


def _write_sale(
    books: _Books, day: date, customer: str, lines: list[_Line], invoice: str = "", paid: Decimal | None = None
) -> None:
    """One sale through all its papers: order, delivery, invoice, receivable, payment (`paid`: how much, else all)."""
    master = books.tables["mastercustomer"][int(customer[1:]) - 1]
    sales, terms = master["SalesCode"], master["TOP"]
    assert isinstance(terms, int)
    order, delivery = books.number("SO", day), books.number("SJ", day)
    invoice = invoice or books.number("SI", day)
    total = sum((line.netto for line in lines), Decimal(0))
    gross = sum((line.gross for line in lines), Decimal(0))
    location, due = books.pick(LOCATIONS)[0], day + timedelta(days=terms)
    who: Row = {"CustomerCode": customer, "SalesCode": sales}
    sums: Row = {"TotalGross": gross, "TotalDisc": gross - total, "TotalNetto": total}
    books.add("salesorderh", DocNo=order, DocDate=day, DeliveryDate=day, Currency="IDR", Status="CLOSED", **who, **sums)
    books.add("sales_orders", order_id=order, order_date=day, customer_id=customer, total_amount=total)
    books.add(
        "goodsissueh",
        DocNo=delivery,
        DocDate=day,
        SODocNo=order,
        CustomerCode=customer,
        Location=location,
        Status="CLOSED",
    )
    paid = total if paid is None else paid
    status = "PAID" if paid == total else "UNPAID"
    books.add(
        "salesinvoiceh",
        DocNo=invoice,
        DocDate=day,
        SODocNo=order,
        GIDocNo=delivery,
        TOP=terms,
        DueDate=due,
        TotalNetto=total,
        Status=status,
        **who,
    )
    for number, line in enumerate(lines, 1):
        _write_sale_line(books, day, (order, delivery, invoice), number, line, location)
    month = day.replace(day=1)
    books.receivable[month, customer][0] += total
    books.add(
        "arbook",
        Periode=month,
        CustomerCode=customer,
        TransType="SALESINVOICE",
        DocNo=invoice,
        DocDate=day,
        TOP=terms,
        DueDate=due,
        Currency="IDR",
        ExchangeRate=Decimal(1),
        DC="D",
        DocValue=total,
        DocValueLocal=total,
        PaymentValue=paid,
        PaymentValueLocal=paid,
        ExchangeRateDiff=Decimal(0),
    )
    if paid:
        _write_receipt(
            books, min(due + timedelta(days=books.roll(-10, 20)), BOOKS_CLOSED), customer, invoice, total, paid
        )


def _write_sale_line(
    books: _Books, day: date, documents: tuple[str, str, str], number: int, line: _Line, location: str
) -> None:
    order, delivery, invoice = documents
    what: Row = {"Number": number, "MaterialCode": line.material, "Qty": line.quantity}
    unit = MATERIALS[int(line.material[1:]) - 1][2]
    sums: Row = {"Price": line.price, "Netto": line.netto}
    books.add("salesorderd", DocNo=order, Unit=unit, Gross=line.gross, Disc=line.discount, **what, **sums)
    books.add("goodsissued", DocNo=delivery, **what)
    books.add("salesinvoiced", DocNo=invoice, TagNo=f"TAG-{number}", **what, **sums)
    books.add(
        "order_lines",
        line_id=f"{order}-{number}",
        order_id=order,
        product_id=line.material,
        quantity=line.quantity,
        unit_price=line.netto / line.quantity,
    )
    books.move_stock(day, delivery, "GOODSISSUE", location, line.material, 0, line.quantity)


def _write_receipt(books: _Books, day: date, customer: str, invoice: str, total: Decimal, paid: Decimal) -> None:
    request, receipt = books.number("TG", day), books.number("PB", day)
    books.add(
        "arrequestlisth",
        DocNo=request,
        DocDate=day - timedelta(days=5),
        CustomerCode=customer,
        CollectorCode=f"E{books.roll(1, len(PEOPLE)):03d}",
        Status="CLOSED",
    )
    books.add("arrequestlistd", DocNo=request, ARDocNo=invoice, Amount=total)
    books.add(
        "customerpaymenth",
        DocNo=receipt,
        DocDate=day,
        ARReqListNo=request,
        CustomerCode=customer,
        BankCode=books.pick(BANKS[:2])[0],
        PaymentMethod=books.pick(["TRANSFER", "TRANSFER", "TUNAI", "GIRO"]),
        TotalPayment=paid,
    )
    books.add(
        "customerpaymentd",
        DocNo=receipt,
        TransactionType="SALESINVOICE",
        CustomerCode=customer,
        ARDocNo=invoice,
        Payment=paid,
        PaymentLocal=paid,
    )
    books.receivable[day.replace(day=1), customer][1] += paid


def _write_customer_balances(books: _Books) -> None:
    balance: dict[str, Decimal] = defaultdict(Decimal)
    for month, customer in sorted(books.receivable):
        debit, credit = books.receivable[month, customer]
        begin = balance[customer]
        balance[customer] = begin + debit - credit
        sums: Row = {"BeginBalance": begin, "Debit": debit, "Credit": credit, "EndBalance": balance[customer]}
        books.add("customerbalance", Periode=month, CustomerCode=customer, **sums)


# -- purchases, production, stock --------------------------------------------------------------------------------------


def _write_purchases(books: _Books, month: date) -> None:
    for _ in range(books.roll(2, 4)):
        day = month + timedelta(days=books.roll(0, 9))
        request, department = books.number("PR", day), books.pick(DEPARTMENTS)[0]
        status = books.pick(["APPROVED", "APPROVED", "APPROVED", "REJECTED", "OPEN"])
        lines = [
            _Line(f"M{index + 1:03d}", books.pick([50, 100, 200]), Decimal(MATERIALS[index][3] * 7 // 10))
            for index in _materials(books, books.roll(1, 3))
        ]
        books.add("purchaserequesth", DocNo=request, DocDate=day, DepartmentCode=department, Status=status)
        for number, line in enumerate(lines, 1):
            what: Row = {"Number": number, "MaterialCode": line.material, "Qty": line.quantity}
            books.add("purchaserequestd", DocNo=request, **what)
        if status == "APPROVED":
            _write_purchase(books, day + timedelta(days=2), request, lines)


def _write_purchase(books: _Books, day: date, request: str, lines: list[_Line]) -> None:
    """One purchase: order, receipt, invoice, payable, payment; in rupiah but for the payable's original value."""
    supplier = books.pick(books.tables["mastersupplier"])
    code, currency, terms = supplier["Code"], supplier["Currency"], supplier["TOP"]
    assert isinstance(terms, int)
    total = sum((line.netto for line in lines), Decimal(0))
    order, received, invoice = books.number("PO", day), books.number("BT", day), books.number("PI", day)
    arrival, location = day + timedelta(days=7), books.pick(LOCATIONS)[0]
    due = arrival + timedelta(days=terms)
    ordered: Row = {"DocNo": order, "DocDate": day, "PRDocNo": request, "SupplierCode": code}
    books.add("purchaseorderh", **ordered, Currency="IDR", TotalNetto=total, Status="CLOSED")
    books.add("goodsreceipth", DocNo=received, DocDate=arrival, PODocNo=order, SupplierCode=code, Location=location)
    invoiced: Row = {"DocNo": invoice, "DocDate": arrival, "PODocNo": order, "GRDocNo": received, "SupplierCode": code}
    books.add("purchaseinvoiceh", **invoiced, DueDate=due, TotalNetto=total)
    for number, line in enumerate(lines, 1):
        what: Row = {"Number": number, "MaterialCode": line.material, "Qty": line.quantity}
        sums: Row = {"Price": line.price, "Netto": line.netto}
        books.add("purchaseorderd", DocNo=order, **what, **sums)
        books.add("goodsreceiptd", DocNo=received, **what)
        books.add("purchaseinvoiced", DocNo=invoice, **what, **sums)
        books.move_stock(arrival, received, "GOODSRECEIPT", location, line.material, line.quantity, 0)
    rate = Decimal(15_000 if currency == "USD" else 1)
    paid = due <= date(2024, 11, 30)
    book: Row = {
        "Periode": arrival.replace(day=1),
        "SupplierCode": code,
        "TransType": "PURCHASEINVOICE",
        "DocNo": invoice,
    }
    value = (total / rate).quantize(Decimal("0.0001"))
    worth: Row = {"DocValue": value, "DocValueLocal": total}
    payment: Row = {"PaymentValue": value if paid else Decimal(0), "PaymentValueLocal": total if paid else Decimal(0)}
    books.add("apbook", **book, DocDate=arrival, DueDate=due, Currency=currency, ExchangeRate=rate, **worth, **payment)
    if paid:
        slip = books.number("PP", due)
        bank = books.pick(BANKS)[0]
        books.add("supplierpaymenth", DocNo=slip, DocDate=due, SupplierCode=code, BankCode=bank, TotalPayment=total)
        books.add("supplierpaymentd", DocNo=slip, APDocNo=invoice, PaymentLocal=total)


def _write_production(books: _Books, month: date) -> None:
    for _ in range(books.roll(1, 3)):
        day = month + timedelta(days=books.roll(0, 20))
        order, material = books.number("JO", day), f"M{books.roll(1, 12):03d}"
        planned = books.pick([50, 100, 150])
        result = planned - books.roll(0, 5)
        closed = day < date(2024, 12, 1)
        books.add(
            "joborderh",
            DocNo=order,
            DocDate=day,
            DepartmentCode=books.pick(["PRD", "RKT"]),
            MaterialCode=material,
            QtyPlan=planned,
            QtyResult=result if closed else 0,
            FinishDate=day + timedelta(days=books.roll(3, 20)) if closed else None,
            Status="CLOSED" if closed else "OPEN",
        )
        for number, index in enumerate((12 + books.roll(0, 3), 16 + books.roll(0, 3)), 1):
            quantity = books.roll(1, 4) * 10
            cost = Decimal(quantity * MATERIALS[index][3] * 7 // 10)
            books.add(
                "joborderd", DocNo=order, Number=number, MaterialCode=f"M{index + 1:03d}", Qty=quantity, Cost=cost
            )
            books.move_stock(day, order, "JOBORDER", "GPST", f"M{index + 1:03d}", 0, quantity)
        if closed:
            books.move_stock(day, order, "JOBORDER", "GPST", material, result, 0)


def _write_stock_balances(books: _Books) -> None:
    """Balances of the last twelve months; the stock before the first mutation is such that none is ever negative."""
    moved: dict[tuple[str, str], dict[date, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in books.tables["stockmutation"]:
        day, into, out = row["DocDate"], row["QtyIn"], row["QtyOut"]
        assert isinstance(day, date) and isinstance(into, int) and isinstance(out, int)
        sums = moved[str(row["Location"]), str(row["MaterialCode"])][min(day.replace(day=1), MONTHS[-1])]
        sums[0] += into
        sums[1] += out
    for (location, material), months in sorted(moved.items()):
        running, lowest = 0, 0
        for month in MONTHS:
            running += months[month][0] - months[month][1] if month in months else 0
            lowest = min(lowest, running)
        stock = -lowest + 10
        for month in MONTHS:
            into, out = months.get(month, (0, 0))
            begin, stock = stock, stock + into - out
            if month.year == 2024:
                where: Row = {"Periode": month, "Location": location, "MaterialCode": material}
                books.add("stockbalance", **where, QtyBegin=begin, QtyIn=into, QtyOut=out, QtyEnd=stock)
