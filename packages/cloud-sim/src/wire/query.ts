import type { CloudError } from '../errors.ts'

/** What a Query request says: numbers and booleans arrive as text. */
export type Params = { [name: string]: string | Params | Params[] | string[] }

type Node = Map<string, Node | string>

/** Reads `Actions.member.1.Type=forward` and its like into objects and lists. */
export function parseQuery(body: string): Params {
  const root: Node = new Map()
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let node = root
    for (const step of path) {
      const child = node.get(step)
      const next: Node = child instanceof Map ? child : new Map()
      if (next !== child) node.set(step, next)
      node = next
    }
    node.set(last, value)
  }
  return toObject(root)
}

function toObject(node: Node): Params {
  const entries = [...node].map(([name, child]) => [name, child instanceof Map ? toValue(child) : child])
  return Object.fromEntries(entries) as Params
}

function toValue(node: Node): Params | Params[] | string[] {
  const members = node.get('member')
  if (!(members instanceof Map)) return toObject(node)
  const ordered = [...members].sort(([a], [b]) => Number(a) - Number(b))
  return ordered.map(([, child]) => (child instanceof Map ? toObject(child) : child)) as Params[] | string[]
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

function xml(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((item) => `<member>${xml(item)}</member>`).join('')
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object') return escaped(String(value))
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `<${name}>${xml(member)}</${name}>`)
    .join('')
}

/** The namespace that an answer carries, by signing name. */
const namespaces: Record<string, string> = {
  elasticloadbalancing: 'http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/',
  sts: 'https://sts.amazonaws.com/doc/2011-06-15/',
}

export function queryAnswer(service: string, operation: string, result: object, requestId: string): string {
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`
  const inner = `<${operation}Result>${xml(result)}</${operation}Result>`
  return `<${operation}Response xmlns="${namespaces[service] ?? ''}">${inner}${metadata}</${operation}Response>`
}

export function queryError(error: CloudError, requestId: string): string {
  const type = error.status < 500 ? 'Sender' : 'Receiver'
  const inner = xml({ Type: type, Code: error.code, Message: error.message })
  return `<ErrorResponse><Error>${inner}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`
}
