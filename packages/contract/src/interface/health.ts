import { type Static, Type } from 'typebox'

export const healthStatuses = ['ok', 'unavailable'] as const
export type HealthStatus = (typeof healthStatuses)[number]

/** Conditions for serving requests, with the meaning of each. */
export const readinessChecks = {
  database: 'Whether the database responds.',
  databaseWrites: 'Whether the database accepts writes. It does not while its disk is full or while it is read-only.',
  engine: 'Whether the workflow engine responds.',
  worker:
    'Whether the worker of this process is registered at the workflow engine. Absent in processes without a worker.',
  clock:
    'Whether the clock of the machine matches the clock of the database. Absent in processes whose worker does not share an engine with others.',
  process:
    'Whether the process accepts requests. It does not until its initial data is stored, nor while it shuts down.',
} as const
export type ReadinessCheck = keyof typeof readinessChecks

const passed = (check: ReadinessCheck) => Type.Literal('ok', { description: readinessChecks[check] })

export const Liveness = Type.Object(
  { status: Type.Literal('ok') },
  { additionalProperties: false, description: 'The process is running.' },
)
export type Liveness = Static<typeof Liveness>

export const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    checks: Type.Object(
      {
        database: passed('database'),
        databaseWrites: passed('databaseWrites'),
        engine: passed('engine'),
        worker: Type.Optional(passed('worker')),
        clock: Type.Optional(passed('clock')),
        process: passed('process'),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'The process can serve requests: all checks passed.' },
)
export type Readiness = Static<typeof Readiness>
