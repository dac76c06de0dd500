import { type Static, Type } from 'typebox'

export const healthStatuses = ['ok', 'unavailable'] as const
export type HealthStatus = (typeof healthStatuses)[number]

/** What a process needs to serve requests, and what each means. */
export const readinessChecks = {
  database: 'Whether the database answers.',
  databaseWrites: 'Whether the database accepts writes: not while its disk is full or it is read-only.',
  engine: 'Whether the engine answers.',
  worker: 'Whether the engine knows the worker that this process is. Absent in processes without a worker.',
  clock:
    'Whether the clock of the machine agrees with the clock of the database. Absent in processes whose worker does not ' +
    'share an engine with others.',
  process: 'Whether the process accepts requests: not before its initial data is stored, nor while it shuts down.',
} as const
export type ReadinessCheck = keyof typeof readinessChecks

const passed = (check: ReadinessCheck) => Type.Literal('ok', { description: readinessChecks[check] })

export const Liveness = Type.Object(
  { status: Type.Literal('ok') },
  { additionalProperties: false, description: 'The process runs.' },
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
  { additionalProperties: false, description: 'The process serves requests: every check passed.' },
)
export type Readiness = Static<typeof Readiness>
