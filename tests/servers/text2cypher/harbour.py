"""A graph that shares no word with the curriculum, and questions with queries on both graphs: right ones, and ones
that ignore a word of the question."""

from __future__ import annotations

from collections.abc import Sequence

from servers.text2cypher.core.likeliest import likeliest, scored
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.linking.hints import Hints, Linker

HARBOUR = {
    "nodes.Vessel.csv": "name,built,flag\nOrkney Star,1988,Malta\nBlue Heron,2004,Norway\nSea Wolf,2015,Malta\n",
    "nodes.HarbourTown.csv": "name,country,berths\nBergen,Norway,12\nValletta,Malta,8\nOban,Scotland,3\n",
    "nodes.Skipper.csv": "name,born\nIngrid Dahl,1960\nMarco Vella,1975\nAnn Reid,1982\n",
    "edges.CALLED_AT.csv": "from_label,from_key,to_label,to_key,year\n"
    "Vessel,Orkney Star,HarbourTown,Bergen,2019\nVessel,Orkney Star,HarbourTown,Oban,2020\n"
    "Vessel,Blue Heron,HarbourTown,Bergen,2021\nVessel,Sea Wolf,HarbourTown,Valletta,2021\n",
    "edges.COMMANDS.csv": "from_label,from_key,to_label,to_key\nSkipper,Ingrid Dahl,Vessel,Orkney Star\n"
    "Skipper,Marco Vella,Vessel,Sea Wolf\nSkipper,Ann Reid,Vessel,Blue Heron\n",
    "edges.TAUGHT.csv": "from_label,from_key,to_label,to_key\nSkipper,Ingrid Dahl,Skipper,Ann Reid\n"
    "Skipper,Ann Reid,Skipper,Marco Vella\n",
}

