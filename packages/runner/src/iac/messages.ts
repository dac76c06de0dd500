import { parseBoundedJson } from '@sluice/contract/bounded-json'
import { type Diagnostic, readDiagnostic } from './diagnostic.ts'

/** An event that the tool reports while it runs. */
export type ToolEvent =
  | { kind: 'planned' | 'refreshed' | 'started' | 'done' | 'failed'; address: string }
  | { kind: 'error'; diagnostic: Diagnostic }

/** Any program can print such lines, so that no member is guaranteed. */
type Message = Record<string, unknown>

/** A parsed line of output. An undefined `line` is not logged. */
type ParsedLine = { line: string | undefined; event?: ToolEvent; warning?: Diagnostic }

/** Parses a line of the tool's output into a log line, an event and a warning. */
export function parseLine(text: string): ParsedLine {
  const message = parseMessage(text)
  if (!message) return { line: text }
  const line = typeof message['@message'] === 'string' ? message['@message'] : text
  const diagnostic = readDiagnostic(message.diagnostic)
  if (diagnostic) {
    const { severity } = diagnostic
    return {
      line: formatDiagnostic(line, diagnostic),
      ...(severity === 'error' && { event: { kind: 'error' as const, diagnostic } }),
      ...(severity === 'warning' && { warning: diagnostic }),
    }
  }
  const address = readAddress(message.hook) ?? readAddress(message.change)
  const kind = eventTypes.get(message.type)
  return { line, ...(kind && address !== undefined && { event: { kind, address } }) }
}

/**
 * Parses an error that `init` prints as plain text. OpenTofu prints all errors this way. Terraform prints errors about
 * the state this way, even with `-json`.
 */
export function parsePlainError(line: string): Diagnostic | undefined {
  if (!/^Error(: | (refreshing|loading) state: )/.test(line)) return undefined
  return { severity: 'error', summary: line.replace(/^Error: /, ''), detail: '' }
}

const eventTypes = new Map<unknown, 'planned' | 'refreshed' | 'started' | 'done' | 'failed'>([
  ['planned_change', 'planned'],
  ['refresh_complete', 'refreshed'],
  ['apply_start', 'started'],
  ['apply_complete', 'done'],
  ['apply_errored', 'failed'],
])

const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

function readAddress(value: unknown): string | undefined {
  const address = readMember(readMember(value, 'resource'), 'addr')
  return typeof address === 'string' ? address : undefined
}

function formatDiagnostic(said: string, { detail, address, file, line }: Diagnostic): string {
  const places = [file && `on ${file} line ${line}`, address && `with ${address}`]
  const place = places.filter(Boolean).join(', ')
  return [said, place && `  ${place}`, ...detail.split('\n').map((one) => one && `  ${one}`)].filter(Boolean).join('\n')
}

function parseMessage(text: string): Message | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return parseBoundedJson(text) as Message
  } catch {
    return undefined
  }
}

/** The progress of a step; `total` and `changes` are set as soon as they are known. */
export type Progress = {
  phase: 'init' | 'plan' | 'apply'
  done: number
  total?: number
  changes?: Record<string, number>
}
