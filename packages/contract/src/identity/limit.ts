import { type Static, Type } from 'typebox'

/** What an organization, or one of its keys, may only take so much of. */
export const limitNames = [
  'requests',
  'keyRequests',
  'streams',
  'keyStreams',
  'queuedRuns',
  'queuedSteps',
  'queuedDeployments',
  'runningSteps',
  'driftLooks',
  'stepLogBytes',
  'stateBytes',
  'planBytes',
  'storedLogBytes',
  'storedStateBytes',
  'storedPlanBytes',
] as const
export type LimitName = (typeof limitNames)[number]

export const Limit = Type.Object(
  {
    name: Type.Enum(limitNames, { description: 'Which limit; a refusal names it in its metadata.' }),
    per: Type.Enum(['organization', 'key', 'step', 'state', 'plan'], {
      description: 'What has so much: the organization, each API key or signed-in person, each step, state or plan.',
    }),
    unit: Type.String({ description: 'What is counted.' }),
    isPerProcess: Type.Boolean({
      description:
        'Whether each process that serves the interface counts for itself: several let as many times as much through.',
    }),
    most: Type.Union([Type.Integer(), Type.Null()], { description: 'How much there may be; null is no limit.' }),
    used: Type.Optional(
      Type.Integer({
        description: "How much the organization or the caller's key uses now; each step, state and plan for itself.",
      }),
    ),
  },
  { additionalProperties: false, description: 'A limit and how much of it is used.' },
)
export type Limit = Static<typeof Limit>

export const Limits = Type.Object(
  { limits: Type.Array(Limit) },
  { additionalProperties: false, description: 'What the organization may take, and takes.' },
)
