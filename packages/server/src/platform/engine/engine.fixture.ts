import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ObjectContext, object, rpc } from '@restatedev/restate-sdk'
import { type Logger, pino } from 'pino'
import { onTestFinished } from 'vitest'
import { rememberPorts } from '../data-dir/ports.ts'
import { openEmbeddedEngine } from './engine.ts'
import { shortSteps } from './short-steps.ts'
import { addressIn, dataDirectory } from './sockets.ts'

export const silentLog = pino({ level: 'silent' })

/** A data directory that goes when the test is over. */
export async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-engine-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export interface EngineOptions {
  /** Another name is another port. */
  workerPortName?: string
  /** Time for running handlers at a stop, in milliseconds. */
  finishMs?: number
  log?: Logger
}

/** A real engine and everything around it, stopped when the test is over. */
export async function openEngine(dataDir: string, wishes: EngineOptions = {}) {
  const { workerPortName = 'worker', finishMs = 2_000, log = silentLog } = wishes
  const { [workerPortName]: port = 0 } = await rememberPorts(dataDir, [workerPortName])
  const worker = { host: '127.0.0.1', port, finishMs }
  const engine = await openEmbeddedEngine({ directory: engineIn(dataDir), worker, log })
  onTestFinished(() => engine.stop())
  return { engine, admin: addressIn(dataDirectory(engineIn(dataDir)), 'admin'), workerUrl: `http://127.0.0.1:${port}` }
}

/** Returns a log, and its warnings about handlers. */
export function watchfulLog() {
  const troubles: string[] = []
  const write = (line: string) => {
    const { handler, msg } = JSON.parse(line)
    if (handler !== undefined) troubles.push(`${handler}: ${msg}`)
  }
  return { log: pino({ level: 'warn' }, { write }), troubles }
}

export const engineIn = (dataDir: string) => join(dataDir, 'engine')

/** The process of the engine. Throws while its file is being written: a signal to pid 0 would hit the tests. */
export async function serverPid(dataDir: string): Promise<number> {
  const text = await readFile(join(engineIn(dataDir), 'server.pid'), 'utf8')
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`There is no pid in server.pid, but "${text}"`)
  return Number(text)
}

/** An object that writes down what reaches it, by key. Its `pass` fails while `gate.closed`. */
export function recorder() {
  const received: Record<string, unknown[]> = {}
  const gate = { closed: false, knocks: 0 }
  const note = (key: string, what: unknown) => {
    received[key] = [...(received[key] ?? []), what]
  }
  const service = object({
    name: 'recorder',
    handlers: {
      async record(ctx: ObjectContext, what?: unknown) {
        await ctx.run('note', () => note(ctx.key, what))
      },
      async countDown(ctx: ObjectContext, from: number) {
        await ctx.run('note', () => note(ctx.key, from))
        if (from > 0) ctx.objectSendClient(service, ctx.key).countDown(from - 1, rpc.sendOpts({ delay: 50 }))
      },
      async pass(ctx: ObjectContext) {
        await ctx.run('knock', () => {
          gate.knocks += 1
          if (gate.closed) throw new Error('the gate is closed')
        })
        await ctx.run('note', () => note(ctx.key, 'passed'))
      },
    },
    options: shortSteps,
  })
  return { service, received, gate }
}
