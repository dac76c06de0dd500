import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'

/** Parses the flags of a benchmark: integers with defaults, and `--database`. */
export function flags<Name extends string>(numbers: Record<Name, number>): Record<Name, number> & { database: string } {
  const names = Object.keys(numbers) as Name[]
  const { values } = parseArgs({
    options: Object.fromEntries(['database', ...names].map((name) => [name, { type: 'string' }] as const)),
  })
  const given = names.map((name) => [name, Number(values[name] ?? numbers[name])] as const)
  const wrong = given.find(([, value]) => !Number.isInteger(value) || value < 0)
  if (wrong) throw new Error(`--${wrong[0]} takes a whole number`)
  return { ...(Object.fromEntries(given) as Record<Name, number>), database: String(values.database ?? 'pglite') }
}

/** Returns the percentile of values by nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

/** Returns the median, the 99th percentile and the maximum, in milliseconds. */
export const spread = (ms: readonly number[]) => ({
  p50: round(percentile(ms, 0.5)),
  p99: round(percentile(ms, 0.99)),
  max: round(Math.max(...ms)),
})

/** Rounds to three significant digits. */
export const round = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))

export type Row = Record<string, string | number>

export type Report = {
  name: string
  /** Sentences that describe what was run and measured. */
  what: string[]
  database?: string
  rows: Row[]
}

/** Prints the report as Markdown and writes it to `results/` with a description of the machine. */
export async function publish({ name, what, database, rows }: Report): Promise<void> {
  const machine = describeMachine()
  const place = [machine, ...(database === undefined ? [] : [database])].join('; ')
  console.log([`### ${name}`, '', ...what, '', `On ${place}.`, '', table(rows), ''].join('\n'))
  const results = new URL('./results/', import.meta.url)
  await mkdir(results, { recursive: true })
  const at = new Date().toISOString()
  const file = `${[name, ...(database === undefined ? [] : [database.split(' ')[0]])].join('-')}.json`.toLowerCase()
  await writeFile(new URL(file, results), `${JSON.stringify({ name, at, machine, database, what, rows }, null, 2)}\n`)
}

/** Returns a Markdown table with a column for each key. */
function table(rows: readonly Row[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [keys, keys.map(() => '---'), ...rows.map((row) => keys.map((key) => String(row[key] ?? '')))]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Load before the benchmark, caused by other programs. */
const [loadBefore = 0] = loadavg()

function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU'
  const gib = Math.round(totalmem() / 2 ** 30)
  return `${model}, ${availableParallelism()} cores, ${gib} GiB memory, Node ${process.versions.node}, load average ${loadBefore.toFixed(1)} before`
}

/** Returns a process's processor time in milliseconds, in steps of 10. Linux only. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10 // user and system time, in ticks of 1/100 s
}

/** Returns a process's resident memory in MiB. */
export function residentMiB(pid: number): number {
  const kib = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))
  return kib / 1024
}

export const budget = (value: number, isMet: (value: number) => boolean, text: string): string =>
  `${text}: ${isMet(value) ? 'met' : '**missed**'}`
