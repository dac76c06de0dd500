import { ApiError } from '@sluice/client'

/** Matches problems with a field. A problem with a list item is shown at the list. */
const line = /^\$\.data\.([A-Za-z_][\w.]*)[^:\s]*:\s([\s\S]*)$/

/** Returns the server's problems by field path in `data`, such as `network.subnetIds`. */
export function fieldProblems(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof ApiError)) return {}
  const { code, message, details = [], metadata } = thrown.error
  if (code.endsWith(':GIVEN_ID_TAKEN')) return { givenId: message }
  if (typeof metadata?.field === 'string') return { [metadata.field]: message }
  const faults: Record<string, string> = {}
  for (const item of details.flatMap(({ items = [] }) => items)) {
    const [, field, fault] = line.exec(item) ?? []
    if (field !== undefined && fault !== undefined) faults[field] ??= fault
  }
  return faults
}
