"""A page that runs the plans on WebGPU and WebAssembly, checks every number against BigInt, and times all three."""
