"""The transfer room: what Nola knows as one readable document, given out and taken in again."""

__all__: list[str] = []
