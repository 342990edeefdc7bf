// Firefox, driven by WebDriver BiDi: node firefox.mjs PATH ADDRESS PREFERENCES. Starts the order of each line that comes
// in the page at the address, and ends with the input.
import { createInterface } from "node:readline";
import puppeteer from "puppeteer-core";

const [executablePath, address, preferences] = process.argv.slice(2);
const browser = await puppeteer.launch({ browser: "firefox", executablePath, extraPrefsFirefox: JSON.parse(preferences), timeout: 120_000 });
try {
  const page = await browser.newPage();
  await page.goto(address);
  console.log(await browser.version());
  for await (const line of createInterface({ input: process.stdin })) {
    await page.evaluate(async (order) => {
      while (!globalThis.start) await new Promise((resolve) => setTimeout(resolve, 10));
      globalThis.start(order);
    }, JSON.parse(line));
  }
} finally {
  await browser.close();
}
