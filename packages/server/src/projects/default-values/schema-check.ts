import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { jsonPath } from '../../platform/http/faults.ts'
import { withSyncTimeout } from '../../platform/within.ts'

/** Schema with its path, and values with their paths. */
export type ToCheck = {
  schema: Record<string, unknown>
  root: string
  values: { value: unknown; root: string }[]
}

/** Errors in the schema or, if it is valid, in the values. */
export type Checked = { ofSchema: string[] } | { ofValues: string[] }

const mostLines = 1_000

/** Validates in a worker thread. */
export function work({ schema, root, values }: ToCheck, budgetMs: number): Checked {
  const compiled = withSyncTimeout(budgetMs, () => {
    // A separate instance for each schema, so that the names in a schema cannot be referenced by another tenant's.
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
    addFormats.default(ajv)
    if (!ajv.validateSchema(schema)) return { errors: ajv.errors ?? [] }
    return { validate: ajv.compile(schema) }
  })
  if ('trouble' in compiled) return { ofSchema: [`${root}: expected a JSON Schema (2020-12); ${compiled.trouble}`] }
  const { errors, validate } = compiled.result
  if (!validate) return { ofSchema: linesOf(errors, root) }
  if ('$async' in validate) return { ofSchema: [`${root}: expected no $async`] }
  let begun = root
  const checked = withSyncTimeout(budgetMs, () => {
    const lines: string[] = []
    for (const { value, root: place } of values) {
      begun = place
      if (!validate(value)) lines.push(...linesOf(validate.errors ?? [], place))
      if (lines.length >= mostLines) break
    }
    return lines
  })
  return {
    ofValues: 'trouble' in checked ? [`${begun}: cannot be checked by its schema; ${checked.trouble}`] : checked.result,
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
      return `${memberPath(params.missingProperty)}: required, but missing`
    case 'additionalProperties':
      return `${memberPath(params.additionalProperty)}: unknown property`
    case 'enum':
      return `${jsonPath(instancePath, root)}: expected one of ${params.allowedValues.map(String).join(', ')}`
    default:
      return `${jsonPath(instancePath, root)}: ${message}`
  }
}
