import { type Static, Type } from 'typebox'
import { PriceList } from '../infrastructure/price-list.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'
import { DeploymentStatus } from './deployment.ts'
import { deploymentStepCodes } from './deployment-progress.ts'
import { rehearsalFaults, rehearsalScenarios } from './rehearsal-scenarios.ts'

const closed = { additionalProperties: false } as const

export const rehearsalStatuses = ['PENDING', 'IN_PROGRESS', 'SUCCESS', 'ERROR'] as const
export const RehearsalStatus = Type.Enum(rehearsalStatuses, {
  description: 'Status of the rehearsal. SUCCESS: it ran, whatever the release came to.',
})
export type RehearsalStatus = Static<typeof RehearsalStatus>

export const RehearsalScenarioName = Type.Enum(rehearsalScenarios, {
  type: 'string', // so that errors of a composed scenario are not reported as those of a name
  description: 'Scenario: what goes wrong during the release. NO_FAULT: nothing does.',
})
export type RehearsalScenarioName = Static<typeof RehearsalScenarioName>

/** Maximum number of scenarios per rehearsal, more than those without a composition. */
export const maxRehearsalScenarios = 15
export const maxRehearsalFaults = 4
/** Maximum delay of a fault in seconds: the longest pause. */
const maxDelaySeconds = 14 * 86_400

export const RehearsalFault = Type.Object(
  {
    type: Type.Enum(rehearsalFaults, { description: 'Fault, as in the scenario of the same name.' }),
    trafficPercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Share of the traffic that the new version receives when the fault occurs. Only for faults that occur during the release; the default is that of the scenario.',
      }),
    ),
    afterSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxDelaySeconds,
        description:
          'Delay in seconds from that share; none by default. Only for faults that occur during the release.',
      }),
    ),
  },
  { ...closed, description: 'Fault of a composed scenario.' },
)
export type RehearsalFault = Static<typeof RehearsalFault>

const faults = Type.Array(RehearsalFault, {
  minItems: 1,
  maxItems: maxRehearsalFaults,
  description: 'Faults of a composed scenario, each type at most once.',
})

export const ComposedScenario = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name, unique in the rehearsal, and not one of the predefined names.',
      examples: ['Late failure while the cloud throttles'],
    }),
    faults,
  },
  { ...closed, description: 'Scenario that combines faults, or that sets when they occur.' },
)
export type ComposedScenario = Static<typeof ComposedScenario>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const seconds = (description: string) => Type.Integer({ minimum: 0, description })
const percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })

export const rehearsalEntryTypes = ['STEP', 'TRAFFIC', 'INCIDENT'] as const

export const RehearsalEntry = Type.Object(
  {
    type: Type.Enum(rehearsalEntryTypes, {
      description:
        'STEP: the deployment reported a step. TRAFFIC: traffic or tasks changed. INCIDENT: the scenario intervened.',
    }),
    at: UtcDateTime,
    seconds: seconds('Seconds since the start of the release.'),
    stepCode: Type.Optional(Type.Enum(deploymentStepCodes, { description: 'Code of the step.' })),
    lifecycleStage: Type.Optional(Type.String({ description: 'Lifecycle stage in the cloud.' })),
    message: Type.Optional(Type.String({ description: 'Human-readable message.' })),
    decideBy: Type.Optional({
      ...UtcDateTime,
      description: 'Of a pause: time until which a user with the `approvals:write` permission has to decide.',
    }),
    newTrafficPercent: percent("Share of the users' traffic that the new version receives."),
    oldTaskCount: count('Number of tasks or instances with the old version; 0 for a function.'),
    newTaskCount: count('Number of tasks or instances with the new version; 0 for a function.'),
    errorPercent: percent('Share of the requests that fail because of the release.'),
  },
  { ...closed, description: 'Moment of a rehearsed release.' },
)
export type RehearsalEntry = Static<typeof RehearsalEntry>

const ExtraCost = Type.Object(
  {
    currency: PriceList.properties.currency,
    amount: Type.String({ description: 'Amount as a decimal string.', examples: ['0.0246'] }),
  },
  {
    ...closed,
    description: 'Cost of the extra tasks. Absent unless the price list has a price for tasks like these.',
  },
)

