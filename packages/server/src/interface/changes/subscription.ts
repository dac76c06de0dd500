import { type ChangeMessage, ChangeSubscription } from '@sluice/contract'
import { Check } from 'typebox/value'
import type { News } from './follower.ts'
import { idOf } from './position.ts'

/** What a client of a WebSocket wants to be told of: without a list, of all. */
export interface Wanted {
  /** Collections. */
  resources?: ReadonlySet<string> | undefined
  /** Records: themselves, and what is part of them. */
  of?: ReadonlySet<string> | undefined
}

/** What a message of a client asks for; undefined where it is none. */
export function wantedIn(text: string): Wanted | undefined {
  const message = parsed(text)
  if (!Check(ChangeSubscription, message)) return undefined
  const { resources, of } = message.subscribe
  return { resources: resources && new Set(resources), of: of && new Set(of) }
}

/** News as a message. Without changes it is only a position, which tells a client where to go on. */
export function messageOf({ position, changes, isReset }: News, { resources, of }: Wanted): ChangeMessage {
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
