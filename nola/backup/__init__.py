"""The backup room: archives of everything that Nola knows, made, checked, brought back and let go."""

__all__: list[str] = []
