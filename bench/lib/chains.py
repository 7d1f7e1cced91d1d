"""Generated programs of any length for meshes of any size: tensor-parallel layers, one after the other."""

OPS_PER_LAYER = 4
LAYERS_PER_WEIGHTS = 100


def make_chain(ops, devices):
    """StableHLO text of about `ops` ops: tanh(x w1) w2 + x, batch over one axis, hidden over the other."""
    model = max(1, min(8, devices // 2))
    data = devices // model
    layers = max(1, ops // OPS_PER_LAYER)
    weights = (layers - 1) // LAYERS_PER_WEIGHTS + 1
    batch, width, hidden = 4 * data, 16 * model, 32 * model
    x, h, w1, w2 = (f"tensor<{a}x{b}xf32>" for a, b in ((batch, width), (batch, hidden), (width, hidden), (hidden, width)))

    def on(*axes):
        dims = ", ".join(f'{{"{axis}"}}' if axis else "{}" for axis in axes)
        return f"{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"

    arguments = [f"%x: {x} {on('data', '')}"]
    for i in range(weights):
        arguments += [f"%u{i}: {w1} {on('', 'model')}", f"%v{i}: {w2} {on('model', '')}"]
    yield (f"module @chain attributes {{mhlo.num_partitions = {devices} : i32, mhlo.num_replicas = 1 : i32}} {{\n"
           f'sdy.mesh @mesh = <["data"={data}, "model"={model}]>\n'
           f"func.func public @main({', '.join(arguments)}) -> ({x} {on('data', '')}) {{\n")
    value = "%x"
    for i in range(layers):
        weight = i // LAYERS_PER_WEIGHTS
        yield (f"%a{i} = stablehlo.dot_general {value}, %u{weight}, contracting_dims = [1] x [0] : ({x}, {w1}) -> {h}\n"
               f"%b{i} = stablehlo.tanh %a{i} : {h}\n"
               f"%c{i} = stablehlo.dot_general %b{i}, %v{weight}, contracting_dims = [1] x [0] : ({h}, {w2}) -> {x}\n"
               f"%d{i} = stablehlo.add %c{i}, {value} : {x}\n")
        value = f"%d{i}"
    yield f"return {value} : {x}\n}}\n}}\n"
