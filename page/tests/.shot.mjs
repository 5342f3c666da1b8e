import { browser, open, settled } from "/work/wt/h23/page/tests/browser.mjs";
const c = await browser({ colorScheme: process.argv[2] ?? "light", viewport: { width: Number(process.argv[3] ?? 1440), height: Number(process.argv[4] ?? 900) } });
const t = performance.now();
const { page, requests, errors } = await open(c);
console.log("opened", performance.now() - t, requests, errors);
if (process.argv[6]) { await page.click(`#tab-${process.argv[6]}`); await settled(page); await page.waitForTimeout(1500); }
await page.screenshot({ path: process.argv[5] ?? "/tmp/shot.png", fullPage: true });
await c.close();
