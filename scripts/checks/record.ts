import { existsSync, readFileSync } from 'node:fs'

/** Line that the reporter appends to the record of a suite, as JSON. */
export type RecordLine =
  | { event: 'start'; file: string; name: string }
  | { event: 'end'; file: string; name: string; state: 'passed' | 'failed' | 'skipped'; reason?: string }
  /** The file could not be loaded, or one of its hooks failed. */
  | { event: 'broken'; file: string; reason: string }
  /** Error that no test caught. */
  | { event: 'unhandled'; reason: string }

/** Failed test, or a whole file if it has no name. */
export type Failure = { file: string; name?: string; reason: string }

export type TestRecord = {
  passed: number
  skipped: number
  failures: Failure[]
  unhandled: string[]
  /** Tests that had started but not ended when the record was read. */
  running: { file: string; name: string }[]
}

/** Reads the record at `path`. The last line may be incomplete, because the suite may have been killed. */
export function readRecord(path: string): TestRecord | undefined {
  return existsSync(path) ? summarizeRecord(readFileSync(path, 'utf8').split('\n').flatMap(parseLine)) : undefined
}

function parseLine(line: string): RecordLine[] {
  try {
    return [JSON.parse(line) as RecordLine]
  } catch {
    return [] // empty, or incomplete after a kill
  }
}

export function summarizeRecord(lines: readonly RecordLine[]): TestRecord {
  const record: TestRecord = { passed: 0, skipped: 0, failures: [], unhandled: [], running: [] }
  const running = new Map<string, { file: string; name: string }>()
  for (const line of lines) {
    if (line.event === 'start') running.set(`${line.file} ${line.name}`, { file: line.file, name: line.name })
    else if (line.event === 'broken') record.failures.push({ file: line.file, reason: line.reason })
    else if (line.event === 'unhandled') record.unhandled.push(line.reason)
    else {
      running.delete(`${line.file} ${line.name}`)
      if (line.state === 'failed') {
        record.failures.push({ file: line.file, name: line.name, reason: line.reason ?? 'no reason given' })
      } else record[line.state] += 1
    }
  }
  record.running = [...running.values()]
  return record
}

export const titleOf = ({ file, name }: { file: string; name?: string }): string =>
  name === undefined ? file : `${file} > ${name}`
