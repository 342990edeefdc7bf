import { defineConfig } from "vitest/config";

export default defineConfig({
  // What `npm run build` writes beside the bundle, and e2e.samples for tests.
  resolve: { alias: [{ find: /^\.\/(ops|stdlib)\/index\.js$/, replacement: new URL("build/e2e/$1/index.js", import.meta.url).pathname }] },
  // A test takes a second at most; a machine that is slow, or stands still for a while, may take longer.
  test: { include: ["web/test/**/*.test.{ts,mjs}"], testTimeout: 60_000, hookTimeout: 60_000 },
});
