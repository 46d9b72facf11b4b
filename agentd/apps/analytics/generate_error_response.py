"""Node `generate_error_response`: the one form in which the workflow says that it could not answer."""

from __future__ import annotations

from typing import Any

from agentd.apps.analytics.state import AgentState

UNKNOWN = "Maaf, pertanyaan Anda tidak dapat dijawab saat ini."
_RETRY = "Coba lagi beberapa saat lagi; bila berulang, hubungi administrator."
_SIMPLER = "Coba sederhanakan pertanyaan Anda."
_PERIOD = "Periksa kembali periode waktu yang diminta."
_MISSING = "Pembukuan ini tidak memuat tabel tentang: {asked}."
_BY_STATUS: dict[str, list[str]] = {
    "failed_understanding": [
        "Sebutkan data yang ingin dilihat, misalnya: total penjualan Januari 2023.",
        "Sebutkan periode waktunya, misalnya: bulan lalu atau kuartal 2 tahun 2023.",
    ],
    "failed_planning": [_SIMPLER, "Gunakan istilah yang ada di pembukuan, misalnya penjualan, piutang, atau stok."],
    "failed_no_data": [_PERIOD, "Periksa kembali nama customer, barang, atau kriteria lain yang disebutkan."],
    "failed_critical": ["Minta administrator memeriksa data sumbernya sebelum angka ini dipakai.", _PERIOD],
}
_BY_NODE: dict[str, list[str]] = {
    "understand_query": [_RETRY],
    "consult_schema": [_RETRY],
    "plan_execution": [_SIMPLER],
    "execute_query": [_RETRY, _SIMPLER],
    "validate_results": [_PERIOD],
    "replace_placeholders": [_RETRY],
}


def generate_error_response(state: AgentState) -> dict[str, Any]:
    """The ErrorResponse's keys for the node that failed, with suggestions that fit."""
    source = state.get("current_node_name")
    status = state.get("validation_status") or ""
    suggestions = _BY_STATUS.get(status) or _BY_NODE.get(source or "") or [_SIMPLER]
    if source == "consult_schema" and status == "failed_planning" and (asked := state.get("entities_mentioned")):
        suggestions = [_MISSING.format(asked=", ".join(asked[:3])), *suggestions]
    return {
        "success": False,
        "error_source_node": source,
        "user_message": state.get("error_message_for_user") or UNKNOWN,
        "technical_details_for_log": state.get("technical_error_details"),
        "suggestions": suggestions,
        "workflow_status": "error",
    }
