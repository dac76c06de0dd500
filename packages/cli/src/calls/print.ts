import { styleText } from 'node:util'
import type { Told } from '@sluice/calls/follow'
import { harmless, harmlessInColours } from '@sluice/calls/harmless'
import { stringify } from 'yaml'
import { Live } from './delivery/live.ts'
import { deploymentTrack, runTrack } from './delivery/track.ts'
import { isComplete, type Output, type Style } from './output.ts'

/** What happens on the way goes to stderr with `--output`, so that stdout holds the record alone. */
export type Printer = Told & {
  /** What it was all about; shown where `--output` asks for it. */
  record(record: unknown): void
}

export const printer = ({ output }: Style): Printer => {
  const stream = output === undefined ? process.stdout : process.stderr
  const live = new Live(stream)
  return {
    say: (line) => live.write(`${line}\n`),
    quote: (text) => live.write((stream.isTTY ? harmlessInColours : harmless)(text.replaceAll(/\r\n?/g, '\n'))),
    ...(output === undefined && isDrawnOn(stream) && { drawn: tracksOn(live) }),
    record: (record) => output && printAnswer(record, { output }),
  }
}

/** What somebody sits at and that can move up a line. CI shows a terminal to some programs, and keeps every line. */
const isDrawnOn = ({ isTTY }: NodeJS.WriteStream): boolean => isTTY && !process.env.CI && process.env.TERM !== 'dumb'

const tracksOn = (live: Live): Required<Told>['drawn'] => ({
  deployment: (now) => live.show(deploymentTrack(now, Date.now())),
  run: (now, steps) => live.show(runTrack(now, steps, Date.now())),
})

type Row = Record<string, unknown>

/** What a row is called by in another call; undefined where it has no such name. */
type NameOf<T> = (row: T) => unknown

const usualName: NameOf<Row> = ({ id, name }) => id ?? name

/** An answer in the form that was asked for, or in YAML, which is easy to read. */
export function printAnswer(answer: unknown, { output = 'yaml' }: Style, nameOf: NameOf<Row> = usualName): void {
  const write: Record<Output, () => void> = {
    json: () => process.stdout.write(asJson(answer)),
    yaml: () => process.stdout.write(harmless(stringify(answer))),
    name: () => printNames(rowsIn(answer), nameOf),
    table: () => printTable(rowsIn(answer), columns),
  }
  write[output]()
}

export type Listed<T> = {
  /** What JSON and YAML show, instead of the rows alone. */
  whole: unknown
  columns: readonly string[]
  /** What is said where there are no rows. */
  none: string
  toRow?: (row: T) => Row
  nameOf?: NameOf<T>
}

/** A list in columns, or in the form that was asked for. */
export function printList<T extends Row>(list: readonly T[], style: Style, listed: Listed<T>): void {
  const { whole, columns, none, toRow = (row) => row, nameOf = usualName } = listed
  if (isComplete(style)) printAnswer(whole, style)
  else if (list.length === 0) process.stderr.write(`${none}\n`)
  else if (style.output === 'name') printNames(list, nameOf)
  else printTable(list.map(toRow), columns)
}

/** The characters that steer some terminals and that JSON need not escape are escaped: it means the same. */
const asJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)}\n`.replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A page, a list, or a record alone, which may have `data` of its own. */
function rowsIn(answer: unknown): Row[] {
  const data: unknown = Reflect.get(Object(answer), 'data')
  const rows = [Array.isArray(data) ? data : answer].flat()
  return rows.filter((row): row is Row => typeof row === 'object' && row !== null)
}

/** One name a line, for `xargs` and the like: so none may hold the end of a line. */
function printNames<T>(rows: readonly T[], nameOf: NameOf<T>): void {
  const names = rows.map(nameOf).filter((name) => typeof name === 'string')
  if (names.length === 0) process.stderr.write('What there is to show has no id.\n')
  for (const name of names) process.stdout.write(`${inLine(name)}\n`)
}

/** Of what a record holds, what people look for first. */
export const columns = [
  ...[
    'id',
    'position',
    'eventId',
    'givenId',
    'key',
    'stepId',
    'name',
    'type',
    'deploymentType',
    'stepType',
    'resourceName',
    'address',
    'memberEmail',
    'slackUserName',
    'namePattern',
  ],
  ...[
    'email',
    'repoUrl',
    'baseUrl',
    'accountName',
    'userName',
    'tokenHint',
    'actorName',
    'channel',
    'action',
    'resourceType',
    'eventId',
  ],
  ...['detailType', 'version', 'kind', 'status', 'latestRunStatus', 'role', 'changeType', 'driftStatus', 'parentType'],
  ...['teamId', 'memberId', 'ipAddress', 'userAgent'],
  ...[
    'heldBy',
    'reason',
    'value',
    'triggerSource',
    'description',
    'pipelineRunId',
    'totalCount',
    'failedCount',
    'createdAt',
  ],
]

/** Rows in columns, with only those columns that some row has; where none has any, all that the first has. */
function printTable(rows: readonly Row[], columns: readonly string[]): void {
  const known = columns.filter((column) => rows.some((row) => row[column] !== undefined))
  const shown = known.length > 0 ? known : Object.keys(rows[0] ?? {})
  const table = [shown.map(headingOf), ...rows.map((row) => shown.map((column) => cellOf(row[column])))]
  const widths = shown.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)))
  for (const [number, cells] of table.entries()) {
    const line = cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
    process.stdout.write(`${number === 0 ? styleText('bold', line, { stream: process.stdout }) : line}\n`)
  }
}

/** `createdAt` becomes CREATED AT. Names of others may be among them. */
const headingOf = (column: string): string =>
  inLine(column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase())

const longestCell = 60

function cellOf(value: unknown): string {
  const text = inLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return text.length > longestCell ? `${text.slice(0, longestCell - 1)}…` : text
}

const inLine = (text: string): string => harmless(text).replaceAll(/\s+/g, ' ')
