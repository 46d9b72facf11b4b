"""Builds the graph of businesses and reviews that seeds GRANDstack's starter kit, from its CSV file. Asks nothing.

Map points are left out, because a graph folder can't hold them; review dates are kept as text.
"""

from __future__ import annotations

from pathlib import Path

from lab.eval.text2cypher.fincen import Made, rows
from servers.text2cypher.loading.run import Loaded

REPOSITORY = "ppecheux/skate-learning"
FILES = ("api/src/seed/grandstack_businesses.csv",)


def grandstack(folder: Path) -> Loaded:
    """Build the graph from the file in `folder`."""
    made = Made(Loaded(folder))
    for row in rows(folder / Path(FILES[0]).name):
        user = made.node("User", "userId", row["userId"], name=row["userName"])
        places = {name: row[f"business{name.capitalize()}"] for name in ("name", "city", "state", "address")}
        business = made.node("Business", "businessId", row["businessId"], **places)
        told = {"text": row["reviewText"], "date": row["reviewDate"], "stars": float(row["reviewStars"])}
        review = made.node("Review", "reviewId", row["reviewId"], **told)
        made.join(user, "WROTE", review)
        made.join(review, "REVIEWS", business)
        for name in row["categories"].split(","):
            made.join(business, "IN_CATEGORY", made.node("Category", "name", name))
    return made.graph
