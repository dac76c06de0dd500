import { type Static, Type } from 'typebox'
import type { Order } from './order.ts'

const closed = { additionalProperties: false } as const

/** Who a runner says it is: the same as long as its directory is there. */
const RunnerId = Type.String({ pattern: '^rnr_[0-9a-z]{26}$' })

/** An attempt of a step, as a runner names it. */
export const AttemptName = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 64 }), attemptEpoch: Type.Integer({ minimum: 1 }) },
  closed,
)
export type AttemptName = Static<typeof AttemptName>

/** More attempts than this no runner has in its hands. */
const mostAttempts = 1_000

/** A version of a program, as it says of itself. */
const ToolVersions = Type.Array(Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$', maxLength: 64 }), {
  maxItems: 100,
})

/** The versions of the iac tools that a runner has, by the name that a step asks for them by; the usual one first. */
export const RunnerTools = Type.Object({ iac: ToolVersions, iac_alt: ToolVersions }, closed)
export type RunnerTools = Static<typeof RunnerTools>

/** Said once when a runner starts, and again when the API did not know it. */
export const Hello = Type.Object(
  {
    runnerId: RunnerId,
    protocol: Type.Integer({ description: 'The version of these paths that it speaks.' }),
    version: Type.String({ maxLength: 64, description: 'Its own.' }),
    capacity: Type.Integer({ minimum: 1, maximum: mostAttempts }),
    machine: Type.String({ maxLength: 255, description: 'What its machine is called.' }),
    labels: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 20,
      description: 'What whoever started it says of it.',
    }),
    isolation: Type.String({ maxLength: 64, description: 'What keeps its programs apart.' }),
    tools: Type.Optional(RunnerTools),
  },
  closed,
)
export type Hello = Static<typeof Hello>

/** Said once by a runner that was started for one attempt; again with the same key, where the answer was lost. */
export const Redeem = Type.Object(
  { key: Type.String({ pattern: '^[\\w-]{32,64}$', description: 'Made up by the runner, and known to nobody else.' }) },
  closed,
)
export type Redeem = Static<typeof Redeem>

/** Who the runner of a task is, and what lets it claim its attempt. */
export type Redeemed = { runnerId: string; token: string }

/** How a runner is to go about it. Milliseconds. */
export type Pace = {
  /** How often it asks what became of the attempts that it has. */
  heartbeatMs: number
  /** How long after its last heartbeat its attempts are taken for lost. */
  leaseMs: number
}

export const Claim = Type.Object(
  {
    runnerId: RunnerId,
    /** How many more it can carry out. */
    most: Type.Integer({ minimum: 0, maximum: mostAttempts }),
    /** Those that it has in its hands: whatever else the API has given to it is given again. */
    holds: Type.Array(AttemptName, { maxItems: mostAttempts }),
    /** How long it waits for an answer where there is nothing to do. */
    waitMs: Type.Integer({ minimum: 0, maximum: 30_000 }),
  },
  closed,
)
export type Claim = Static<typeof Claim>

/** An attempt that was given to a runner, with all that it takes. */
export type Assignment = AttemptName & {
  /** Opens the paths of this attempt while it goes on, and nothing else. */
  token: string
  organizationId: string
  stepName: string
  order: Order
  /** Texts to keep out of whatever is shown or stored. */
  secrets: string[]
  /** Where its log goes on. */
  log: LogPlace
  tenancy: Tenancy
  /** Whether its runner may be given the step after it with the answer to its end, when it asks for that. */
  mayGoOn?: boolean
  /** Where its programs stand in a trace, if they are part of one: https://www.w3.org/TR/trace-context/ */
  traceparent?: string
}

/** The end of an attempt is written down. */
export type Settled = {
  /** The step after it, if it is the runner's now. */
  next?: Assignment
}

/** Whose programs a runner is given: with nobody else's beside them, they may do without isolation. */
export type Tenancy = {
  /** `own`: a machine of one organization's own execution environment. */
  runner: 'shared' | 'own'
  /** `one`: there is one organization, and nobody can register another. */
  organizations: 'one' | 'many'
}

/** How far the log of an attempt is stored. */
export type LogPlace = {
  /** The number of the step's last piece, of whichever attempt. */
  sequence: number
  /** How far its sources are in it. Bytes. */
  offsets: Record<string, number>
  /** Of this attempt. */
  bytes: number
  /** The last piece of this attempt. */
  text: string
}

export type Claimed = { attempts: Assignment[] }

export const Heartbeat = Type.Object(
  { runnerId: RunnerId, attempts: Type.Array(AttemptName, { maxItems: mostAttempts }) },
  closed,
)
export type Heartbeat = Static<typeof Heartbeat>

/** A runner goes, and what it keeps until it is back: what it was given beyond that it has never heard of. */
export const Leave = Heartbeat
export type Leave = Heartbeat

/** What is to become of each attempt: it goes on, it is to be stopped, or it is the runner's no longer. */
export type Beaten = { attempts: (AttemptName & { verdict: 'go-on' | 'stop' | 'lost' })[] }
