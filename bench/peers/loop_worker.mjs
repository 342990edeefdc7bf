// A thread of loops.mjs: is told its part once, and then does it whenever it hears.
let work;
onmessage = async ({ data }) => {
  if (data) {
    const { exports } = await WebAssembly.instantiate(data.code, { env: { memory: data.memory } });
    work = () => exports[data.name](...data.part);
  } else {
    work();
  }
  postMessage(null);
};
