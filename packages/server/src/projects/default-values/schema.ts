import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { jsonPath } from '../../platform/http/faults.ts'
import { within } from '../../platform/within.ts'

export type JsonSchema = Record<string, unknown>

/** What is wrong with a value, each line with its path from `root` on. */
export type CheckValue = (value: unknown, root: string) => string[]

/** Above any schema of a default value; bounds what compiling one costs. Bytes of JSON. */
const mostSchemaBytes = 64 * 1024
const mostLines = 1_000

// A tenant's pattern can backtrack for hours, and everybody would wait for it. Milliseconds of the processor.
const compileMs = 1_000
const checkMs = 250

/** Compiles a JSON Schema (2020-12) of a user, or tells what is wrong with it. */
export function compileSchema(schema: JsonSchema, root: string): { check: CheckValue } | { faults: string[] } {
  if (Buffer.byteLength(JSON.stringify(schema)) > mostSchemaBytes) {
    return { faults: [`${root}: expected at most ${mostSchemaBytes} bytes of JSON`] }
  }
  const compiled = within(compileMs, () => {
    // One for each schema: names that a schema gives its parts must not be seen by another tenant's.
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
    addFormats.default(ajv)
    if (!ajv.validateSchema(schema)) return { errors: ajv.errors ?? [] }
    return { validate: ajv.compile(schema) }
  })
  if ('trouble' in compiled) return { faults: [`${root}: expected a JSON Schema (2020-12); ${compiled.trouble}`] }
  const { errors, validate } = compiled.result
  if (!validate) return { faults: linesOf(errors, root) }
  if ('$async' in validate) return { faults: [`${root}: expected no $async`] }
  return {
    check(value, valueRoot) {
      const checked = within(checkMs, () => (validate(value) ? [] : (validate.errors ?? [])))
      return 'trouble' in checked
        ? [`${valueRoot}: cannot be checked by its schema; ${checked.trouble}`]
        : linesOf(checked.result, valueRoot)
    },
  }
}

function linesOf(errors: ErrorObject[], root: string): string[] {
  return [...new Set(errors.slice(0, mostLines).map((error) => lineOf(error, root)))]
}

function lineOf({ instancePath, keyword, params, message }: ErrorObject, root: string): string {
  const memberPath = (name: unknown) =>
    jsonPath(`${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`, root)
  switch (keyword) {
    case 'required':
      return `${memberPath(params.missingProperty)}: expected a value, it is missing`
    case 'additionalProperties':
      return `${memberPath(params.additionalProperty)}: expected nothing, there is no such property`
    case 'enum':
      return `${jsonPath(instancePath, root)}: expected one of ${params.allowedValues.map(String).join(', ')}`
    default:
      return `${jsonPath(instancePath, root)}: ${message}`
  }
}
