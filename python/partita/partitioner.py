"""The hook in JAX: what it compiles for several partitions goes through Partita first.

JAX has no public place for another partitioner; this replaces `jax._src.compiler.compile_or_get_cached`, below which the
persistent cache lies, so that an executable is cached under the program that Partita made. Functions that are compiled
already stay as they are; `jax.clear_caches()` makes JAX compile them anew.
"""
import contextlib
import warnings

from . import machines, tools

POLICIES = ("warn", "raise", "ignore")


def count_partitions(module):
    from jaxlib.mlir import ir
    attributes = module.operation.attributes
    return ir.IntegerAttr(attributes["mhlo.num_partitions"]).value if "mhlo.num_partitions" in attributes else 1


class Partitioner:
    """How modules are partitioned, and what became of them.

    `on_refusal` says what happens to a module that Partita or XLA refuses in Partita's form: "warn" and "ignore" leave it to
    XLA's partitioner, "raise" ends the compilation with `Refused`.
    """

    def __init__(self, on_refusal="warn", **options):
        if on_refusal not in POLICIES:
            raise ValueError(f"on_refusal='{on_refusal}' is not known; fix: use one of {', '.join(POLICIES)}")
        self.on_refusal, self.options = on_refusal, options
        # Number of modules that were compiled in Partita's form, and why others were not.
        self.compiled, self.refused = 0, []
        tools.find("partita-translate")

    def get_options(self, devices):
        """Those given, with the machine that the devices are."""
        options = dict(self.options)
        if "machine" not in options:
            device = devices.flat[0]
            if machine := machines.choose(device.platform, device.device_kind):
                options["machine"] = machine
        return options

    def compile(self, compile_with_xla, backend, module, devices, *rest, **named):
        """What JAX calls in place of `compile_with_xla`."""
        if count_partitions(module) < 2:
            return compile_with_xla(backend, module, devices, *rest, **named)
        try:
            executable = self.compile_manual_form(compile_with_xla, backend, module, devices, *rest, **named)
        except tools.Refused as refusal:
            self.refused.append(str(refusal))
            if self.on_refusal == "raise":
                raise
            if self.on_refusal == "warn":
                warnings.warn(f"Partita leaves a module to XLA's partitioner: {refusal}", stacklevel=2)
            return compile_with_xla(backend, module, devices, *rest, **named)
        self.compiled += 1
        return executable

    def compile_manual_form(self, compile_with_xla, backend, module, devices, *rest, **named):
        from jaxlib.mlir import ir
        manual = tools.make_manual_form(str(module), self.get_options(devices))
        try:
            with module.context:
                parsed = ir.Module.parse(manual)
            return compile_with_xla(backend, parsed, devices, *rest, **named)
        except Exception as error:
            raise tools.Refused("XLA: " + (str(error).splitlines() or [type(error).__name__])[0], str(error)) from error


_original = None
_active = []


def _install():
    """Puts the hook in, once."""
    global _original
    if _original:
        return
    from jax._src import compiler
    if not hasattr(compiler, "compile_or_get_cached"):
        import jax
        raise RuntimeError(f"jax {jax.__version__} compiles in another way; fix: use jax 0.10.2")
    _original = compiler.compile_or_get_cached

    def compile_or_get_cached(backend, computation, devices, *rest, **named):
        if not _active:
            return _original(backend, computation, devices, *rest, **named)
        return _active[-1].compile(_original, backend, computation, devices, *rest, **named)

    compiler.compile_or_get_cached = compile_or_get_cached


def enable(on_refusal="warn", **options):
    """From now on Partita partitions what JAX compiles. Returns the Partitioner."""
    chosen = Partitioner(on_refusal, **options)
    _install()
    _active[:] = [chosen]
    return chosen


def disable():
    """XLA partitions again what is compiled from now on."""
    _active.clear()


@contextlib.contextmanager
def partitioner(on_refusal="warn", **options):
    """Partita partitions what JAX compiles inside; gives the Partitioner."""
    chosen = Partitioner(on_refusal, **options)
    _install()
    _active.append(chosen)
    try:
        yield chosen
    finally:
        if chosen in _active:
            _active.remove(chosen)
