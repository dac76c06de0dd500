import { type Static, Type } from 'typebox'

/** Names of the limits for organizations and their API keys. */
export const limitNames = [
  'requests',
  'keyRequests',
  'streams',
  'keyStreams',
  'queuedRuns',
  'queuedSteps',
  'queuedDeployments',
  'rehearsals',
  'runningSteps',
  'driftChecks',
  'stepLogBytes',
  'stateBytes',
  'planBytes',
  'storedLogBytes',
  'storedStateBytes',
  'storedPlanBytes',
  'storedArtifactBytes',
] as const
export type LimitName = (typeof limitNames)[number]

export const Limit = Type.Object(
  {
    name: Type.Enum(limitNames, { description: 'Name of the limit. Errors contain it in their metadata.' }),
    per: Type.Enum(['organization', 'key', 'step', 'state', 'plan'], {
      description: 'Subject of the limit: the organization, each API key or session, or each step, state or plan.',
    }),
    unit: Type.String({ description: 'Unit of the limit.' }),
    isPerProcess: Type.Boolean({
      description:
        'Whether each API process counts separately. With several processes, the effective limit is the sum.',
    }),
    max: Type.Union([Type.Integer(), Type.Null()], { description: 'Maximum; null if there is no limit.' }),
    used: Type.Optional(
      Type.Integer({
        description: "Current use by the organization or the caller's key. Absent for limits per step, state or plan.",
      }),
    ),
  },
  { additionalProperties: false, description: 'Limit and its current use.' },
)
export type Limit = Static<typeof Limit>

export const Limits = Type.Object(
  { limits: Type.Array(Limit) },
  { additionalProperties: false, description: 'Limits of the organization and the caller.' },
)
