/** Whole operations by hand on vectors of 128 bits (bench/whole_by_hand.py): modules whose `run` takes nothing, with a memory of their own. */
export async function open() {
  return { does: ({ hand }) => Boolean(hand), prepare };
}

async function prepare({ hand, size }, inputs, get) {
  const memory = new WebAssembly.Memory({ initial: hand.pages });
  const { instance } = await WebAssembly.instantiate(await get(hand.module), { env: { memory } });
  for (const [name, place] of Object.entries(hand.places)) new Float32Array(memory.buffer, place, inputs[name].data.length).set(inputs[name].data);
  const { run } = instance.exports;
  return async (read) => {
    run();
    return read ? new Float32Array(memory.buffer, hand.result, size) : undefined;
  };
}
