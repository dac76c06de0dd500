import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { AuditEvent, AuditHead } from '@sluice/contract'
import { Compile } from 'typebox/compile'
import { ChainCheck } from './chain.ts'

const isEvent = Compile(AuditEvent)
const isHead = Compile(AuditHead)

export type VerifyOptions = { heads?: string[]; publicKey?: string[] }

/** Maximum number of faults to print. */
const maxPrinted = 20

/**
 * Verifies an exported audit log offline, against itself and against stored signed heads. Exits with code 1 if it was
 * modified.
 */
export async function verifyAuditLog(file: string, { heads = [], publicKey = [] }: VerifyOptions): Promise<void> {
  const check = new ChainCheck()
  for await (const event of eventsIn(file)) check.add(event)
  const { faults, summary } = check.end((await Promise.all(heads.map(headsIn))).flat(), publicKey)
  for (const fault of faults.slice(0, maxPrinted)) console.log(removeControlCharacters(`✗ ${fault}`))
  if (faults.length > maxPrinted) console.log(`✗ and ${faults.length - maxPrinted} more`)
  for (const line of summary) console.log(line)
  console.log(faults.length === 0 ? 'Nothing was changed or removed.' : 'The log is not as it was recorded.')
  if (faults.length > 0) process.exitCode = 1
}

async function* eventsIn(file: string): AsyncGenerator<AuditEvent> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  let number = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (line.trim() === '') continue
    const event = parsed(line)
    if (!isEvent.Check(event))
      throw new Error(`${file}, line ${number}, is not an event of an audit log. ${howToExport}`)
    yield event
  }
}

const howToExport = 'Export it: sluice export audit-events.'

/** Parses one head, as from `GET /audit-events/head`, the archive or the log, or one per line. */
async function headsIn(file: string): Promise<AuditHead[]> {
  const text = await readFile(file, 'utf8')
  const whole = parsed(text)
  const given =
    whole === undefined
      ? text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map(parsed)
      : [whole]
  return given.map((one) => {
    const head = bare(one)
    if (!isHead.Check(head)) throw new Error(`${file} holds something else than heads of an audit log.`)
    return head
  })
}

function bare(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  if ('data' in given) return given.data
  return 'auditHead' in given ? given.auditHead : given
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