export const RehearsalScenario = Type.Object(
  {
    name: Type.String({ description: 'Name of the predefined or composed scenario.', examples: ['NO_FAULT'] }),
    faults: Type.Optional(faults),
    status: RehearsalStatus,
    outcome: Type.Optional({ ...DeploymentStatus, description: 'Status in which the deployment ended.' }),
    verdict: Type.Optional(Type.String({ description: 'How the release ends, in one sentence.' })),
    suggestion: Type.Optional(
      Type.String({ description: 'Change of the module that would make the release safer. Absent if there is none.' }),
    ),
    error: Type.Optional({ ...UserFacingError, description: 'Error that the deployment would show.' }),
    durationSeconds: Type.Optional(seconds('Duration of the release.')),
    errorSeconds: Type.Optional(seconds('Time during which users see errors.')),
    restoreSeconds: Type.Optional(
      seconds('Time from the first fault until the old version has all traffic again. Absent if it does not.'),
    ),
    peakTaskCount: Type.Optional(count('Maximum number of tasks or instances that run at the same time.')),
    extraTaskSeconds: Type.Optional(
      seconds('Time that extra tasks or instances run beside those before the release, as a sum over all of them.'),
    ),
    extraCost: Type.Optional(ExtraCost),
    timeline: Type.Array(RehearsalEntry, { description: 'Moments of the release, oldest first.' }),
  },
  { ...closed, description: 'Release under the conditions of one scenario.' },
)
export type RehearsalScenario = Static<typeof RehearsalScenario>

export const Rehearsal = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    moduleInstanceId: Id,
    rollbackToDeploymentId: Type.Optional({ ...Id, description: 'Of a rollback: deployment to which it returns.' }),
    status: RehearsalStatus,
    triggeredBy: Type.String({ description: 'Name of the user or service account that started the rehearsal.' }),
    completedAt: Type.Optional({ ...UtcDateTime, description: 'Time when the rehearsal ended.' }),
    error: Type.Optional({ ...UserFacingError, description: 'Reason why the rehearsal could not run.' }),
    assumptions: Type.Array(Type.String(), {
      description: 'What the rehearsal assumes because it cannot be read or simulated.',
    }),
    scenarios: Type.Array(RehearsalScenario),
  },
  { ...closed, description: 'Rehearsal of a release in a simulated copy of the service.' },
)
export type Rehearsal = Static<typeof Rehearsal>

const { timeline: _, ...summarized } = RehearsalScenario.properties

export const RehearsalSummary = Type.Object(
  {
    ...Rehearsal.properties,
    scenarios: Type.Array(Type.Object(summarized, { ...closed, description: 'Scenario without its timeline.' })),
  },
  { ...closed, description: 'Rehearsal in a list. Get the rehearsal for the timelines of its scenarios.' },
)
export type RehearsalSummary = Static<typeof RehearsalSummary>

/**
 * Reports whether a rehearsal shows that the release works: every scenario ran, and without a fault the release
 * succeeds.
 */
export const hasRehearsalPassed = ({ status, scenarios }: Pick<RehearsalSummary, 'status' | 'scenarios'>): boolean =>
  status === 'SUCCESS' &&
  scenarios.every((scenario) => scenario.status === 'SUCCESS') &&
  scenarios.some(({ name, outcome }) => name === 'NO_FAULT' && outcome === 'SUCCESS')

export const CreateRehearsal = Type.Object(
  {
    moduleInstanceId: Id,
    inputs: Type.Optional(FreeFormObject),
    rollbackToDeploymentId: Type.Optional({
      ...Id,
      description:
        'Rehearses a rollback to this successful deployment of the instance, instead of a release with `inputs`.',
    }),
    scenarios: Type.Optional(
      Type.Array(Type.Union([RehearsalScenarioName, ComposedScenario]), {
        minItems: 1,
        maxItems: maxRehearsalScenarios,
        description:
          'Scenarios to run: names of predefined ones, and composed ones. Defaults to all predefined ones that apply to the type of the deployment.',
      }),
    ),
  },
  { ...closed, description: 'Fields of a new rehearsal.' },
)
export type CreateRehearsal = Static<typeof CreateRehearsal>