HOME_IGNORING = [
    ("Sebutkan semua mata kuliah wajib di semester 4.", "MATCH (m:MK) WHERE m.semester = 4 RETURN m.nama"),
    ("Sebutkan semua mata kuliah wajib di semester 4.", "MATCH (m:MK {tipe: 'Wajib'}) RETURN m.nama"),
    ("Berapa total SKS mata kuliah wajib?", "MATCH (m:MK {tipe: 'Wajib'}) RETURN m.sks"),
    ("Berapa banyak mata kuliah pilihan?", "MATCH (m:MK {tipe: 'Pilihan'}) RETURN m.nama"),
    (
        "Mata kuliah wajib apa yang tidak memiliki prasyarat?",
        "MATCH (:MK)-[:PREREQUISITE]->(m:MK {tipe: 'Wajib'}) RETURN m.nama",
    ),
    (
        "Apa prasyarat dari mata kuliah Sistem Operasi?",
        "MATCH (:MK {nama: 'Sistem Operasi'})-[:PREREQUISITE]->(m:MK) RETURN m.nama",
    ),
    ("Apa deskripsi dari SO KP.4?", "MATCH (s:SO {kode: 'KP.4'}) RETURN s.kode"),
    (
        "Topik apa saja pada mata kuliah Basis Data?",
        "MATCH (l:LO)-[:PURSUED_IN]->(m:MK {nama: 'Basis Data'}) RETURN l.nama",
    ),
    ("Topik apa saja pada mata kuliah Basis Data?", "MATCH (t:topic)-[:PURSUED_IN]->(m:MK) RETURN t.nama"),
    ("Aljabar Linear belajar tentang apa saja?", "MATCH (m:MK {nama: 'Aljabar Linear'}) RETURN m.nama"),
    ("Sebutkan mata kuliah semester 6, urutkan berdasarkan nama.", "MATCH (m:MK {semester: 6}) RETURN m.nama"),
    (
        "Sebutkan mata kuliah semester 6, urutkan menurut abjad.",
        "MATCH (m:MK {semester: 6}) RETURN m.nama ORDER BY m.nama DESC",
    ),
    ("Mata kuliah mana yang memiliki lebih dari empat topik?", "MATCH (t:topic)-[:PURSUED_IN]->(m:MK) RETURN m.nama"),
    ("Untuk setiap semester, berapa total SKS?", "MATCH (m:MK) RETURN sum(m.sks)"),
    ("Berapa rata-rata SKS mata kuliah pilihan?", "MATCH (m:MK {tipe: 'Pilihan'}) RETURN sum(m.sks)"),
    ("Siapa dosen mata kuliah Statistika?", "MATCH (m:MK {nama: 'Statistika'}) RETURN m.kode"),
]
STRANGE_IGNORING = [
    (
        "Which vessels under the flag of Malta called at Oban?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Oban'}) RETURN v.name",
    ),
    ("Which vessels under the flag of Malta called at Oban?", "MATCH (v:Vessel {flag: 'Malta'}) RETURN v.name"),
    (
        "How many vessels called at Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN v.name",
    ),
    ("Which vessels were built after 2000?", "MATCH (v:Vessel) RETURN v.name"),
    ("Which vessels were built after 2000?", "MATCH (v:Vessel) WHERE v.built < 2000 RETURN v.name"),
    (
        "Which vessels never called at Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN v.name",
    ),
    ("Who commands the vessel Sea Wolf?", "MATCH (v:Vessel {name: 'Sea Wolf'}) RETURN v.name"),
    ("Who taught Marco Vella?", "MATCH (s:Skipper {name: 'Marco Vella'}) RETURN s.born"),
    ("What is the oldest vessel?", "MATCH (v:Vessel) RETURN v.name"),
    ("Which harbour towns have at least 8 berths?", "MATCH (h:HarbourTown) WHERE h.berths > 8 RETURN h.name"),
    ("Which harbour towns have more than 5 berths?", "MATCH (h:HarbourTown) WHERE h.berths > 3 RETURN h.name"),
    ("What is the average number of berths of a harbour town?", "MATCH (h:HarbourTown) RETURN sum(h.berths)"),
    ("List all skippers, sorted by year born.", "MATCH (s:Skipper) RETURN s.name"),
    ("List all skippers, sorted by year born.", "MATCH (s:Skipper) RETURN s.name ORDER BY s.born DESC"),
    ("Which cargo did Blue Heron carry?", "MATCH (v:Vessel {name: 'Blue Heron'}) RETURN v.built"),
    ("Is Ingrid Dahl the skipper who commands Orkney Star?", "MATCH (s:Skipper {name: 'Ingrid Dahl'}) RETURN s.born"),
    ("List the first 2 skippers.", "MATCH (s:Skipper) RETURN s.name LIMIT 2"),
    ("How many flags do vessels have?", "MATCH (v:Vessel) RETURN count(v.flag)"),
    (
        "Which skippers command the oldest vessel?",
        "MATCH (s:Skipper)-[:COMMANDS]->(v:Vessel) RETURN s.name ORDER BY v.built LIMIT 1",
    ),
    (
        "Name the top 2 skippers who command the vessel with the highest year built.",
        "MATCH (v:Vessel) WITH v LIMIT 1 MATCH (s:Skipper)-[:COMMANDS]->(v) RETURN s.name ORDER BY s.born DESC LIMIT 2",
    ),
    (
        "Name the top 2 skippers who command the vessel with the highest year built.",
        "MATCH (v:Vessel) WITH v ORDER BY v.built LIMIT 1 MATCH (s:Skipper)-[:COMMANDS]->(v) "
        "RETURN s.name ORDER BY s.born DESC LIMIT 2",
    ),
    (
        "Which harbour towns have been called at by at least one vessel?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown) WITH h, count(v) AS n ORDER BY n LIMIT 1 RETURN h.name, n",
    ),
    (
        "Which vessels called at both Oban and Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown) WHERE h.name IN ['Oban', 'Bergen'] RETURN DISTINCT v.name",
    ),
    ("List all skippers.", "MATCH (s:Skipper)-[:COMMANDS]->(v:Vessel) WHERE v.built > 1 RETURN s.name"),
    ("Which vessels called at Bergen or later?", "MATCH (v:Vessel)-[:CALLED_AT]->(h {name: 'Bergen'}) RETURN v.name"),
    (
        "Which vessels were built after 2000?",
        "MATCH (:Skipper)-[:COMMANDS]->(v:Vessel) WHERE v.built > 2000 RETURN v.name",
    ),
    (
        "Is Orkney Star older than Blue Heron?",
        "MATCH (v:Vessel) WHERE v.name IN ['Orkney Star', 'Blue Heron'] RETURN count(*) > 0",
    ),
    (
        "Did all vessels call at Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN count(*) > 0",
    ),
    (
        "Did Orkney Star and Blue Heron call at Oban?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Oban'}) "
        "WHERE v.name IN ['Orkney Star', 'Blue Heron'] RETURN count(*) > 0",
    ),
    (
        "How many vessels that called at Bergen also called at Oban?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown) WHERE h.name IN ['Bergen', 'Oban'] RETURN count(v)",
    ),
    (
        "When did Ingrid Dahl command Orkney Star?",
        "MATCH (s:Skipper {name: 'Ingrid Dahl'})-[:COMMANDS]->(v:Vessel {name: 'Orkney Star'}) RETURN s.name, v.flag",
    ),
]
STRANGE_RIGHT = [
    (
        "Did Orkney Star or Blue Heron call at Oban?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Oban'}) "
        "WHERE v.name IN ['Orkney Star', 'Blue Heron'] RETURN count(*) > 0",
    ),
    (
        "Did all vessels call at Bergen?",
        "MATCH (v:Vessel) WHERE NOT (v)-[:CALLED_AT]->(:HarbourTown {name: 'Bergen'}) RETURN count(v) = 0",
    ),
    ("When was Orkney Star built?", "MATCH (v:Vessel {name: 'Orkney Star'}) RETURN v.built"),
    (
        "In which year did Sea Wolf call at Valletta, and when was it built?",
        "MATCH (v:Vessel {name: 'Sea Wolf'})-[c:CALLED_AT]->(h:HarbourTown {name: 'Valletta'}) RETURN c.year, v.built",
    ),
    ("List the vessels of Bergen.", "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN v.name"),
    (
        "Which skippers were in Bergen?",
        "MATCH (s:Skipper)-[:COMMANDS]->(:Vessel)-[:CALLED_AT]->(:HarbourTown {name: 'Bergen'}) RETURN s.name",
    ),
    (
        "Which vessels called at Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN v.name",
    ),
    (
        "How many vessels called at Bergen?",
        "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown {name: 'Bergen'}) RETURN count(v)",
    ),
    ("Which harbour towns have at least 8 berths?", "MATCH (h:HarbourTown) WHERE h.berths >= 8 RETURN h.name"),
    ("Who commands the vessel Sea Wolf?", "MATCH (s:Skipper)-[:COMMANDS]->(v:Vessel {name: 'Sea Wolf'}) RETURN s.name"),
    ("Which vessels were built after 2000?", "MATCH (v:Vessel) WHERE v.built > 2000 RETURN v.name"),
    (
        "List all harbour towns, sorted by berths, highest first.",
        "MATCH (h:HarbourTown) RETURN h.name ORDER BY h.berths DESC",
    ),
    ("List the first 2 skippers, sorted by name.", "MATCH (s:Skipper) RETURN s.name ORDER BY s.name LIMIT 2"),
    ("How many flags do vessels have?", "MATCH (v:Vessel) RETURN count(DISTINCT v.flag)"),
    (
        "Which skippers command the oldest vessel?",
        "MATCH (v:Vessel) WITH v ORDER BY v.built LIMIT 1 MATCH (s:Skipper)-[:COMMANDS]->(v) RETURN s.name",
    ),
]


def covering(readings: Sequence[Reading], hints: Hints, linker: Linker) -> list[str]:
    """The queries without doubts before execution, the likeliest first; empty where a word is not covered."""
    doubts = scored(readings, hints, linker)
    return likeliest(doubts, hints, linker) if 0 in doubts.values() else []
