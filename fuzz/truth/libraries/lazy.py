"""A package whose attributes are looked up when they are asked for, and one of them fails."""

__all__ = ["broken", "count"]


def __getattr__(name):
    if name == "broken":
        raise SystemExit(1)
    raise AttributeError(name)


class Lazy:
    def __get__(self, instance, owner):
        raise SystemExit(1)


class Settings:
    value = Lazy()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise SystemExit(1)


settings = Settings()


class Unset:
    """Asks for what is not installed, whatever is asked for."""

    def __getattr__(self, name):
        raise SystemExit(f"{name}: install lazy[all]")


class Backends:
    fast = Unset()
    slow = 1


def count(xs):
    found = 0
    for x in xs:
        if x > 3:
            found += 1
    return found
