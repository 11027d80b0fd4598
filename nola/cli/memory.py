"""`nola memory`: what Nola remembers beyond her files, from the command line; its commands stand beside this file."""

from nola.cli import memory_add, memory_find, memory_list, memory_show, memory_whole
from nola.cli.command import command, noun

__all__ = ["group"]

group = noun("What Nola remembers: store it, find it, see why it stays or fades.")

for _function in (
    memory_add.add,
    memory_list.list_,
    memory_find.search,
    memory_show.show,
    memory_show.explain,
    memory_show.edges,
    memory_show.events,
    memory_list.innate,
    memory_list.stats,
    memory_whole.reindex,
    memory_whole.export,
    memory_whole.import_,
):
    command(group, _function.__name__.removesuffix("_"))(_function)  # list and import are no names for functions
