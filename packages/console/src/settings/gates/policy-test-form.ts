import type { PolicyTest } from '@sluice/contract'

/** Form field names of a test. */
export const testFields = { name: 'test.name', given: 'test.given', expect: 'test.expect' } as const

/** Validates the input of a test; empty if it is a JSON object. */
export function validateTestInput(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? '' : 'Enter a JSON object: { … }'
  } catch (error) {
    return `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Returns the tests of a form in order. Forms with invalid JSON are not submitted. */
export function testsFromForm(form: FormData): PolicyTest[] {
  const all = (field: keyof typeof testFields) => form.getAll(testFields[field]).map(String)
  const [given, expected] = [all('given'), all('expect')]
  return all('name').map((name, index) => ({
    name: name.trim(),
    given: JSON.parse(given[index] ?? '{}'),
    expect: expected[index] === 'ALLOWED' ? 'ALLOWED' : 'VIOLATED',
  }))
}
