"""The state room: the hierarchy of JSON files that holds who Nola is and what she knows of her owner."""

__all__: list[str] = []
