"""An office's own letter templates of OpenSID, made into letter folders. It ships none of OpenSID's texts."""
