import { parseBoundedJson } from '@sluice/contract/bounded-json'
import { type Diagnostic, readDiagnostic } from './diagnostic.ts'

/** Something that the tool tells while it works. */
export type ToolEvent =
  | { kind: 'planned' | 'refreshed' | 'started' | 'done' | 'failed'; address: string }
  | { kind: 'error'; diagnostic: Diagnostic }

/** Any program can write such lines, so nothing is taken to be there. */
type Message = Record<string, unknown>

/** What a line of the tool's output means; without a `line` there is nothing for a person to read. */
type Meaning = { line: string | undefined; event?: ToolEvent; warning?: Diagnostic }

/** A line of the tool's output: what a person reads of it, and what it means. */
export function readLine(text: string): Meaning {
  const message = parsed(text)
  if (!message) return { line: text }
  const line = typeof message['@message'] === 'string' ? message['@message'] : text
  const diagnostic = readDiagnostic(message.diagnostic)
  if (diagnostic) {
    const { severity } = diagnostic
    return {
      line: linesOf(line, diagnostic),
      ...(severity === 'error' && { event: { kind: 'error' as const, diagnostic } }),
      ...(severity === 'warning' && { warning: diagnostic }),
    }
  }
  const address = addressIn(message.hook) ?? addressIn(message.change)
  const kind = kinds.get(message.type)
  return { line, ...(kind && address !== undefined && { event: { kind, address } }) }
}

/**
 * Reads an error that `init` prints as plain text: OpenTofu prints all of its errors so, and Terraform those about the
 * state, even where it prints everything else as JSON.
 */
export function readPlainError(line: string): Diagnostic | undefined {
  if (!/^Error(: | (refreshing|loading) state: )/.test(line)) return undefined
  return { severity: 'error', summary: line.replace(/^Error: /, ''), detail: '' }
}

const kinds = new Map<unknown, 'planned' | 'refreshed' | 'started' | 'done' | 'failed'>([
  ['planned_change', 'planned'],
  ['refresh_complete', 'refreshed'],
  ['apply_start', 'started'],
  ['apply_complete', 'done'],
  ['apply_errored', 'failed'],
])

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

function addressIn(value: unknown): string | undefined {
  const address = memberOf(memberOf(value, 'resource'), 'addr')
  return typeof address === 'string' ? address : undefined
}

function linesOf(said: string, { detail, address, file, line }: Diagnostic): string {
  const places = [file && `on ${file} line ${line}`, address && `with ${address}`]
  const place = places.filter(Boolean).join(', ')
  return [said, place && `  ${place}`, ...detail.split('\n').map((one) => one && `  ${one}`)].filter(Boolean).join('\n')
}

function parsed(text: string): Message | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return parseBoundedJson(text) as Message
  } catch {
    return undefined
  }
}

/** How far the tool is, as people see it; `total` and `changes` as soon as they are known. */
export type Progress = {
  phase: 'init' | 'plan' | 'apply'
  done: number
  total?: number
  changes?: Record<string, number>
}
