"""The office's keys, the signature of a PDF and the signed statement of a QR code."""
