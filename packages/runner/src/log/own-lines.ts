import { appendFileSync } from 'node:fs'
import { textIn } from '../programs/text-in.ts'
import type { StepLog } from './step-log.ts'

const source = 'own'

/**
 * The lines that work itself writes into the log of its attempt. They are kept in a file too: work that is done again
 * after a crash says again what it said before, and what is in the file already is not logged twice.
 */
export class OwnLines {
  readonly #file: string
  readonly #log: StepLog
  /** What was said before the crash and not yet again. */
  readonly #before: string[]
  #end = 0

  constructor(file: string, log: StepLog) {
    this.#file = file
    this.#log = log
    this.#before = textIn(file).split('\n').slice(0, -1)
    const stored = log.offsetOf(source)
    for (const line of this.#before) this.#add(line, stored)
  }

  say(text: string): void {
    for (const line of text.split('\n')) {
      const known = this.#before.indexOf(line)
      if (known >= 0) {
        this.#before.splice(known, 1)
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
