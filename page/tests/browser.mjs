// Debian's Chromium with a profile of its own and nothing that talks to a network.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { root } from "./questions.mjs";

export const address = pathToFileURL(join(root, "build/page/index.html")).href;

export async function browser(options = {}) {
  return chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "boxwood-chromium-")), {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    acceptDownloads: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
    viewport: { width: 1440, height: 900 },
    ...options,
  });
}

/** Opens the page and waits for its first answer; `requests` lists what it asked a network for. */
export async function open(context, at = address) {
  const page = await context.newPage();
  const requests = [];
  const errors = [];
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.goto(at);
  await settled(page);
  return { page, requests, errors };
}

/** Until the question, and the open panel, are answered. */
export async function settled(page) {
  await page.waitForSelector(".answer h2, .card.error", { timeout: 60_000 });
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), undefined, { timeout: 120_000 });
}
