import { createHash } from 'node:crypto'

/** Container whose log lines are generated deterministically instead of stored. Times are timestamps. */
export interface SimulatedLogSource {
  image: string
  from: number
  until?: number | undefined
  exitCode?: number | undefined
  /** Command of a one-off task. */
  command?: string | undefined
}

export interface TaskLogLine {
  at: number
  message: string
  number: number
}

/** Average interval between simulated requests, in milliseconds. */
const requestEveryMs = 3_000
const paths = ['/', '/products', '/products/17', '/cart', '/checkout', '/healthz']

/** Returns a container's lines from `start` to `end`, inclusive. */
export function taskLines(voice: SimulatedLogSource, start: number, end: number): TaskLogLine[] {
  const { image, from, until, command } = voice
  const last = Math.min(end, until ?? end)
  const hello = command ? { msg: 'running', command } : { msg: 'listening', port: 80, image }
  const lines: TaskLogLine[] = [{ at: from, message: json('info', hello), number: 0 }]
  const first = Math.max(1, Math.floor((start - from) / requestEveryMs))
  const isServer = command === undefined
  for (let number = first; isServer && from + number * requestEveryMs <= last; number += 1) {
    lines.push(request(image, from, number))
  }
  if (until !== undefined) lines.push({ at: until, message: lastWords(voice), number: 999_999_999 })
  return lines.filter(({ at }) => at >= start && at <= last)
}

function request(image: string, from: number, number: number): TaskLogLine {
  const dice = createHash('sha1').update(`${image} ${from} ${number}`).digest()
  const [jitter = 0, where = 0, luck = 0, pace = 0] = dice
  const isBroken = luck < 4 // of 256
  const answer = {
    method: 'GET',
    path: paths[where % paths.length],
    status: isBroken ? 502 : 200,
    durationMs: 4 + (pace % 60),
  }
  return {
    at: from + number * requestEveryMs - jitter * 4,
    message: json(isBroken ? 'error' : 'info', { msg: 'request', ...answer }),
    number,
  }
}

const lastWords = ({ exitCode, command }: SimulatedLogSource): string =>
  exitCode
    ? json('error', { msg: 'uncaught error, exiting', exitCode })
    : json('info', { msg: command ? 'done' : 'SIGTERM, shutting down' })

const json = (level: 'info' | 'error', members: object): string => JSON.stringify({ level, ...members })
