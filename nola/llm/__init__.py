"""Models that answer and models that turn text into vectors: spoken to, chosen, fetched and run."""

__all__: list[str] = []
