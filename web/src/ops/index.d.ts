/** Written by `hologram-web build-ops` into web/dist. */
export { FILES };
declare const FILES: import("../packed.js").Files;
