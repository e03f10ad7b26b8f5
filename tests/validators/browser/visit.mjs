// Opens pages in Chromium and prints, as JSON, what a reader meets on each visit.
// Arguments: the folder with the packages, the browser, and the visits (`Visit` in __init__.py).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, executablePath, visits] = process.argv.slice(2);
const packages = createRequire(`${folder}/package.json`);
const { chromium } = packages("playwright-core");
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
// Root has no sandbox, and the pages are ours.
const timeout = 600_000; // machines are busy
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout });
const answers = [];
for (const each of JSON.parse(visits)) answers.push(await visited(each));
await browser.close();
console.log(JSON.stringify(answers));

async function visited({ page: path, width, dark, print, keys, picture }) {
  const page = await browser.newPage({
    colorScheme: dark ? "dark" : "light",
    viewport: { width, height: 900 },
  });
  page.setDefaultTimeout(timeout);
  const messages = [];
  const requests = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(path).href);
  if (print) await page.emulateMedia({ media: "print" });
  const answer = { messages, requests, ...(await page.evaluate(read)) };
  if (keys) {
    answer.tabs = [];
    for (let n = 0; n < answer.focusable; n++) {
      await page.keyboard.press("Tab");
      answer.tabs.push(await page.evaluate(focused));
    }
  }
  if (picture) await page.screenshot({ path: picture, fullPage: true });
  if (print) answer.pdf = (await page.pdf()).subarray(0, 5).toString();
  await page.evaluate(() => document.querySelectorAll("details").forEach((it) => (it.open = true)));
  answer.overflows = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run());
  answer.violations = found.violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]);
  await page.close();
  return answer;
}

// The place of the focused element in the document, and whether readers see that it is focused.
function focused() {
  const it = document.activeElement;
  const outline = getComputedStyle(it).outlineStyle;
  return { place: [...document.querySelectorAll("*")].indexOf(it), seen: outline !== "none" };
}

function read() {
  const { color, backgroundColor } = getComputedStyle(document.body);
  const focusable = document.querySelectorAll("a[href], summary, [tabindex]");
  return {
    // What is rendered: without the contents of what is closed.
    shown: document.body.innerText,
    text: document.body.textContent,
    colours: [color, backgroundColor],
    focusable: [...focusable].filter((it) => it.checkVisibility()).length,
    levels: [...document.querySelectorAll("h1,h2,h3,h4,h5")].map((it) => Number(it.tagName[1])),
  };
}
