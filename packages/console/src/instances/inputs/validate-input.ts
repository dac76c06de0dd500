import type { InputDefinition } from './definition.ts'

const isMissing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Validates a value in the browser. The server decides. */
export function validateInput(
  { required, min, max, patterns = [], type }: InputDefinition,
  value: unknown,
): string | undefined {
  if (isMissing(value)) return required ? 'This field is required.' : undefined
  if (type === 'number' && typeof value === 'number') {
    if (min !== undefined && value < min) return `Must be at least ${min}.`
    if (max !== undefined && value > max) return `Must be at most ${max}.`
  }
  const texts = [value].flat().filter((one) => typeof one === 'string')
  return patterns.find(({ pattern }) => texts.some((text) => !new RegExp(pattern).test(text)))?.message
}
