import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type FakeAnswer, type FakeRequest, match } from './http.fixture.ts'

type Json = Record<string, unknown>
interface Described {
  status: number
  query: Record<string, object>
  request?: object
  answer: object
  example: unknown
}

const { operations, $defs }: { operations: Record<string, Described>; $defs: object } = JSON.parse(
  readFileSync(new URL('./githosta.model.json', import.meta.url), 'utf8'),
)

/** GitHub's documented example of an app. */
export const exampleApp = operations['GET /app']?.example

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false })
const validators = new Map<object, ValidateFunction>()

/** Returns the schema violations of a value. */
function faultsIn(schema: object, value: unknown): string[] {
  const validate = validators.get(schema) ?? ajv.compile({ $defs, ...schema })
  validators.set(schema, validate)
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns GitHub's example with the given values replaced. */
export function fillExample(example: unknown, wanted: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(example) && isObject(example[0])) {
    return wanted.map((one) => fillExample(example[0], one))
  }
  if (!isObject(example) || !isObject(wanted)) return wanted
  const merged = Object.entries(wanted).map(([name, value]) => [name, fillExample(example[name], value)])
  return { ...example, ...Object.fromEntries(merged) }
}

/** Corrections of examples that do not match GitHub's own schemas. */
const mended: Record<string, unknown> = {
  'GET /repos/{owner}/{repo}': { language: null, source: { language: null } },
  'GET /repos/{owner}/{repo}/branches': [{ protection: undefined }],
  'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls': [{ requested_teams: [] }],
}
for (const [name, mends] of Object.entries(mended)) {
  const operation = operations[name]
  if (operation) operation.example = fillExample(operation.example, mends)
}

/** Converts an operation's path to a route pattern. File paths can contain slashes. */
const pathOf = (operation: string) => operation.replace('{path}', '.*').replaceAll(/\{(\w+)\}/g, ':$1')

/**
 * Completes fake responses from GitHub's documented examples and records requests and responses that deviate from its
 * schemas.
 */
export function modelOfA(prefix: string) {
  const deviations: string[] = []
  return {
    deviations,
    whole(request: FakeRequest, answer: FakeAnswer): FakeAnswer {
      if (answer.status >= 300 || !request.path.startsWith(prefix)) return answer
      const asked = { ...request, path: request.path.slice(prefix.length) }
      const [name, operation] = Object.entries(operations).find(([one]) => match(pathOf(one), asked)) ?? []
      if (name === undefined || operation === undefined) {
        deviations.push(`${asked.method} ${asked.path} is not among the operations of githosta.model.json`)
        return answer
      }
      const note = (what: string, faults: string[]) =>
        deviations.push(...faults.map((fault) => `${name}: the ${what}${fault}`))
      const unknown = [...request.query.keys()].filter((one) => !(one in operation.query))
      note('query ', unknown)
      if (operation.request) note('request', faultsIn(operation.request, request.body))
      else if (Object.keys(request.body).length > 0) note('request', [' has a body'])
      const body = fillExample(operation.example, answer.body)
      note('answer', faultsIn(operation.answer, body))
      note('status ', answer.status === operation.status ? [] : [String(answer.status)])
      return { ...answer, body }
    },
  }
}
