import { ApiError } from '@sluice/client'

/** What the service finds wrong with one item of a list is shown at the list. */
const line = /^\$\.data\.([A-Za-z_][\w.]*)[^:\s]*:\s([\s\S]*)$/

/**
 * What the service says of each field that it refused, by the path of the field in `data`, such as `network.subnetIds`.
 */
export function fieldFaults(thrown: unknown): Readonly<Record<string, string>> {
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
