/** What the tool has against something, and where: what it says in JSON, without the parts that nobody reads. */
export type Diagnostic = {
  severity: string
  summary: string
  detail: string
  /** Of the resource; only where the tool is at one. */
  address?: string
  /** Counted from the folder of the configuration. */
  file?: string
  line?: number
  /** The block around it, such as `resource "terraform_data" "web"`. */
  block?: string
  snippet?: string
  /** What stands in the snippet, such as `var.size is 3`. */
  values?: string[]
}

type Json = Record<string, unknown>

/** Reads the diagnostic of a message. Any program can write such lines, so nothing is taken to be there. */
export function readDiagnostic(given: unknown): Diagnostic | undefined {
  if (!isObject(given) || typeof given.severity !== 'string' || typeof given.summary !== 'string') return undefined
  const range = isObject(given.range) ? given.range : {}
  const start = isObject(range.start) ? range.start : {}
  const snippet = isObject(given.snippet) ? given.snippet : {}
  return definedOnly({
    severity: given.severity,
    summary: given.summary,
    detail: textOf(given.detail) ?? '',
    address: textOf(given.address),
    file: textOf(range.filename),
    line: typeof start.line === 'number' ? start.line : undefined,
    block: textOf(snippet.context),
    snippet: textOf(snippet.code),
    values: Array.isArray(snippet.values) ? snippet.values.flatMap(readingOf) : undefined,
  })
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const readingOf = (value: unknown): string[] =>
  isObject(value) && typeof value.traversal === 'string' ? [`${value.traversal} ${textOf(value.statement) ?? ''}`] : []

/** The resource that a diagnostic is about; that of its block where the tool was not at one yet. */
export function resourceOf({ address, block }: Diagnostic): string | undefined {
  const [, kind, type, name] = /^(resource|data) "([^"]*)" "([^"]*)"$/.exec(block ?? '') ?? []
  return address ?? (kind && `${kind === 'data' ? 'data.' : ''}${type}.${name}`)
}

const definedOnly = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
