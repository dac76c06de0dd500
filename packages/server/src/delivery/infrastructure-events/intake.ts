import type { CloudEvent } from '@sluice/contract'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { WakeUps } from '../../platform/engine/wake-ups.ts'
import { present } from '../../platform/present.ts'
import { toDeployment, type WakeUp } from '../deployments/execution/wake.ts'
import { releasesToGroup } from '../deployments/store/store.ts'
import { lateMs } from './match.ts'
import { type Relevance, relevanceOf } from './relevance.ts'
import { keepEvents, type NewEvent } from './store.ts'
import { together } from './together.ts'
import { toCloudEvent } from './wake.ts'

type Parts = {
  db: Db
  wakeUps: Pick<WakeUps, 'tell'>
  clock: Pick<Clock, 'now' | 'elapsedMs'>
  /** Told of every event: how long after it happened it came, and whether it is new. */
  onEvent?: (seconds: number, result: 'new' | 'repeated') => void
}

/** Whose event it is. */
export type Teller = Pick<CloudAccountRow, 'id' | 'organizationId'>

/** Takes an event in, by whichever way it came; resolves once it is kept. One that came before changes nothing. */
export type Intake = (teller: Teller, event: CloudEvent) => Promise<void>

/** The resource that an event is kept with; and the releases to a group of machines, which it names without its ARN. */
type About = { resourceArn: string | null; releaseIds?: string[] }

/**
 * How many events one statement keeps, some hundred KB, how many statements go to the disk side by side, and how long
 * the first event waits for others: what happens to a service comes in several events at once. Milliseconds.
 */
const batches = { mostAtOnce: 200, sideBySide: 3, gatherMs: 10 }

const told: WakeUp = { isTold: true }

/** Keeps what cloud accounts tell us, and wakes the deployments that it may concern. */
export function createIntake({ db, wakeUps, clock, onEvent = () => {} }: Parts): Intake {
  const keep = together((events: NewEvent[]) => keepEvents(db, events, clock.now()), batches)

  /** What an event is about. A group of machines that it names without its ARN is the one that is released to. */
  async function aboutOf(teller: Teller, event: CloudEvent, relevance: Relevance): Promise<About> {
    if ('resourceArn' in relevance) return { resourceArn: relevance.resourceArn }
    const { id: cloudAccountId, organizationId } = teller
    const since = new Date(Date.parse(event.time) - lateMs)
    const releases = await releasesToGroup(db, organizationId, { ...relevance, cloudAccountId }, since)
    return {
      resourceArn: releases.find(({ resourceArn }) => resourceArn !== null)?.resourceArn ?? null,
      releaseIds: releases.map(({ id }) => id),
    }
  }

  const messagesTo = (concerned: readonly string[], { urgency }: Relevance): Message[] =>
    concerned.map((id) => ({
      ...toDeployment(id, told),
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

/** Task events come in bursts: one look a second, taken after the second is over, sees them all. Real milliseconds. */
const burstMs = 1_000

function withTheOthersOf(id: string, clock: Pick<Clock, 'now' | 'elapsedMs'>) {
  const delayMs = clock.elapsedMs(burstMs)
  return { delayMs, idempotencyKey: `${id} ${Math.floor(clock.now().getTime() / delayMs)}` }
}
