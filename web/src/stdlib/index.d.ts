/** Written by `hologram-web build-stdlib --modules` into web/dist. */
export { FILES };
declare const FILES: import("../packed.js").Files;
