// Reads [{name, body}] and prints what Karpenter's schemas say of each, as a list of lines.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const models = join(process.cwd(), "node_modules/@kubernetes-models/karpenter");
const violations = [];
for (const { name, body } of JSON.parse(readFileSync(0, "utf-8"))) {
  const file = join(models, body.apiVersion, `${body.kind}.js`);
  try {
    const { [body.kind]: Model } = await import(pathToFileURL(file));
    new Model(body).validate();
  } catch (error) {
    violations.push(`${name}: ${error.message}`);
  }
}
process.stdout.write(JSON.stringify(violations));
