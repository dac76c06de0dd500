/** A diagnostic of the tool with its location, without the unused members of its JSON. */
export type Diagnostic = {
  severity: string
  summary: string
  detail: string
  /** Address of the resource, if the tool was processing one. */
  address?: string
  /** Path relative to the folder of the configuration. */
  file?: string
  line?: number
  /** Header of the enclosing block, such as `resource "terraform_data" "web"`. */
  block?: string
  snippet?: string
  /** Values of the expressions in the snippet, such as `var.size is 3`. */
  values?: string[]
}

type Json = Record<string, unknown>

/** Parses the diagnostic of a message. Checks every member, because any program can print such lines. */
export function readDiagnostic(given: unknown): Diagnostic | undefined {
  if (!isObject(given) || typeof given.severity !== 'string' || typeof given.summary !== 'string') return undefined
  const range = isObject(given.range) ? given.range : {}
  const start = isObject(range.start) ? range.start : {}
  const snippet = isObject(given.snippet) ? given.snippet : {}
  return omitUndefined({
    severity: given.severity,
    summary: given.summary,
    detail: toText(given.detail) ?? '',
    address: toText(given.address),
    file: toText(range.filename),
    line: typeof start.line === 'number' ? start.line : undefined,
    block: toText(snippet.context),
    snippet: toText(snippet.code),
    values: Array.isArray(snippet.values) ? snippet.values.flatMap(formatValue) : undefined,
  })
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const formatValue = (value: unknown): string[] =>
  isObject(value) && typeof value.traversal === 'string' ? [`${value.traversal} ${toText(value.statement) ?? ''}`] : []

/** Returns the resource of a diagnostic: its address, or else the resource of the enclosing block. */
export function findResource({ address, block }: Diagnostic): string | undefined {
  const [, kind, type, name] = /^(resource|data) "([^"]*)" "([^"]*)"$/.exec(block ?? '') ?? []
  return address ?? (kind && `${kind === 'data' ? 'data.' : ''}${type}.${name}`)
}

const omitUndefined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
