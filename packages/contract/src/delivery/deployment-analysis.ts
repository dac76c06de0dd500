import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What a measurement, a check or an analysis came to; `RUNNING`: nothing yet. */
export const analysisOutcomes = ['RUNNING', 'SUCCESSFUL', 'FAILED', 'INCONCLUSIVE'] as const
export type AnalysisOutcome = (typeof analysisOutcomes)[number]

/** What an analysis did to the release. */
export const analysisActions = ['CONTINUE', 'HOLD', 'ROLLBACK'] as const
export type AnalysisAction = (typeof analysisActions)[number]

const Outcome = Type.Enum(analysisOutcomes, { description: 'What it came to.' })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** One check of an analysis and how it went so far. */
export const AnalysisCheck = Type.Object(
  {
    name: Type.String({ description: 'As the module calls it.' }),
    outcome: Outcome,
    successful: count('Measurements that met the condition.'),
    failed: count('Measurements that did not.'),
    inconclusive: count('Measurements that could not be had.'),
    lastMeasuredAt: Type.Optional(UtcDateTime),
    lastValue: Type.Optional(Type.Number({ description: 'Of a metric its value, of a request the status.' })),
    message: Type.Optional(Type.String({ description: 'Of the last measurement, for people.' })),
  },
  { ...closed, description: 'One check of an analysis.' },
)
export type AnalysisCheck = Static<typeof AnalysisCheck>

/** The checks of one pause or one bake. */
export const DeploymentAnalysis = Type.Object(
  {
    lifecycleStage: Type.Optional(Type.String({ description: "The cloud's name of the stage." })),
    hookId: Type.Optional(Type.String({ description: 'The pause hook that it may decide; absent: a bake.' })),
    startedAt: UtcDateTime,
    completedAt: Type.Optional(UtcDateTime),
    outcome: Outcome,
    action: Type.Optional(Type.Enum(analysisActions, { description: 'What it did to the release.' })),
    checks: Type.Array(AnalysisCheck),
  },
  { ...closed, description: 'Checks of the new release at a pause or during a bake.' },
)
export type DeploymentAnalysis = Static<typeof DeploymentAnalysis>

/** What can be asked for beside a deployment. */
export const analysisIncluded = {
  analysis: Type.Array(DeploymentAnalysis, {
    description: 'Checks of the new version at pauses and during bakes, oldest first; of types without checks, none.',
  }),
} as const
