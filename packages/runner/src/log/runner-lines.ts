import { appendFileSync } from 'node:fs'
import { readText } from '../programs/read-text.ts'
import type { StepLog } from './step-log.ts'

const source = 'own'

/**
 * Lines that the runner itself writes into the log of an attempt. A file records them, because a handler that runs
 * again after a crash writes the same lines again, which must not be logged twice.
 */
export class RunnerLines {
  readonly #file: string
  readonly #log: StepLog
  /** Lines from before the crash that were not written again yet. */
  readonly #unrepeated: string[]
  #end = 0

  constructor(file: string, log: StepLog) {
    this.#file = file
    this.#log = log
    this.#unrepeated = readText(file).split('\n').slice(0, -1)
    const stored = log.offsetOf(source)
    for (const line of this.#unrepeated) this.#add(line, stored)
  }

  write(text: string): void {
    for (const line of text.split('\n')) {
      const known = this.#unrepeated.indexOf(line)
      if (known >= 0) {
        this.#unrepeated.splice(known, 1)
      } else {
        appendFileSync(this.#file, `${line}\n`, { mode: 0o600 })
        this.#add(line, 0)
      }
    }
  }

  #add(line: string, stored: number): void {
    this.#end += Buffer.byteLength(line) + 1
    if (this.#end > stored) this.#log.add(source, this.#end, line)
  }
}
