/** Words of fields whose names are not plain English. */
const fieldNames: Readonly<Record<string, string>> = {
  givenId: 'Given ID',
  requiredApprovals: 'Required approvals',
  excludeStarter: 'Exclude the person who starts the release',
  excludeAuthor: 'Exclude the author of the commit',
  expiresAfterMinutes: 'Expires after (minutes)',
  serviceAccounts: 'Service accounts can approve',
  rollbacks: 'Applies to rollbacks',
  guards: 'Applies to',
  organizationDays: 'Retention period (days)',
  moduleInstanceId: 'Service',
  cloudId: 'Account number',
  cloudArn: 'Role ARN',
}

/** Returns the words of a field: `moduleVersionId` is “Module version”. */
export function fieldName(field: string): string {
  const known = fieldNames[field]
  if (known !== undefined) return known
  const words = field
    .replace(/(?<=[a-z])Ids?$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Names of records by their ID. */
export type Names = ReadonlyMap<string, string>

const isId = (text: string): boolean => /^[a-z]{2,6}_[0-9a-z]{26}$/.test(text)

/** Returns the words of a value; a value with parts is undefined, because it is shown as JSON. */
export function valueText(value: unknown, names: Names): string | undefined {
  if (value === undefined || value === null || value === '') return 'not set'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return value.toLocaleString('en')
  if (typeof value === 'string')
    return names.get(value) ?? (isId(value) ? 'a record without a name' : wordsOfText(value))
  if (!Array.isArray(value)) return undefined
  if (value.length === 0) return 'none'
  const parts = value.map((part) => valueText(part, names))
  return parts.every((part) => part !== undefined) ? parts.join(', ') : undefined
}

/** Returns the words of an enumeration value such as `PENDING_APPROVAL`, or the local time of a timestamp. */
function wordsOfText(text: string): string {
  if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(text) && text.length > 2) return text.toLowerCase().replaceAll('_', ' ')
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return new Date(text).toLocaleString()
  return text
}
