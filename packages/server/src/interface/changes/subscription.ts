import { type ChangeMessage, ChangeSubscription } from '@sluice/contract'
import { Check } from 'typebox/value'
import type { ChangeBatch } from './follower.ts'
import { idOf } from './position.ts'

/** Subscription of a WebSocket client; without lists it matches all changes. */
export interface SubscribedChanges {
  /** Collections. */
  resources?: ReadonlySet<string> | undefined
  /** Ids of records: matches changes of themselves and of their parts. */
  of?: ReadonlySet<string> | undefined
}

/** Parses a client's message as a subscription; undefined if it is invalid. */
export function parseSubscription(text: string): SubscribedChanges | undefined {
  const message = parsed(text)
  if (!Check(ChangeSubscription, message)) return undefined
  const { resources, of } = message.subscribe
  return { resources: resources && new Set(resources), of: of && new Set(of) }
}

/** Formats a message. Without changes it is only a position, from which a client can continue. */
export function messageOf(
  { position, changes, isReset }: ChangeBatch,
  { resources, of }: SubscribedChanges,
): ChangeMessage {
  const id = idOf(position)
  if (isReset) return { id, reset: true }
  const wanted = changes.filter(
    ({ resource, id: record, belongsTo }) =>
      (!resources || resources.has(resource)) &&
      (!of || [record, ...Object.values(belongsTo)].some((one) => of.has(one))),
  )
  return wanted.length === 0 ? { id } : { id, changes: wanted }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
