import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Outcomes of a measurement, a check or an analysis. `RUNNING` means there is no outcome yet. */
export const analysisOutcomes = ['RUNNING', 'SUCCESSFUL', 'FAILED', 'INCONCLUSIVE'] as const
export type AnalysisOutcome = (typeof analysisOutcomes)[number]

/** Actions that an analysis can take on a release. */
export const analysisActions = ['CONTINUE', 'HOLD', 'ROLLBACK'] as const
export type AnalysisAction = (typeof analysisActions)[number]

const Outcome = Type.Enum(analysisOutcomes, { description: 'Outcome so far.' })
const count = (description: string) => Type.Integer({ minimum: 0, description })

/** Check of an analysis and its results so far. */
export const AnalysisCheck = Type.Object(
  {
    name: Type.String({ description: 'Name of the check in the module.' }),
    outcome: Outcome,
    successful: count('Number of measurements that met the condition.'),
    failed: count('Number of measurements that did not meet the condition.'),
    inconclusive: count('Number of measurements that could not be taken.'),
    lastMeasuredAt: Type.Optional(UtcDateTime),
    lastValue: Type.Optional(
      Type.Number({ description: 'Last value of a metric, or the HTTP status of the last request.' }),
    ),
    message: Type.Optional(Type.String({ description: 'Message of the last measurement.' })),
  },
  { ...closed, description: 'Check of an analysis and its results so far.' },
)
export type AnalysisCheck = Static<typeof AnalysisCheck>

/** Checks during one pause or one bake time. */
export const DeploymentAnalysis = Type.Object(
  {
    lifecycleStage: Type.Optional(Type.String({ description: 'Name of the lifecycle stage in the cloud.' })),
    hookId: Type.Optional(
      Type.String({ description: 'ID of the pause hook that the analysis can resolve. Absent for a bake time.' }),
    ),
    startedAt: UtcDateTime,
    completedAt: Type.Optional(UtcDateTime),
    outcome: Outcome,
    action: Type.Optional(Type.Enum(analysisActions, { description: 'Action that the analysis took on the release.' })),
    checks: Type.Array(AnalysisCheck),
  },
  { ...closed, description: 'Checks of the new release during a pause or a bake time.' },
)
export type DeploymentAnalysis = Static<typeof DeploymentAnalysis>

/** Data that `include` can add to a deployment. */
export const analysisIncluded = {
  analysis: Type.Array(DeploymentAnalysis, {
    description:
      'Checks of the new release during pauses and bake times, oldest first. Empty for deployment types without checks.',
  }),
} as const
