import { stripVTControlCharacters, styleText } from 'node:util'
import { harmless } from '@sluice/calls/harmless'
import { stringify } from 'yaml'

/** How a command tells what it did: to people, or with `--json` to programs. */
export type Style = { json?: boolean }

export type Printer = {
  /** What happens on the way. With `--json` it goes to stderr, so that stdout stays JSON. */
  say(line: string): void
  /** What somebody wrote, perhaps in colours, which only a terminal is shown. */
  quote(text: string): void
  /** What it was all about; only programs are shown it. */
  record(record: unknown): void
}

export const printer = ({ json = false }: Style): Printer => {
  const stream = json ? process.stderr : process.stdout
  return {
    say: (line) => void stream.write(`${line}\n`),
    quote: (text) => void stream.write(stream.isTTY ? text : stripVTControlCharacters(text)),
    record: (record) => void (json && process.stdout.write(asJson(record))),
  }
}

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** An answer as it is, in JSON, or in YAML, which is easier to read. */
export const printAnswer = (answer: unknown, { json = false }: Style): void =>
  void process.stdout.write(json ? asJson(answer) : harmless(stringify(answer)))

/** Rows in columns, with only those columns that some row has. */
export function printTable(rows: readonly Record<string, unknown>[], columns: readonly string[]): void {
  const shown = columns.filter((column) => rows.some((row) => row[column] !== undefined))
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

/** `createdAt` becomes CREATED AT. */
const headingOf = (column: string): string => column.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase()

const longestCell = 60

function cellOf(value: unknown): string {
  const text = harmless(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\s+/g, ' ')
  return text.length > longestCell ? `${text.slice(0, longestCell - 1)}…` : text
}
