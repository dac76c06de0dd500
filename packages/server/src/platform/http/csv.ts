import type { Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

type Row = Readonly<Record<string, unknown>>

/**
 * Reports whether the client wants CSV from a route that offers it. The query parameter overrides the `Accept` header.
 */
export function wantsCsv({ asCsv }: Route, { query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): boolean {
  if (asCsv !== true) return false
  const { format } = query as { format?: unknown }
  return format === undefined ? (headers.accept ?? '').toLowerCase().startsWith('text/csv') : format === 'csv'
}

/** Sends the rows of a response as CSV, with the properties of their schema as columns. */
export function sendCsv({ operationId, response: [, schema] }: Route, reply: FastifyReply, body: unknown): string {
  const columns = Object.keys(propertiesOf(itemsOf(propertiesOf(propertiesOf(schema).data).rows)))
  const { rows } = (body as { data: { rows: Row[] } }).data
  reply.type('text/csv; charset=utf-8')
  reply.header('content-disposition', `attachment; filename="${operationId}.csv"`)
  return toCsv(columns, rows)
}

type Properties = Record<string, TSchema | undefined>
const propertiesOf = (schema: TSchema | undefined): Properties =>
  (Reflect.get(schema ?? {}, 'properties') ?? {}) as Properties
const itemsOf = (schema: TSchema | undefined): TSchema => (Reflect.get(schema ?? {}, 'items') ?? {}) as TSchema

/** Formats rows as CSV (RFC 4180). An absent field is an empty cell. */
export const toCsv = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') return String(value)
  // Spreadsheets evaluate text that starts with these characters as a formula (OWASP, CSV Injection).
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
