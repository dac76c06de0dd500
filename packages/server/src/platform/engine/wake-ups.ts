import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { workingOn } from '../log/work.ts'
import { apart, asSpan, type Spans, tracedBy } from '../traces/present.ts'
import type { Engine } from './client.ts'
import { createDispatch } from './dispatch.ts'
import { type Message, recordSpan } from './messages.ts'
import { tellEngine } from './tell.ts'

/** Looks at the record of a message. Returns the message with which the engine goes on, if anything is left to do. */
export type Look = (message: Message) => Promise<Message | undefined>

/**
 * Messages that only say that it is time to look. The engine carries them, with a turn for each record; but where this
 * process can look by itself, it does so first, and most often finds that there is nothing to do yet. What it was told
 * is lost if it is killed: rows say when they are to be looked at again, and a sweep finds them.
 */
export interface WakeUps {
  /** Resolves once the engine has what is left to it; a look of this process is not waited for. */
  tell(messages: readonly Message[]): Promise<void>
  /** From now on, this process looks at the records of `service` first, until the returned function is called. */
  lookFirst(service: string, look: Look): () => void
  /** The looks under way have 2 s to end; what waits for one is left to the engine. */
  stop(): Promise<void>
}

/** A look takes as long as some calls of the cloud. Real milliseconds. */
const drainMs = 2_000

const recordOf = ({ service, key }: Message): string => `${service} ${key}`

type WakeUpParts = {
  engine: Engine
  clock: Pick<Clock, 'realMs'>
  /** Where the spans of looks are kept, if they are. */
  spans?: Spans | undefined
  log: Logger
}

export function createWakeUps({ engine, clock, spans, log }: WakeUpParts): WakeUps {
  const looks = new Map<string, Look>()
  /** Those for a moment to come, by their records: what comes until then is seen by the same look. */
  const later = new Map<string, { message: Message; timer: NodeJS.Timeout }>()
  let isStopped = false

  const tellTheEngine = (messages: readonly Message[]) => tellEngine({ engine, log }, messages)

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
      log.debug({ err, service: message.service, key: message.key }, 'a look failed; the engine will see to it')
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
    later.set(record, { message, timer: apart(() => setTimeout(fire, clock.realMs(delayMs))) })
  }

  /** Who looks now sees what a look to come was to see. */
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
    lookFirst(service, look) {
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
