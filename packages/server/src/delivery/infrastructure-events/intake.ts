import type { CloudEvent } from '@sluice/contract'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { WakeUps } from '../../platform/engine/wake-ups.ts'
import { present } from '../../platform/present.ts'
import { toDeployment, type WakeUp } from '../deployments/execution/wake.ts'
import { releasesToGroup } from '../deployments/store/store.ts'
import { batchCalls } from './batching.ts'
import { maxEventDelayMs } from './match.ts'
import { type Relevance, relevanceOf } from './relevance.ts'
import { type NewEvent, storeEvents } from './store.ts'
import { toCloudEvent } from './wake.ts'

type Parts = {
  db: Db
  wakeUps: Pick<WakeUps, 'tell'>
  clock: Pick<Clock, 'now' | 'elapsedMs'>
  /** Callback for each event, with its delay in seconds and whether it is new. */
  onEvent?: (seconds: number, result: 'new' | 'repeated') => void
}

/** Account that sent an event. */
export type EventSender = Pick<CloudAccountRow, 'id' | 'organizationId'>

/** Accepts an event from an endpoint or a queue. Resolves when the event is stored. A duplicate changes nothing. */
export type Intake = (teller: EventSender, event: CloudEvent) => Promise<void>

/** Resource that an event is stored with. Events of a group without its ARN have the ids of the group's releases. */
type About = { resourceArn: string | null; releaseIds?: string[] }

/**
 * Maximum number of events per statement (some hundred KB), number of concurrent statements, and milliseconds to wait
 * for more events, because a change of a service usually causes several.
 */
const batches = { mostAtOnce: 200, sideBySide: 3, gatherMs: 10 }

const eventWakeUp: WakeUp = { isTold: true }

/** Returns a function that stores events of cloud accounts and triggers a poll of the deployments that they concern. */
export function createIntake({ db, wakeUps, clock, onEvent = () => {} }: Parts): Intake {
  const keep = batchCalls((events: NewEvent[]) => storeEvents(db, events, clock.now()), batches)

  /** Returns the resource of an event. For a group without an ARN, the group of a matching release. */
  async function aboutOf(teller: EventSender, event: CloudEvent, relevance: Relevance): Promise<About> {
    if ('resourceArn' in relevance) return { resourceArn: relevance.resourceArn }
    const { id: cloudAccountId, organizationId } = teller
    const since = new Date(Date.parse(event.time) - maxEventDelayMs)
    const releases = await releasesToGroup(db, organizationId, { ...relevance, cloudAccountId }, since)
    return {
      resourceArn: releases.find(({ resourceArn }) => resourceArn !== null)?.resourceArn ?? null,
      releaseIds: releases.map(({ id }) => id),
    }
  }

  const messagesTo = (concerned: readonly string[], { urgency }: Relevance): Message[] =>
    concerned.map((id) => ({
      ...toDeployment(id, eventWakeUp),
      ...(urgency === 'soon' && withTheOthersOf(id, clock)),
    }))

  return async (teller, event) => {
    const relevance = relevanceOf(event)
    const about = relevance && (await aboutOf(teller, event, relevance))
    const begunDeploymentId = relevance?.begunDeploymentId
    const kept = await keep({
      organizationId: teller.organizationId,
      cloudAccountId: teller.id,
      event,
      resourceArn: about?.resourceArn ?? null,
      wakeAt: begunDeploymentId === undefined ? null : clock.now(),
      ...present({ begunDeploymentId }),
    })
    onEvent(
      Math.max(0, (clock.now().getTime() - Date.parse(event.time)) / 1_000),
      kept === undefined ? 'repeated' : 'new',
    )
    if (kept === undefined || !about) return
    const concerned = messagesTo(about.releaseIds ?? kept.running, relevance)
    await wakeUps.tell(kept.isLookedFor ? [...concerned, toCloudEvent(kept.id)] : concerned)
  }
}

/**
 * Window in which polls after task events are combined, in real milliseconds. Task events arrive in bursts, and one
 * poll at the end of the window covers all of them.
 */
const burstMs = 1_000

function withTheOthersOf(id: string, clock: Pick<Clock, 'now' | 'elapsedMs'>) {
  const delayMs = clock.elapsedMs(burstMs)
  return { delayMs, idempotencyKey: `${id} ${Math.floor(clock.now().getTime() / delayMs)}` }
}
