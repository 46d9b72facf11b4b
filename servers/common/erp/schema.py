"""The tables of the seed ERP with their keys, joins and Indonesian comments. Not their rows: see rows.py."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CHAR, DATE, DECIMAL, INTEGER, VARCHAR, Column, ForeignKey, MetaData, Table
from sqlalchemy.types import TypeEngine

METADATA = MetaData()


def _column(name: str, kind: TypeEngine[Any], comment: str | None, fk: str = "", key: bool = False) -> Column[Any]:
    references = [ForeignKey(fk)] if fk else []
    return Column(name, kind, *references, primary_key=key, nullable=not key, autoincrement=False, comment=comment)


def _text(name: str, size: int, comment: str | None, fk: str = "", key: bool = False) -> Column[Any]:
    return _column(name, VARCHAR(size), comment, fk, key)


def _code(name: str, comment: str | None, fk: str = "", key: bool = False) -> Column[Any]:
    return _column(name, VARCHAR(10), comment, fk, key)


def _doc(name: str, comment: str | None, fk: str = "", key: bool = False) -> Column[Any]:
    return _column(name, VARCHAR(15), comment, fk, key)


def _money(name: str, comment: str) -> Column[Any]:
    return _column(name, DECIMAL(18, 4), comment)


def _date(name: str, comment: str, key: bool = False) -> Column[Any]:
    return _column(name, DATE(), comment, key=key)


def _int(name: str, comment: str, key: bool = False) -> Column[Any]:
    return _column(name, INTEGER(), comment, key=key)


def _flag(name: str, comment: str) -> Column[Any]:
    return _column(name, CHAR(1), comment)


def _table(name: str, comment: str, *columns: Column[Any]) -> None:
    Table(name, METADATA, *columns, comment=comment)


# -- masters -----------------------------------------------------------------------------------------------------------

_table(
    "mastercountry",
    "Master negara.",
    _code("Code", "Kode negara (ISO)", key=True),
    _text("Name", 60, "Nama negara"),
)
_table(
    "mastercurrency",
    "Master mata uang.",
    _code("Code", "Kode mata uang (ISO)", key=True),
    _text("Name", 40, "Nama mata uang"),
    _text("Symbol", 5, "Simbol mata uang"),
)
_table(
    "exchangerate",
    "Kurs mata uang asing terhadap rupiah per tanggal.",
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code", key=True),
    _date("RateDate", "Tanggal berlaku kurs", key=True),
    _money("Rate", "Kurs terhadap rupiah"),
)
_table(
    "mastercity",
    "Master kota dan provinsi.",
    _code("Code", "Kode kota", key=True),
    _text("Name", 60, "Nama kota"),
    _text("Province", 60, "Nama provinsi"),
    _code("Country", "Kode negara", fk="mastercountry.Code"),
)
_table(
    "masterbank",
    "Master rekening bank perusahaan.",
    _code("Code", "Kode bank", key=True),
    _text("Name", 60, "Nama bank"),
    _text("AccountNo", 30, "Nomor rekening"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
)
_table(
    "masterdepartment",
    "Master departemen (bagian) perusahaan.",
    _code("Code", "Kode departemen", key=True),
    _text("Name", 60, "Nama departemen"),
)
_table(
    "masteremployee",
    "Master karyawan.",
    _code("Code", "Kode karyawan", key=True),
    _text("Name", 120, "Nama karyawan"),
    _code("DepartmentCode", "Kode departemen", fk="masterdepartment.Code"),
    _text("Position", 60, "Jabatan"),
    _date("JoinDate", "Tanggal mulai bekerja"),
    _money("BasicSalary", "Gaji pokok per bulan"),
)
_table(
    "mastersales",
    "Master tenaga penjual (salesman).",
    _code("Code", "Kode salesman", key=True),
    _text("Name", 120, "Nama salesman"),
    _code("City", "Kode kota wilayah kerja", fk="mastercity.Code"),
    _money("Target", "Target penjualan per bulan"),
)
_table(
    "mastertransactiontype",
    "Master jenis transaksi.",
    _text("Code", 20, "Kode jenis transaksi", key=True),
    _text("Name", 60, "Nama jenis transaksi"),
)
_table(
    "mastercustomergroup",
    "Master kelompok pelanggan.",
    _code("Code", "Kode kelompok pelanggan", key=True),
    _text("Name", 60, "Nama kelompok pelanggan"),
)
_table(
    "mastercustomer",
    "Master pelanggan (customer).",
    _code("Code", "Kode pelanggan", key=True),
    _text("Name", 120, "Nama pelanggan"),
    _text("Address", 200, "Alamat pelanggan"),
    _code("City", "Kode kota", fk="mastercity.Code"),
    _code("Country", "Kode negara", fk="mastercountry.Code"),
    _code("CustomerGroup", "Kode kelompok pelanggan", fk="mastercustomergroup.Code"),
    _code("SalesCode", "Kode salesman yang menangani", fk="mastersales.Code"),
    _int("TOP", "Jangka waktu pembayaran (hari)"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
    _money("Limit", "Batas kredit pelanggan"),
    _int("IsBlacklisted", "1 bila pelanggan masuk daftar hitam"),
    _int("IsDeleted", "1 bila pelanggan sudah dihapus"),
)
_table(
    "mastersuppliergroup",
    "Master kelompok pemasok.",
    _code("Code", "Kode kelompok pemasok", key=True),
    _text("Name", 60, "Nama kelompok pemasok"),
)
_table(
    "mastersupplier",
    "Master pemasok (supplier, vendor).",
    _code("Code", "Kode pemasok", key=True),
    _text("Name", 120, "Nama pemasok"),
    _code("City", "Kode kota", fk="mastercity.Code"),
    _code("Country", "Kode negara", fk="mastercountry.Code"),
    _code("SupplierGroup", "Kode kelompok pemasok", fk="mastersuppliergroup.Code"),
    _int("TOP", "Jangka waktu pembayaran (hari)"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
)
_table(
    "masterunit",
    "Master satuan barang.",
    _code("Code", "Kode satuan", key=True),
    _text("Name", 40, "Nama satuan"),
)
_table(
    "mastermaterialgroup",
    "Master kelompok barang.",
    _code("Code", "Kode kelompok barang", key=True),
    _text("Name", 60, "Nama kelompok barang"),
)
_table(
    "mastermaterial",
    "Master barang (material, produk).",
    _code("Code", "Kode barang", key=True),
    _text("Name", 120, "Nama barang"),
    _code("MaterialGroup", "Kode kelompok barang", fk="mastermaterialgroup.Code"),
    _code("Unit", "Kode satuan", fk="masterunit.Code"),
    _money("StandardCost", "Harga pokok standar per satuan"),
    _money("SellPrice", "Harga jual per satuan"),
    _money("MinStock", "Stok minimum"),
)
_table(
    "masterlocation",
    "Master gudang (lokasi penyimpanan).",
    _code("Code", "Kode gudang", key=True),
    _text("Name", 60, "Nama gudang"),
    _code("City", "Kode kota", fk="mastercity.Code"),
)

# -- sales -------------------------------------------------------------------------------------------------------------

_table(
    "salesorderh",
    "Kepala pesanan penjualan (sales order).",
    _doc("DocNo", "Nomor pesanan penjualan", key=True),
    _date("DocDate", "Tanggal pesanan"),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code"),
    _code("SalesCode", "Kode salesman", fk="mastersales.Code"),
    _date("DeliveryDate", "Tanggal kirim yang dijanjikan"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
    _money("TotalGross", "Nilai pesanan sebelum potongan"),
    _money("TotalDisc", "Nilai potongan harga"),
    _money("TotalNetto", "Nilai bersih pesanan"),
    _text("Status", 10, "Status pesanan: OPEN atau CLOSED"),
)
_table(
    "salesorderd",
    "Rincian barang pesanan penjualan.",
    _doc("DocNo", "Nomor pesanan penjualan", fk="salesorderh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _code("Unit", "Kode satuan", fk="masterunit.Code"),
    _money("Qty", "Jumlah barang dipesan"),
    _money("Price", "Harga satuan"),
    _money("Gross", "Nilai baris sebelum potongan"),
    _money("Disc", "Potongan harga baris"),
    _money("Netto", "Nilai bersih baris"),
)
_table(
    "goodsissueh",
    "Kepala surat jalan (pengiriman barang ke pelanggan).",
    _doc("DocNo", "Nomor surat jalan", key=True),
    _date("DocDate", "Tanggal pengiriman"),
    _doc("SODocNo", "Nomor pesanan penjualan", fk="salesorderh.DocNo"),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code"),
    _code("Location", "Kode gudang asal", fk="masterlocation.Code"),
    _text("Status", 10, "Status surat jalan"),
)
_table(
    "goodsissued",
    "Rincian barang surat jalan.",
    _doc("DocNo", "Nomor surat jalan", fk="goodsissueh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah barang dikirim"),
)
_table(
    "salesinvoiceh",
    "Kepala faktur penjualan (sales invoice).",
    _doc("DocNo", "Nomor faktur penjualan", key=True),
    _date("DocDate", "Tanggal faktur"),
    _doc("SODocNo", "Nomor pesanan penjualan", fk="salesorderh.DocNo"),
    _doc("GIDocNo", "Nomor surat jalan", fk="goodsissueh.DocNo"),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code"),
    _code("SalesCode", "Kode salesman", fk="mastersales.Code"),
    _int("TOP", "Jangka waktu pembayaran (hari)"),
    _date("DueDate", "Tanggal jatuh tempo"),
    _money("TotalNetto", "Nilai bersih faktur"),
    _text("Status", 10, "Status faktur"),
)
_table(
    "salesinvoiced",
    "Rincian barang faktur penjualan.",
    _doc("DocNo", "Nomor faktur penjualan", fk="salesinvoiceh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _text("TagNo", 20, "Nomor label barang", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah barang difakturkan"),
    _money("Price", "Harga satuan"),
    _money("Netto", "Nilai bersih baris"),
)

# -- receivables -------------------------------------------------------------------------------------------------------

_table(
    "arbook",
    "Buku piutang usaha per dokumen pelanggan (accounts receivable).",
    _date("Periode", "Periode pembukuan (tanggal awal bulan)", key=True),
    _column("CustomerCode", VARCHAR(15), "Kode pelanggan", fk="mastercustomer.Code", key=True),
    _text("TransType", 20, "Jenis transaksi", fk="mastertransactiontype.Code", key=True),
    # A faktur appears once in the book, so its number is unique; the seed's joins go by it alone.
    Column(
        "DocNo",
        VARCHAR(40),
        ForeignKey("salesinvoiceh.DocNo"),
        primary_key=True,
        unique=True,
        comment="Nomor dokumen (faktur)",
    ),
    _date("DocDate", "Tanggal dokumen"),
    _int("TOP", "Jangka waktu pembayaran (hari)"),
    _date("DueDate", "Tanggal jatuh tempo"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
    _money("ExchangeRate", "Kurs terhadap rupiah"),
    _flag("DC", "D (debit) atau C (kredit)"),
    _money("DocValue", "Nilai dokumen dalam mata uang asal"),
    _money("DocValueLocal", "Nilai dokumen dalam rupiah"),
    _money("PaymentValue", "Nilai yang sudah dibayar dalam mata uang asal"),
    _money("PaymentValueLocal", "Nilai yang sudah dibayar dalam rupiah"),
    _money("ExchangeRateDiff", "Selisih kurs"),
)
_table(
    "arrequestlisth",
    "Kepala daftar tagihan piutang yang diajukan ke pelanggan.",
    _doc("DocNo", "Nomor daftar tagihan", key=True),
    _date("DocDate", "Tanggal penagihan"),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code"),
    _code("CollectorCode", "Kode karyawan penagih", fk="masteremployee.Code"),
    _text("Status", 10, "Status penagihan"),
)
_table(
    "arrequestlistd",
    "Rincian faktur pada daftar tagihan piutang.",
    _doc("DocNo", "Nomor daftar tagihan", fk="arrequestlisth.DocNo", key=True),
    _text("ARDocNo", 40, "Nomor dokumen piutang", fk="arbook.DocNo", key=True),
    _money("Amount", "Nilai yang ditagih"),
)
_table(
    "customerpaymenth",
    "Kepala penerimaan pembayaran pelanggan.",
    _doc("DocNo", "Nomor bukti penerimaan", key=True),
    _date("DocDate", "Tanggal pembayaran diterima"),
    _doc("ARReqListNo", "Nomor daftar tagihan", fk="arrequestlisth.DocNo"),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code"),
    _code("BankCode", "Kode bank penerima", fk="masterbank.Code"),
    _text("PaymentMethod", 10, "Cara bayar: TRANSFER, TUNAI atau GIRO"),
    _money("TotalPayment", "Jumlah pembayaran"),
)
_table(
    "customerpaymentd",
    "Rincian dokumen piutang yang dibayar pelanggan.",
    _doc("DocNo", "Nomor bukti penerimaan", fk="customerpaymenth.DocNo", key=True),
    _text("TransactionType", 20, "Jenis transaksi", fk="mastertransactiontype.Code", key=True),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code", key=True),
    _text("ARDocNo", 40, "Nomor dokumen piutang", fk="arbook.DocNo", key=True),
    _money("Payment", "Nilai bayar dalam mata uang asal"),
    _money("PaymentLocal", "Nilai bayar dalam rupiah"),
)
_table(
    "customerbalance",
    "Saldo piutang per pelanggan setiap akhir bulan.",
    _date("Periode", "Periode (tanggal awal bulan)", key=True),
    _code("CustomerCode", "Kode pelanggan", fk="mastercustomer.Code", key=True),
    _money("BeginBalance", "Saldo awal"),
    _money("Debit", "Penambahan piutang"),
    _money("Credit", "Pelunasan piutang"),
    _money("EndBalance", "Saldo akhir"),
)

# -- purchasing and payables -------------------------------------------------------------------------------------------

_table(
    "purchaserequesth",
    "Kepala permintaan pembelian dari departemen.",
    _doc("DocNo", "Nomor permintaan pembelian", key=True),
    _date("DocDate", "Tanggal permintaan"),
    _code("DepartmentCode", "Kode departemen peminta", fk="masterdepartment.Code"),
    _text("Status", 10, "Status permintaan: OPEN, APPROVED atau REJECTED"),
)
_table(
    "purchaserequestd",
    "Rincian barang permintaan pembelian.",
    _doc("DocNo", "Nomor permintaan pembelian", fk="purchaserequesth.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah diminta"),
)
_table(
    "purchaseorderh",
    "Kepala pesanan pembelian ke pemasok (purchase order).",
    _doc("DocNo", "Nomor pesanan pembelian", key=True),
    _date("DocDate", "Tanggal pesanan"),
    _doc("PRDocNo", "Nomor permintaan pembelian", fk="purchaserequesth.DocNo"),
    _code("SupplierCode", "Kode pemasok", fk="mastersupplier.Code"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
    _money("TotalNetto", "Nilai bersih pesanan"),
    _text("Status", 10, "Status pesanan: OPEN atau CLOSED"),
)
_table(
    "purchaseorderd",
    "Rincian barang pesanan pembelian.",
    _doc("DocNo", "Nomor pesanan pembelian", fk="purchaseorderh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah barang dibeli"),
    _money("Price", "Harga beli satuan"),
    _money("Netto", "Nilai bersih baris"),
)
_table(
    "goodsreceipth",
    "Kepala penerimaan barang dari pemasok.",
    _doc("DocNo", "Nomor bukti terima barang", key=True),
    _date("DocDate", "Tanggal barang diterima"),
    _doc("PODocNo", "Nomor pesanan pembelian", fk="purchaseorderh.DocNo"),
    _code("SupplierCode", "Kode pemasok", fk="mastersupplier.Code"),
    _code("Location", "Kode gudang tujuan", fk="masterlocation.Code"),
)
_table(
    "goodsreceiptd",
    "Rincian barang yang diterima dari pemasok.",
    _doc("DocNo", "Nomor bukti terima barang", fk="goodsreceipth.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah barang diterima"),
)
_table(
    "purchaseinvoiceh",
    "Kepala faktur pembelian dari pemasok.",
    _doc("DocNo", "Nomor faktur pembelian", key=True),
    _date("DocDate", "Tanggal faktur"),
    _doc("PODocNo", "Nomor pesanan pembelian", fk="purchaseorderh.DocNo"),
    _doc("GRDocNo", "Nomor bukti terima barang", fk="goodsreceipth.DocNo"),
    _code("SupplierCode", "Kode pemasok", fk="mastersupplier.Code"),
    _date("DueDate", "Tanggal jatuh tempo"),
    _money("TotalNetto", "Nilai bersih faktur"),
)
_table(
    "purchaseinvoiced",
    "Rincian barang faktur pembelian.",
    _doc("DocNo", "Nomor faktur pembelian", fk="purchaseinvoiceh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah barang difakturkan"),
    _money("Price", "Harga beli satuan"),
    _money("Netto", "Nilai bersih baris"),
)
_table(
    "apbook",
    "Buku hutang usaha per dokumen pemasok (accounts payable).",
    _date("Periode", "Periode pembukuan (tanggal awal bulan)", key=True),
    _code("SupplierCode", "Kode pemasok", fk="mastersupplier.Code", key=True),
    _text("TransType", 20, "Jenis transaksi", fk="mastertransactiontype.Code", key=True),
    Column(
        "DocNo",
        VARCHAR(40),
        ForeignKey("purchaseinvoiceh.DocNo"),
        primary_key=True,
        unique=True,
        comment="Nomor dokumen (faktur pembelian)",
    ),
    _date("DocDate", "Tanggal dokumen"),
    _date("DueDate", "Tanggal jatuh tempo"),
    _code("Currency", "Kode mata uang", fk="mastercurrency.Code"),
    _money("ExchangeRate", "Kurs terhadap rupiah"),
    _money("DocValue", "Nilai dokumen dalam mata uang asal"),
    _money("DocValueLocal", "Nilai dokumen dalam rupiah"),
    _money("PaymentValue", "Nilai yang sudah dibayar dalam mata uang asal"),
    _money("PaymentValueLocal", "Nilai yang sudah dibayar dalam rupiah"),
)
_table(
    "supplierpaymenth",
    "Kepala pembayaran kepada pemasok.",
    _doc("DocNo", "Nomor bukti pembayaran", key=True),
    _date("DocDate", "Tanggal pembayaran"),
    _code("SupplierCode", "Kode pemasok", fk="mastersupplier.Code"),
    _code("BankCode", "Kode bank pembayar", fk="masterbank.Code"),
    _money("TotalPayment", "Jumlah pembayaran"),
)
_table(
    "supplierpaymentd",
    "Rincian dokumen hutang yang dibayar kepada pemasok.",
    _doc("DocNo", "Nomor bukti pembayaran", fk="supplierpaymenth.DocNo", key=True),
    _text("APDocNo", 40, "Nomor dokumen hutang", fk="apbook.DocNo", key=True),
    _money("PaymentLocal", "Nilai bayar dalam rupiah"),
)

# -- stock and production ----------------------------------------------------------------------------------------------

_table(
    "stockbalance",
    "Saldo stok barang per gudang setiap akhir bulan.",
    _date("Periode", "Periode (tanggal awal bulan)", key=True),
    _code("Location", "Kode gudang", fk="masterlocation.Code", key=True),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code", key=True),
    _money("QtyBegin", "Stok awal"),
    _money("QtyIn", "Jumlah masuk"),
    _money("QtyOut", "Jumlah keluar"),
    _money("QtyEnd", "Stok akhir"),
)
_table(
    "stockmutation",
    "Mutasi stok: setiap barang masuk dan keluar gudang.",
    _int("MutationNo", "Nomor mutasi", key=True),
    _date("DocDate", "Tanggal mutasi"),
    _doc("DocNo", "Nomor dokumen sumber"),
    _text("TransType", 20, "Jenis transaksi", fk="mastertransactiontype.Code"),
    _code("Location", "Kode gudang", fk="masterlocation.Code"),
    _code("MaterialCode", "Kode barang", fk="mastermaterial.Code"),
    _money("QtyIn", "Jumlah masuk"),
    _money("QtyOut", "Jumlah keluar"),
)
_table(
    "joborderh",
    "Kepala perintah kerja produksi (job order).",
    _doc("DocNo", "Nomor perintah kerja", key=True),
    _date("DocDate", "Tanggal perintah kerja"),
    _code("DepartmentCode", "Kode departemen pelaksana", fk="masterdepartment.Code"),
    _code("MaterialCode", "Kode barang jadi", fk="mastermaterial.Code"),
    _money("QtyPlan", "Jumlah rencana produksi"),
    _money("QtyResult", "Jumlah hasil produksi"),
    _date("FinishDate", "Tanggal selesai"),
    _text("Status", 10, "Status perintah kerja: OPEN atau CLOSED"),
)
_table(
    "joborderd",
    "Rincian bahan baku perintah kerja produksi.",
    _doc("DocNo", "Nomor perintah kerja", fk="joborderh.DocNo", key=True),
    _int("Number", "Nomor baris", key=True),
    _code("MaterialCode", "Kode bahan baku", fk="mastermaterial.Code"),
    _money("Qty", "Jumlah bahan dipakai"),
    _money("Cost", "Biaya bahan"),
)

# -- the small sales schema of seed 000 --------------------------------------------------------------------------------

_table(
    "sales_orders",
    "Mencatat semua transaksi penjualan.",
    _text("order_id", 20, "ID unik order", key=True),
    _date("order_date", "Tanggal order dibuat"),
    _text("customer_id", 20, "ID pelanggan"),
    _column("total_amount", DECIMAL(18, 2), "Total nilai order"),
)
_table(
    "order_lines",
    "Detail item per transaksi penjualan.",
    _text("line_id", 20, None, key=True),
    _text("order_id", 20, None, fk="sales_orders.order_id"),
    _text("product_id", 20, None),
    _column("quantity", INTEGER(), None),
    _column("unit_price", DECIMAL(18, 2), None),
)
