import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CloudEvent, failures } from '@sluice/contract'
import { expectBounds, messageBounds } from '@sluice/contract/bounded-json'
import { readProgramJson, toStorableValue } from '@sluice/contract/storable-value'
import type { Logger } from 'pino'
import { Compile } from 'typebox/compile'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import {
  maxMessages,
  maxWaitSeconds,
  type QueueMessage,
  queueOf,
  receiveMessages,
  removeMessages,
} from '../../cloud/adapter/queue.ts'
import {
  leaseQueues,
  loadQueueToPoll,
  type QueueToPoll,
  releaseQueues,
  savePolled,
} from '../../cloud/event-queues/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import { startPeriodicTask } from '../../platform/rounds.ts'
import type { Intake } from './intake.ts'

type Parts = { db: Db; cloud: Cloud; intake: Intake; clock: Pick<Clock, 'now' | 'elapsedMs'>; log: Logger }

/** Interval at which queues are distributed among processes: a third of the lease duration. Real milliseconds. */
const distributionIntervalMs = 10_000
/** Retry delay after a queue could not be read, in milliseconds. */
const retryMs = 15_000
/** Number of concurrent receivers for a queue with a backlog. */
const maxReceivers = 8

const isEvent = Compile(CloudEvent)

/**
 * Starts to fetch events from the queues of all organizations. Each queue is leased by one process. If two processes
 * hold it for a moment, a duplicate event is stored once.
 */
export function startPolling(parts: Parts, everyMs = distributionIntervalMs): { stop(): Promise<void> } {
  const { db, clock, log } = parts
  const holder = randomUUID()
  const pollers = new Map<string, { stopping: AbortController; over: Promise<void> }>()

  const share = async () => {
    const mine = new Set(await leaseQueues(db, holder, clock))
    for (const [id, { stopping }] of pollers) if (!mine.has(id)) stopping.abort()
    for (const id of mine) if (!pollers.has(id)) start(id)
  }
  const start = (id: string) => {
    const stopping = new AbortController()
    const over = pollQueue(parts, id, stopping.signal)
      .catch((error) => log.error({ err: error, queue: id }, 'fetching events stopped; retrying soon'))
      .finally(() => pollers.delete(id))
    pollers.set(id, { stopping, over })
  }
  const warn = (error: unknown) => log.warn({ err: error }, 'the queues of events could not be shared out')
  void share().catch(warn)
  const rounds = startPeriodicTask(share, { everyMs, onError: warn })
  return {
    async stop() {
      await rounds.stop()
      for (const { stopping } of pollers.values()) stopping.abort()
      await Promise.all([...pollers.values()].map(({ over }) => over))
      await releaseQueues(db, holder).catch(warn)
    },
  }
}

/** Fetches from one queue until the signal aborts or the queue is deleted. */
async function pollQueue(parts: Parts, id: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const queue = await loadQueueToPoll(parts.db, id) // loaded each time, because the account's role may have changed
    if (!queue) return
    try {
      const count = await takeBatch(parts, queue, maxWaitSeconds, signal)
      await savePolled(parts.db, id, null)
      if (count === maxMessages)
        await Promise.all(Array.from({ length: maxReceivers }, () => drain(parts, queue, signal)))
    } catch (error) {
      if (signal.aborted) return
      await recordQueueError(parts, queue, error)
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** Fetches without waiting while there are more messages. */
async function drain(parts: Parts, queue: QueueToPoll, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await takeBatch(parts, queue, 0, signal)) === maxMessages);
}

/** Receives messages, stores them, and only then deletes them from the queue. Returns their number. */
async function takeBatch(
  { cloud, intake, log }: Parts,
  { id, account, accountNumber, queueArn, organizationId, cloudAccountId }: QueueToPoll,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  const queue = queueOf(queueArn)
  if (!account) throw new CloudPermanentError('NotConnected', 'The cloud account is not connected.')
  const { queues } = cloud.clientsFor(account, queue.region)
  const messages = await receiveMessages(queues, queue, waitSeconds, signal)
  if (messages.length === 0) return 0
  const keep = async (message: QueueMessage) => {
    const event = eventIn(message)
    if (event?.account === accountNumber) return intake({ id: cloudAccountId, organizationId }, event)
    // Otherwise the queue would deliver the useless message for days.
    log.info({ queue: id, account: event?.account }, 'discarded a message that is not an event of the account')
  }
  await Promise.all(messages.map(keep))
  await removeMessages(queues, queue, messages)
  return messages.length
}

function eventIn({ body }: QueueMessage): CloudEvent | undefined {
  try {
    expectBounds(body, messageBounds)
    const { value: event } = toStorableValue(readProgramJson(body, '$').value)
    return isEvent.Check(event) ? event : undefined
  } catch {
    return undefined
  }
}

async function recordQueueError({ db, log }: Parts, { id, queueArn }: QueueToPoll, error: unknown): Promise<void> {
  const isClouds = error instanceof CloudPermanentError || error instanceof CloudTransientError
  log[isClouds ? 'info' : 'warn']({ err: error, queue: id }, 'events cannot be fetched from a queue')
  const why = isClouds ? `The cloud says: ${error.message}` : 'The server failed.'
  const message = `Events cannot be fetched from ${queueArn}; it is tried again. ${why}`
  await savePolled(db, id, { code: failures.eventQueueUnreadable.code, message })
}
