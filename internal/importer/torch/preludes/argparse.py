"""argparse: a command line without arguments gives the defaults; --arg of ours may override them."""
from _commandline import given, missing

SUPPRESS = "==SUPPRESS=="
OPTIONAL, ZERO_OR_MORE, ONE_OR_MORE, PARSER, REMAINDER = "?", "*", "+", "A...", "..."


class Namespace:
    def __init__(self, **kwargs):
        for name in kwargs:
            setattr(self, name, kwargs[name])

    def __contains__(self, key):
        return hasattr(self, key)

    def _get_kwargs(self):
        return list(self.__dict__.items())


class ArgumentError(Exception):
    pass


class ArgumentTypeError(Exception):
    pass


class Action:
    def __init__(self, option_strings=None, dest=None, nargs=None, const=None, default=None, type=None, choices=None, required=False, help=None,
                 metavar=None, **kwargs):
        self.option_strings = option_strings
        self.dest = dest
        self.default = default


class BooleanOptionalAction(Action):
    pass


class HelpFormatter:
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class FileType:
    def __init__(self, mode="r", bufsize=-1, encoding=None, errors=None):
        self.mode = mode


class _Option:
    def __init__(self, flags, dest, action, default, type, nargs, const, required):
        self.option_strings = [f for f in flags if f.startswith("-")]
        self.flags = flags
        self.dest = dest
        self.action = action
        self.default = default
        self.type = type
        self.nargs = nargs
        self.const = const
        self.required = required

    def convert(self, text):
        return text if self.type is None else self.type(text)

    def missing_default(self, name):
        """The value where the command line does not have the option."""
        text = given(name)
        if text is not None:
            return self.from_text(text)
        if self.default is not None:
            return self.convert(self.default) if isinstance(self.default, str) else self.default
        positional = not self.option_strings
        if self.required or (positional and self.nargs not in ("?", "*", "...", "A...")):
            return missing(name)
        if positional and self.nargs == "*":
            return []
        return None

    def from_text(self, text):
        if self.action in ("store_true", "store_false") or self.action is BooleanOptionalAction:
            return text.lower() in ("true", "1", "yes")
        if self.nargs in ("*", "+") or isinstance(self.nargs, int):
            return [self.convert(part) for part in text.strip("[]()").replace(",", " ").split()]
        return self.convert(text)


class _Container:
    def __init__(self, options, defaults):
        self._actions = options
        self._defaults = defaults

    def add_argument(self, *flags, dest=None, action="store", default=None, type=None, nargs=None, const=None, choices=None, required=False,
                     help=None, metavar=None, version=None, **kwargs):
        if action in ("help", "version"):
            return None
        if dest is None:
            long = [f for f in flags if f.startswith("--")]
            dest = (long + list(flags))[0].lstrip("-").replace("-", "_")
        if action == "store_true" and default is None:
            default = False
        if action == "store_false" and default is None:
            default = True
        option = _Option(list(flags), dest, action, default, type, nargs, const, required)
        self._actions.append(option)
        return option

    def add_argument_group(self, *args, **kwargs):
        return _Container(self._actions, self._defaults)

    def add_mutually_exclusive_group(self, required=False):
        return _Container(self._actions, self._defaults)

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)

    def get_default(self, dest):
        if dest in self._defaults:
            return self._defaults[dest]
        for option in self._actions:
            if option.dest == dest:
                return option.default
        return None


class _Subparsers:
    def __init__(self):
        self.choices = {}

    def add_parser(self, name, **kwargs):
        self.choices[name] = ArgumentParser()
        return self.choices[name]


class ArgumentParser(_Container):
    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=[], formatter_class=None, prefix_chars="-",
                 fromfile_prefix_chars=None, argument_default=None, conflict_handler="error", add_help=True, allow_abbrev=True,
                 exit_on_error=True, **kwargs):
        options, defaults = [], {}
        for parent in parents:
            options.extend(parent._actions)
            defaults.update(parent._defaults)
        super().__init__(options, defaults)
        self.prog, self.description, self.epilog, self.usage = prog, description, epilog, usage
        self._subparsers = None

    def add_subparsers(self, dest=None, **kwargs):
        self._subparsers = dest
        return _Subparsers()

    def parse_args(self, args=None, namespace=None):
        return self.parse_known_args(args, namespace)[0]

    def parse_known_args(self, args=None, namespace=None):
        out = Namespace() if namespace is None else namespace
        for option in self._actions:
            if option.dest in self._defaults or hasattr(out, option.dest) or option.default == SUPPRESS:
                continue
            setattr(out, option.dest, option.missing_default(option.dest))
        for name in self._defaults:
            if not hasattr(out, name):
                setattr(out, name, self._defaults[name])
        if self._subparsers is not None:
            setattr(out, self._subparsers, None)
        rest = self._read(out, list(args)) if args else []
        return out, rest

    def _read(self, out, words):
        rest = []
        positional = [option for option in self._actions if not option.option_strings]
        while words:
            word = words.pop(0)
            flag, _, value = word.partition("=")
            found = [option for option in self._actions if flag in option.option_strings]
            if not found:
                if word.startswith("-") or not positional:
                    rest.append(word)
                    continue
                option = positional.pop(0)
                words.insert(0, word)
            else:
                option = found[0]
                if value:
                    words.insert(0, value)
            if option.action == "store_true":
                setattr(out, option.dest, True)
            elif option.action == "store_false":
                setattr(out, option.dest, False)
            elif option.action == "store_const":
                setattr(out, option.dest, option.const)
            elif option.nargs in ("*", "+") or isinstance(option.nargs, int):
                values = []
                while words and not words[0].startswith("-") and (not isinstance(option.nargs, int) or len(values) < option.nargs):
                    values.append(option.convert(words.pop(0)))
                setattr(out, option.dest, values)
            elif option.action == "append":
                setattr(out, option.dest, (getattr(out, option.dest) or []) + [option.convert(words.pop(0))])
            else:
                setattr(out, option.dest, option.convert(words.pop(0)))
        return rest

    def print_help(self, file=None):
        pass

    def print_usage(self, file=None):
        pass

    def error(self, message):
        raise ArgumentError(message)

    def exit(self, status=0, message=None):
        pass

    def register(self, *args):
        pass
