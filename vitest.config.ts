import { defineConfig } from "vitest/config";

export default defineConfig({
  // A test takes a second at most; a machine that is slow, or stands still for a while, may take longer.
  test: { include: ["web/test/**/*.test.{ts,mjs}"], testTimeout: 60_000, hookTimeout: 60_000 },
});
