// SPDX-License-Identifier: Apache-2.0
//
// `answers_fit.mjs PAGE ANSWERS` compares what the server answered in its own tests (web_fixture.h keeps that in the folder
// ANSWERS) with the types by which the page reads it: the type argument of each get<..>() and post<..>() in its sources. A
// field that a type demands is in each answer, a field that may be left out or null was seen with and without it, and each
// list with an element, unless `unseen` names it. Fields that the page does not read are the server's own affair.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [page, folder] = process.argv.slice(2);
const ts = createRequire(join(page, "package.json"))("typescript");

// The requests whose answers are read by a type, by its text in the sources. Those to check a form begin nothing.
const begun = '(?!.*"check": ?true)';
const requests = {
  About: "GET /api/about$",
  RunList: "GET /api/runs(?!.*trash=1)($|\\?)",
  Trash: "GET /api/runs\\?.*trash=1",
  RunDetail: "GET /api/runs/[^/?]+$",
  Samples: "GET /api/runs/[^/]+/samples",
  Explorer: "GET /api/runs/[^/]+/explorer",
  "{ figures: ToldCard[] }": "GET /api/(runs/[^/]+/)?scaling",
  LogPart: "GET /api/runs/[^/]+/log($|\\?)",
  "{ files: RunFile[]; left_out: number }": "GET /api/runs/[^/]+/files",
  Clone: "GET /api/runs/[^/]+/clone",
  Queue: "GET /api/queue$",
  WaitingQueue: "GET /api/queue$",
  "{ decisions: Decision[] }": "GET /api/decisions",
  Recipes: "GET /api/recipes$",
  SweepNames: "GET /api/sweeps$",
  "{ sweeps: Row[] }": "GET /api/sweeps$",
  Sweep: "GET /api/sweeps/[^/]+$",
  "{ lessons: LessonEntry[] }": "GET /api/lessons$",
  Lesson: "(GET|POST) /api/lessons/",
  Sharing: "GET /api/sharing",
  Link: "POST /api/runs/[^/]+/link",
  "{ result: unknown }": "POST /api/runs/[^/]+/control",
  "{ changed: PriorityChange[] }": "POST /api/queue/",
  "{ sweep: { name: string } }": `POST /api/sweeps \\{${begun}`,
  "{ run: string }": `POST /api/(queue|runs|runs/[^/]+/fork) \\{${begun}`,
  "{ fields: Complaints }": 'POST /api/(queue|runs|sweeps) .*"check": ?true',
  "{ fields: Complaints; recipe: string; values: Record<string, string> }": 'POST /api/runs/[^/]+/fork .*"check": ?true',
  "{ changed: RunTexts; before: RunTexts }": "POST /api/runs/[^/]+/edit",
};

// Fields that no test of the server has an answer with, in these forms.
const unseen = [
  "LineSpec.factor: left out", // but in a line that the page makes
  "LineSpec.isFromLowest: value",
  "LessonStage.run: left out",
  "LessonStage.show: left out",
  "LessonStage.smoothing: value",
  "PredictedRestart.obtained: null",
  "PredictedRestart.change: null",
  "PredictedRestart.held: null",
  "ToldFigure.right: value",
  "ToldSeries.points.x: null",
  "ToldSeries.isRight: value",
  "ToldSeries.lower: value",
  "ToldFigure.notes.x: null",
  "Point.batch_range: value",
  "Explorer.now.predicted: value",
  "Job.devices: an element",
  "Node.node: value",
  "Trial.began: null",
  "Leg.origin: value",
];

const answers = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)));

const { config } = ts.readConfigFile(join(page, "tsconfig.json"), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, page);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter(({ fileName }) => fileNames.includes(fileName));

const forms = new Map(); // in which a declared field was seen: "value", "null", "left out", "an element"

// The field's name with those around it: Lesson.pages.title.
function nameOf(declaration) {
  const names = [];
  for (let node = declaration; node; node = node.parent) if (node.name && !ts.isSourceFile(node)) names.unshift(node.name.getText());
  return names.join(".");
}

const declarationOf = (field) => field.valueDeclaration ?? field.declarations[0]; // of a mapped type the other has
const isNull = (type) => (type.flags & ts.TypeFlags.Null) !== 0;
const isMissing = (type) => (type.flags & ts.TypeFlags.Undefined) !== 0;
const membersOf = (type) => (type.isUnion() ? type.types : [type]).filter((each) => !isNull(each) && !isMissing(each));
const isList = (type) => checker.isArrayType(type) || (type.flags & ts.TypeFlags.Object && entriesOf(type));
const entriesOf = (type) => checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;

