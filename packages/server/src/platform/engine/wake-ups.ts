import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { workingOn } from '../log/work.ts'
import { asSpan, runOutsideTrace, type Spans, tracedBy } from '../traces/present.ts'
import type { Engine } from './client.ts'
import { createDispatch } from './dispatch.ts'
import { type Message, recordSpan } from './messages.ts'
import { notifyEngine } from './tell.ts'

/** Checks the record of a message in this process. Returns a message for the engine if work remains. */
export type CheckRecord = (message: Message) => Promise<Message | undefined>

/**
 * Messages that only request a check of a record. The engine delivers them one by one for each record; but if this
 * process can check by itself, it does so first, and usually finds nothing to do. A kill loses pending checks, which a
 * sweep repeats from the rows.
 */
export interface WakeUps {
  /** Resolves once the engine has the messages that are left to it, without waiting for checks in this process. */
  tell(messages: readonly Message[]): Promise<void>
  /** Makes this process check the records of `service` first, until the returned function is called. */
  checkFirst(service: string, look: CheckRecord): () => void
  /** Waits 2 s for running checks, and leaves pending ones to the engine. */
  stop(): Promise<void>
}

/** Maximum wait for running checks in real milliseconds, some calls of the cloud. */
const drainMs = 2_000

const recordOf = ({ service, key }: Message): string => `${service} ${key}`

type WakeUpParts = {
  engine: Engine
  clock: Pick<Clock, 'realMs'>
  /** Destination of the spans of checks, if any. */
  spans?: Spans | undefined
  log: Logger
}

export function createWakeUps({ engine, clock, spans, log }: WakeUpParts): WakeUps {
  const looks = new Map<string, CheckRecord>()
  /** Scheduled checks by record. One check covers all messages until its time. */
  const later = new Map<string, { message: Message; timer: NodeJS.Timeout }>()
  let isStopped = false

  const tellTheEngine = (messages: readonly Message[]) => notifyEngine({ engine, log }, messages)

  const lookOrTell = async (message: Message) => {
    const left = isStopped ? message : await lookAt(message)
    if (left) await tellTheEngine([left])
  }
  const looking = createDispatch({ engine, log }, (message) =>
    tracedBy(spans, undefined, () => asSpan(recordSpan(message, 'look'), () => lookOrTell(message))),
  )

  async function lookAt(message: Message): Promise<Message | undefined> {
    try {
      const look = looks.get(message.service)
      return look ? await workingOn({ lookAt: message.key }, () => look(message)) : message
    } catch (err) {
      log.debug({ err, service: message.service, key: message.key }, 'a poll failed; the engine will repeat it')
      return message
    }
  }

  function lookSoon({ delayMs, idempotencyKey: _, ...message }: Message): void {
    if (delayMs === undefined) {
      forgetLater(message)
      looking.soon(message)
      return
    }
    const record = recordOf(message)
    if (later.has(record)) return
    const fire = () => {
      later.delete(record)
      looking.soon(message)
    }
    later.set(record, { message, timer: runOutsideTrace(() => setTimeout(fire, clock.realMs(delayMs))) })
  }

  /** Cancels the scheduled check of a record, because a current one covers it. */
  function forgetLater(message: Message): void {
    const record = recordOf(message)
    clearTimeout(later.get(record)?.timer)
    later.delete(record)
  }

  return {
    async tell(messages) {
      const isHere = ({ service }: Message) => !isStopped && looks.has(service)
      for (const message of messages.filter(isHere)) lookSoon(message)
      await tellTheEngine(messages.filter((message) => !isHere(message)))
    },
    checkFirst(service, look) {
      looks.set(service, look)
      return () => void looks.delete(service)
    },
    async stop() {
      isStopped = true
      for (const { timer } of later.values()) clearTimeout(timer)
      await tellTheEngine(Array.from(later.values(), ({ message }) => message))
      later.clear()
      await Promise.race([looking.settled(), sleep(drainMs, undefined, { ref: false })])
    },
  }
}
