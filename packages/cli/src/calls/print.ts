import { styleText } from 'node:util'
import {
  escapeControlCharactersInJson,
  removeControlCharacters,
  removeControlCharactersExceptColours,
} from '@sluice/calls/control-characters'
import type { ProgressOutput } from '@sluice/calls/follow'
import { stringify } from 'yaml'
import { Live } from './delivery/live.ts'
import { formatDeploymentStages, formatRunSteps } from './delivery/track.ts'
import { isComplete, type Output, type OutputOption } from './output.ts'

/** Prints progress, which goes to stderr with `--output`, so that stdout contains only the record. */
export type Printer = ProgressOutput & {
  /** Prints the resulting record, if `--output` is set. */
  record(record: unknown): void
}

export const printer = ({ output }: OutputOption): Printer => {
  const stream = output === undefined ? process.stdout : process.stderr
  const live = new Live(stream)
  return {
    say: (line) => live.write(`${removeControlCharactersExceptColours(line)}\n`),
    quote: (text) =>
      live.write(
        (stream.isTTY ? removeControlCharactersExceptColours : removeControlCharacters)(
          text.replaceAll(/\r\n?/g, '\n'),
        ),
      ),
    ...(output === undefined && isDrawnOn(stream) && { drawn: tracksOn(live) }),
    record: (record) => output && printAnswer(record, { output }),
  }
}

/**
 * Reports whether the output is a terminal with cursor movement. CI systems may simulate terminals but keep every line.
 */
const isDrawnOn = ({ isTTY }: NodeJS.WriteStream): boolean => isTTY && !process.env.CI && process.env.TERM !== 'dumb'

const tracksOn = (live: Live): Required<ProgressOutput>['drawn'] => ({
  deployment: (now) => live.show(formatDeploymentStages(now, Date.now())),
  run: (now, steps) => live.show(formatRunSteps(now, steps, Date.now())),
})

type Row = Record<string, unknown>

/** Returns the name of a row for use in another command, or undefined. */
type NameOf<T> = (row: T) => unknown

const defaultName: NameOf<Row> = ({ id, name }) => id ?? name

/** Prints a response in the selected format, by default YAML. */
export function printAnswer(
  answer: unknown,
  { output = 'yaml' }: OutputOption,
  nameOf: NameOf<Row> = defaultName,
): void {
  const write: Record<Output, () => void> = {
    json: () => process.stdout.write(asJson(answer)),
    yaml: () => process.stdout.write(removeControlCharacters(stringify(answer))),
    name: () => printNames(rowsIn(answer), nameOf),
    table: () => printTable(rowsIn(answer), columns),
  }
  write[output]()
}

export type Listed<T> = {
  /** Complete response for JSON and YAML. */
  whole: unknown
  columns: readonly string[]
  /** Message for an empty list. */
  none: string
  toRow?: (row: T) => Row
  nameOf?: NameOf<T>
}

/** Prints a list as a table or in the selected format. */
export function printList<T extends Row>(list: readonly T[], style: OutputOption, listed: Listed<T>): void {
  const { whole, columns, none, toRow = (row) => row, nameOf = defaultName } = listed
  if (isComplete(style)) printAnswer(whole, style)
  else if (list.length === 0) process.stderr.write(`${none}\n`)
  else if (style.output === 'name') printNames(list, nameOf)
  else printTable(list.map(toRow), columns)
}

const asJson = (value: unknown): string => `${escapeControlCharactersInJson(JSON.stringify(value, null, 2))}\n`

/** Returns the rows of a page, a list, or a single record, which may have a `data` member of its own. */
function rowsIn(answer: unknown): Row[] {
  const data: unknown = Reflect.get(Object(answer), 'data')
  const rows = [Array.isArray(data) ? data : answer].flat()
  return rows.filter((row): row is Row => typeof row === 'object' && row !== null)
}

/** Prints one name per line, for use with `xargs`. Names with line breaks are excluded. */
function printNames<T>(rows: readonly T[], nameOf: NameOf<T>): void {
  const names = rows.map(nameOf).filter((name) => typeof name === 'string')
  if (names.length === 0) process.stderr.write('What there is to show has no id.\n')
  for (const name of names) process.stdout.write(`${inLine(name)}\n`)
}

/** Columns in order of importance. */
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

/** Prints rows in those known columns that any row has or, without any, in those of the first row. */
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

/** Returns a heading such as CREATED AT for `createdAt`. Foreign names may be among them. */
const headingOf = (column: string): string =>
  inLine(column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase())

const maxCellLength = 60

function cellOf(value: unknown): string {
  const text = inLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text
}

const inLine = (text: string): string => removeControlCharacters(text).replaceAll(/\s+/g, ' ')