// Returns what is wrong with the value at this place, and the forms in which it has fields.
function fit(type, value, place) {
  const wrong = () => ({ faults: [`${place} is ${JSON.stringify(value)?.slice(0, 60)} instead of ${checker.typeToString(type)}`], seen: [] });
  const right = { faults: [], seen: [] };
  if (type.isUnion()) {
    if (value === null) return type.types.some(isNull) ? right : wrong();
    const fits = membersOf(type).map((each) => fit(each, value, place));
    return fits.find(({ faults }) => faults.length === 0) ?? (fits.length === 1 ? fits[0] : wrong());
  }
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return right;
  if (type.isLiteral()) return value === type.value ? right : wrong();
  if (flags & ts.TypeFlags.BooleanLiteral) return String(value) === checker.typeToString(type) ? right : wrong();
  if (flags & ts.TypeFlags.Null) return value === null ? right : wrong();
  if (flags & ts.TypeFlags.String) return typeof value === "string" ? right : wrong();
  if (flags & ts.TypeFlags.Number) return typeof value === "number" ? right : wrong();
  if (typeof value !== "object" || value === null) return wrong();
  const of = (fits) => ({ faults: fits.flatMap(({ faults }) => faults), seen: fits.flatMap(({ seen }) => seen) });
  if (checker.isTupleType(type) || checker.isArrayType(type)) {
    const parts = checker.getTypeArguments(type);
    if (!Array.isArray(value) || (checker.isTupleType(type) && parts.length !== value.length)) return wrong();
    return of(value.map((each, i) => fit(checker.isTupleType(type) ? parts[i] : parts[0], each, `${place}[]`)));
  }
  if (Array.isArray(value)) return wrong();
  const entries = entriesOf(type);
  const fields = checker.getPropertiesOfType(type);
  const others = Object.keys(value).filter((name) => entries && !fields.some((field) => field.name === name));
  return of([
    ...fields.map((field) => fitField(field, value[field.name], place)),
    ...others.map((name) => fit(entries, value[name], `${place}[]`)),
  ]);
}

function fitField(field, value, place) {
  const seen = (form) => [declarationOf(field), form];
  if (value === undefined) {
    const mayLack = (field.flags & ts.SymbolFlags.Optional) !== 0;
    return { faults: mayLack ? [] : [`${place}.${field.name} is not in the answer`], seen: [seen("left out")] };
  }
  if (value === null) return { ...fit(checker.getTypeOfSymbol(field), value, `${place}.${field.name}`), seen: [seen("null")] };
  const inside = fit(checker.getTypeOfSymbol(field), value, `${place}.${field.name}`);
  const isFilled = typeof value === "object" && Object.keys(value).length > 0;
  return { faults: inside.faults, seen: [seen("value"), ...(isFilled ? [seen("an element")] : []), ...inside.seen] };
}

// Adds the fields of the type that no answer had in one of their forms; those below a field that was never there are as unseen.
function addUnseen(type, unseenFields, visited) {
  for (const each of membersOf(type)) {
    if (visited.has(each) || !(each.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) continue;
    visited.add(each);
    if (checker.isArrayType(each) || checker.isTupleType(each)) {
      for (const part of checker.getTypeArguments(each)) addUnseen(part, unseenFields, visited);
      continue;
    }
    const entries = entriesOf(each);
    if (entries) addUnseen(entries, unseenFields, visited);
    for (const field of checker.getPropertiesOfType(each)) {
      const declaration = declarationOf(field);
      const seen = forms.get(declaration) ?? new Set();
      const fieldType = checker.getTypeOfSymbol(field);
      const add = (form) => unseenFields.add(`${nameOf(declaration)}: ${form}`);
      if (!seen.has("value")) {
        add("value");
        continue;
      }
      if (declaration.questionToken && !seen.has("left out")) add("left out");
      const isNumber = membersOf(fieldType).some((member) => member.value === "nan"); // null stands for such a one, too
      if (fieldType.isUnion() && fieldType.types.some(isNull) && !isNumber && !seen.has("null")) add("null");
      if (membersOf(fieldType).some(isList) && !seen.has("an element")) add("an element");
      addUnseen(fieldType, unseenFields, visited);
    }
  }
}

const asked = []; // the type arguments of all calls
const visit = (node) => {
  const isAsked = ts.isCallExpression(node) && node.typeArguments?.length === 1 && /(^|\.)(get|post)$/.test(node.expression.getText());
  if (isAsked) asked.push(node.typeArguments[0]);
  ts.forEachChild(node, visit);
};
sources.forEach(visit);

const faults = new Map(); // each with a request that shows it
const types = asked.filter((each) => each.getText() !== "unknown").map((each) => [each.getText(), checker.getTypeFromTypeNode(each)]);
for (const [text, type] of types) {
  const pattern = new RegExp(`^${requests[text] ?? "$"}`, "s");
  const read = answers.filter(({ request }) => pattern.test(request));
  if (read.length === 0) faults.set(`${text}: no test has an answer of this type`, "");
  for (const { request, answer } of read) {
    const { faults: found, seen } = fit(type, answer, text);
    found.filter((each) => !faults.has(each)).forEach((each) => faults.set(each, request));
    for (const [declaration, form] of seen) forms.set(declaration, (forms.get(declaration) ?? new Set()).add(form));
  }
}
const unseenFields = new Set();
for (const [, type] of types) addUnseen(type, unseenFields, new Set());
for (const each of unseenFields) if (!unseen.includes(each)) faults.set(`${each} was seen in no answer`, "");
for (const each of unseen) if (!unseenFields.has(each)) faults.set(`${each} was seen, or is no longer a field: take it off the list`, "");

for (const [fault, request] of faults) console.log(`${fault}${request && `, of ${request.slice(0, 200)}`}`);
console.log(`${answers.length} answers, ${types.length} types, ${faults.size} faults`);
process.exitCode = faults.size > 0 || types.length === 0 ? 1 : 0;
