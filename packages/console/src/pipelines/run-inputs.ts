import type { UserFacingError } from '@sluice/contract'
import type { RunInput } from './config.ts'

type RunInputs = { inputs: Record<string, unknown>; faults: Record<string, string> }

/** Returns the form field name of an input. */
export const fieldName = ({ id }: RunInput): string => `input.${id}`

/** Returns the form's values in their declared types. Empty fields are omitted. */
export function inputsFromForm(declared: readonly RunInput[], form: FormData): RunInputs {
  const given: RunInputs = { inputs: {}, faults: {} }
  for (const input of declared) {
    const texts = form.getAll(fieldName(input)).map(String)
    const text = texts[0]?.trim() ?? ''
    if (text === '') {
      if (input.required && input.default === undefined) given.faults[input.id] = 'This input is required.'
      continue
    }
    const read = readValue(input, text)
    if ('fault' in read) given.faults[input.id] = read.fault
    else given.inputs[input.id] = read.value
  }
  return given
}

function readValue({ type, values }: RunInput, text: string): { value: unknown } | { fault: string } {
  if (values && type !== 'string_array' && type !== 'array') {
    return { value: values.find((one) => formatValue(one) === text) ?? text }
  }
  if (type === 'string') return { value: text }
  if (type === 'boolean') return { value: text === 'true' }
  if (type === 'string_array')
    return {
      value: text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    }
  if (type === 'number') {
    const value = Number(text)
    return Number.isFinite(value) ? { value } : { fault: `${text} is not a number.` }
  }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Formats a value for its form field. */
export function formatValue(value: unknown, type?: RunInput['type']): string {
  if (value === undefined || value === null) return ''
  if (type === 'string_array' && Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Returns the server's problem with an input. Such problems start with the input's path. */
export const inputProblem = ({ details = [] }: UserFacingError, id: string): string | undefined =>
  details
    .flatMap(({ items = [] }) => items)
    .find((item) => new RegExp(`^\\$\\.data\\.inputs\\.${id}\\b`).test(item))
    ?.replace(/^\S+:\s*/, '')
