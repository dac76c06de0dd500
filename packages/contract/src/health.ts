import { type Static, Type } from 'typebox'

export const healthStatuses = ['ok', 'unavailable'] as const
export type HealthStatus = (typeof healthStatuses)[number]

const HealthStatus = Type.Enum(healthStatuses, { description: 'Whether it works.' })

export const Liveness = Type.Object(
  { status: Type.Literal('ok') },
  { additionalProperties: false, description: 'The process runs.' },
)
export type Liveness = Static<typeof Liveness>

export const Readiness = Type.Object(
  {
    status: HealthStatus,
    checks: Type.Object(
      {
        database: HealthStatus,
        engine: HealthStatus,
        worker: Type.Optional(
          Type.Enum(healthStatuses, {
            description:
              'Whether the engine knows the worker that this process is. Not there in processes that are none.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'Whether requests can be served, and if not, what is missing.' },
)
export type Readiness = Static<typeof Readiness>
