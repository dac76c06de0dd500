import type { PolicyTest } from '@sluice/contract'

/** What the fields of each test are called in a form. */
export const testFields = { name: 'test.name', given: 'test.given', expect: 'test.expect' } as const

/** What is wrong with what an expression is to be given; nothing where it is an object in JSON. */
export function faultInGiven(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? '' : 'Enter a JSON object: { … }'
  } catch (error) {
    return `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The tests of a form, in their order. Forms are not sent with what is not JSON. */
export function testsIn(form: FormData): PolicyTest[] {
  const all = (field: keyof typeof testFields) => form.getAll(testFields[field]).map(String)
  const [given, expected] = [all('given'), all('expect')]
  return all('name').map((name, index) => ({
    name: name.trim(),
    given: JSON.parse(given[index] ?? '{}'),
    expect: expected[index] === 'ALLOWED' ? 'ALLOWED' : 'VIOLATED',
  }))
}
