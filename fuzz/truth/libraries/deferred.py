"""Objects whose attributes raise what is no ordinary exception, or do not want to be asked."""


class Proxy:
    def __init__(self, make):
        object.__setattr__(self, "_make", make)

    def __getattribute__(self, name):
        if name in ("__class__", "__init__", "__dict__"):
            return object.__getattribute__(self, name)
        raise KeyboardInterrupt


class Module:
    def __getattr__(self, name):
        raise RuntimeError("the settings are not there yet")


class Names:
    first = Proxy(dict)


class Plugin:
    """A descriptor that looks for its module when anything of it is wanted."""

    def __getattr__(self, name):
        raise ImportError(f"no module for {name}")


class Registry:
    plugin = Plugin()
    other = Plugin()


current = Proxy(dict)
later = Module()


def __getattr__(name):
    if name in ("slow", "__wrapped__", "cache_clear"):
        raise SystemExit(3)
    raise AttributeError(name)
